"""Run a command at a time."""

import shlex
from datetime import datetime
from typing import Literal

import kubewright as kw
from kubewright.kinds.core.v1 import Container, Pod, PodSpec


class AtSpec(kw.Model):
    schedule: datetime
    """When to run the command, in UTC."""
    command: str
    """The command, split as a shell splits words."""


class AtStatus(kw.Model):
    phase: Literal["PENDING", "RUNNING", "DONE"] = "PENDING"


@kw.resource(
    group="cnat.programming-kubernetes.info",
    version="v1alpha1",
    columns=[kw.Column("Phase", ".status.phase")],
)
class At(kw.Resource):
    """Runs a command once, at a time."""

    spec: AtSpec
    status: AtStatus = kw.field(default_factory=AtStatus)


operator = kw.Operator("cnat")


def pod_for(at: At) -> Pod:
    return Pod(
        metadata=kw.ObjectMeta(name=f"{at.metadata.name}-pod", labels={"app": at.metadata.name}),
        spec=PodSpec(
            restart_policy="OnFailure",
            containers=[
                Container(name="busybox", image="busybox", command=shlex.split(at.spec.command))
            ],
        ),
    )


@operator.reconciler(At, owns=[Pod])
async def reconcile(at: At, ctx: kw.Context) -> kw.Result | None:
    if at.status.phase == "DONE":  # once is once, even if somebody deletes the pod later
        return None
    wait = (at.spec.schedule - ctx.now()).total_seconds()
    if wait > 0:
        return kw.Result(requeue_after=wait)
    pod = await ctx.apply(pod_for(at))  # server-side apply; no write if nothing changes
    at.status.phase = "DONE" if pod.status.phase in ("Succeeded", "Failed") else "RUNNING"
    return None  # a changed status is written once, after reconcile returns
