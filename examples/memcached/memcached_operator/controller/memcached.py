"""Reconciles objects of the kind Memcached."""

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import Container, ContainerPort, Pod, PodSpec, PodTemplateSpec

from memcached_operator.api.v1alpha1.memcached import Memcached
from memcached_operator.operator import operator

NAME, INSTANCE = "app.kubernetes.io/name", "app.kubernetes.io/instance"
OURS = {NAME: "memcached"}
IMAGE = "memcached:1.6-alpine"
# Somebody else has a Deployment of that name: it is theirs, or it selects other pods.
TAKEN = (kw.AlreadyOwnedError, kw.InvalidError)


def labels_for(memcached: Memcached) -> dict[str, str]:
    """Return what the pods of one Memcached, and no others, are labelled with."""
    return {**OURS, INSTANCE: memcached.metadata.name}


def deployment_for(memcached: Memcached) -> Deployment:
    """Return the Deployment that should exist: the fields that matter, and no others."""
    labels, port = labels_for(memcached), memcached.spec.container_port
    node = Container(
        name="memcached",
        image=IMAGE,
        args=[f"--port={port}", "--memory-limit=64"],
        ports=[ContainerPort(name="memcached", container_port=port)],
    )
    return Deployment(
        metadata=kw.ObjectMeta(name=memcached.metadata.name, labels=labels),
        spec=DeploymentSpec(
            replicas=memcached.spec.size,
            selector=kw.LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=kw.ObjectMeta(labels=labels), spec=PodSpec(containers=[node])
            ),
        ),
    )


def memcached_of(pod: Pod) -> list[str]:
    """Return the name of the Memcached that a pod belongs to."""
    name = pod.metadata.labels.get(INSTANCE)
    return [name] if name else []


# The pods belong to a ReplicaSet, and that to the Deployment. They are not children, so watch them.
@operator.reconciler(
    Memcached,
    owns=[Deployment],
    watches=[kw.Watches(Pod, map=memcached_of, labels=OURS)],
    retry=dict.fromkeys(TAKEN, kw.Retry(base=1, cap=60)),  # until somebody deletes the other one
)
async def reconcile(memcached: Memcached, ctx: kw.Context) -> None:
    """Keep the Deployment as it should be, list its pods, and say how they are."""
    before = await ctx.client.find(Deployment, memcached.metadata.name)
    try:
        deployment = await ctx.apply(deployment_for(memcached))
    except TAKEN as error:
        ctx.set_condition("Degraded", True, "DeploymentRefused", str(error))
        raise
    report_change(memcached, ctx, before)
    pods = ctx.cache.list(Pod, labels=labels_for(memcached))
    memcached.status.nodes = sorted(pod.metadata.name for pod in pods)
    memcached.status.replicas = len(pods)
    memcached.status.selector = str(kw.Selector.of(labels_for(memcached)))
    set_conditions(memcached, ctx, deployment)


def report_change(memcached: Memcached, ctx: kw.Context, before: Deployment | None) -> None:
    """Tell with an event if the Deployment was not of the right size *before*."""
    size = memcached.spec.size
    if before is None:
        ctx.event("Created", f"created a Deployment of size {size}")
    elif before.spec.replicas != size:
        ctx.event("Resized", f"changed the Deployment from size {before.spec.replicas} to {size}")


def set_conditions(memcached: Memcached, ctx: kw.Context, deployment: Deployment) -> None:
    """Say whether a node answers, whether something still happens, and whether that is stuck."""
    size, status = memcached.spec.size, deployment.status
    ready = status.available_replicas or 0
    counts = {status.replicas or 0, status.updated_replicas or 0, ready}
    # The Deployment's own controller may not have looked yet; its numbers are old ones then.
    seen = (status.observed_generation or 0) >= (deployment.metadata.generation or 0)
    done = seen and counts == {size}
    answer = f"{ready} of {size} nodes are available"

    ctx.set_condition("Available", ready > 0, "NodesAvailable" if ready else "NoNodes", answer)
    ctx.set_condition("Progressing", not done, "Complete" if done else "RollingOut", answer)
    progress = kw.find_condition(status.conditions, "Progressing")
    if progress is not None and progress.status == "False":
        ctx.set_condition("Degraded", True, "DeploymentStuck", progress.message or "")
    else:
        ctx.set_condition("Degraded", False, "AsExpected")


@operator.cleanup(Memcached)
async def shut_down(memcached: Memcached, ctx: kw.Context) -> kw.Result | None:
    """Stop the nodes, and let the Memcached go when none is left.

    Without it they would be stopped after the Memcached is gone, when nobody can see how far that
    is; with it, `kubectl delete` returns when the last of them has ended.
    """
    deployments = ctx.children(Deployment)
    for deployment in deployments:
        if deployment.metadata.deletion_timestamp is None:
            await ctx.client.delete(deployment, propagation="Foreground", missing_ok=True)
            ctx.event("Stopping", f"stopping {len(memcached.status.nodes)} nodes")
    # When the Deployment is gone we are called; the time is for the case that nothing happens.
    return kw.Result(requeue_after=60) if deployments else None
