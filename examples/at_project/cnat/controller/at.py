"""Reconciles objects of the kind At."""

import shlex
from datetime import timedelta

import kubewright as kw
from kubewright.kinds.core.v1 import Container, Pod, PodSpec

from cnat.api.v1alpha1.at import At
from cnat.operator import operator


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
    At, owns=[kw.Owns(Pod, verbs=["create", "patch"])], retry={kw.InvalidError: kw.Retry.NEVER}
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
