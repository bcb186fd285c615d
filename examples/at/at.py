"""Run a command at a time."""

import shlex
from datetime import datetime, timedelta
from typing import Annotated, Literal

import kubewright as kw
from kubewright.kinds.core.v1 import Container, Pod, PodSpec

# The API server refuses what does not match, so the operator never sees it.
UTC = "^[1-9][0-9T:.-]*Z$"
SHELL_WORDS = r"""^\s*(([^\s'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")\s*)+$"""


class AtSpec(kw.Model):
    """What to run, and when."""

    schedule: Annotated[datetime, kw.Pattern(UTC)]
    """When to run the command, in UTC, such as 2030-01-01T12:00:00Z. The past means at once."""
    command: Annotated[str, kw.Pattern(SHELL_WORDS)]
    """The command line, split as a shell splits words. Every quote must be closed."""


class AtStatus(kw.Model):
    """How far it is."""

    phase: Literal["PENDING", "RUNNING", "DONE"] = "PENDING"
    """PENDING until the time has come, RUNNING while the pod runs, DONE when it has ended."""


@kw.resource(
    group="cnat.programming-kubernetes.info",
    version="v1alpha1",
    columns=[kw.Column("Phase", ".status.phase"), kw.Column("Schedule", ".spec.schedule")],
)
class At(kw.Resource):
    """Runs a command once, at a time."""

    spec: AtSpec
    status: AtStatus = kw.field(default_factory=AtStatus)


operator = kw.Operator("cnat")


def pod_for(at: At) -> Pod:
    """Return the pod that runs the command."""
    command = shlex.split(at.spec.command)
    return Pod(
        metadata=kw.ObjectMeta(name=f"{at.metadata.name}-pod", labels={"app": at.metadata.name}),
        spec=PodSpec(
            restart_policy="OnFailure",
            containers=[Container(name="busybox", image="busybox", command=command)],
        ),
    )


@operator.reconciler(
    At,
    owns=[kw.Owns(Pod, verbs=["create", "patch"])],  # it deletes none
    retry={kw.InvalidError: kw.Retry.NEVER},
)
async def reconcile(at: At, ctx: kw.Context) -> kw.Result | None:
    """Make the pod when it is time, once, and show in the status what becomes of it."""
    if at.status.phase == "DONE":  # once is once, even if somebody deletes the pod later
        return None
    pods = ctx.children(Pod)
    if not pods and at.status.phase == "PENDING":
        wait = at.spec.schedule - ctx.now()
        if wait > timedelta(0):
            return kw.Result(requeue_after=wait)  # a timer; a changed schedule calls us sooner
        pods = [await ctx.apply(pod_for(at))]
    ended = all(pod.status.phase in {"Succeeded", "Failed"} for pod in pods)  # or deleted: no pods
    at.status.phase = "DONE" if ended else "RUNNING"
    return None  # a status that changed is written now, once
