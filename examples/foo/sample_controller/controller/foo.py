"""Reconciles objects of the kind Foo."""

import kubewright as kw
from kubewright.api import is_controlled_by
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import Container, PodSpec, PodTemplateSpec

from sample_controller.api.v1alpha1.foo import Foo
from sample_controller.operator import operator

BY_DEPLOYMENT = "deployment"

operator.index(Foo, BY_DEPLOYMENT, lambda foo: [foo.spec.deployment_name])


def deployment_for(foo: Foo) -> Deployment:
    """Return the Deployment that should exist: the fields that matter, and no others."""
    labels = {"app": "nginx", "controller": foo.metadata.name}
    nginx = Container(name="nginx", image="nginx:latest")
    return Deployment(
        metadata=kw.ObjectMeta(name=foo.spec.deployment_name),
        spec=DeploymentSpec(
            replicas=foo.spec.replicas,
            selector=kw.LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=kw.ObjectMeta(labels=labels), spec=PodSpec(containers=[nginx])
            ),
        ),
    )


def foos_that_name(deployment: Deployment, ctx: kw.MapContext) -> list[Foo]:
    """Return the Foos that want a Deployment of that name, whoever it belongs to."""
    return ctx.cache.list(Foo, index=BY_DEPLOYMENT, value=deployment.metadata.name)


# Owned Deployments call their Foo. Those of others, which are in its way, are watched: when one of
# them goes, the Foo that wants its name is called at once, and nobody has to ask again and again.
@operator.reconciler(Foo, owns=[Deployment], watches=[kw.Watches(Deployment, map=foos_that_name)])
async def reconcile(foo: Foo, ctx: kw.Context) -> None:
    """Keep the Deployment as it should be, unless one of that name belongs to somebody else."""
    before = await ctx.client.find(Deployment, foo.spec.deployment_name)
    try:
        deployment = before or await ctx.create(deployment_for(foo))
    except kw.AlreadyOwnedError:  # somebody was faster
        return refuse(foo, ctx)
    if not is_controlled_by(deployment, foo):
        return refuse(foo, ctx)
    deployment = await ctx.apply(deployment_for(foo))
    await ctx.prune()  # the Deployment of an earlier spec.deploymentName
    foo.status.available_replicas = deployment.status.available_replicas or 0
    was_synced = kw.is_condition_true(foo.status.conditions, "Synced")
    ctx.set_condition("Synced", True, "Synced", "Foo synced successfully")
    # The generation counts changes of the spec; unlike the original, we do not tell of no change.
    changed = before is None or before.metadata.generation != deployment.metadata.generation
    if changed or not was_synced:
        ctx.event("Synced", "Foo synced successfully")
    return None


def refuse(foo: Foo, ctx: kw.Context) -> None:
    """Leave what belongs to somebody else as it is, and say so, once."""
    name, reason = foo.spec.deployment_name, "ErrResourceExists"
    message = f'Resource "{name}" already exists and is not managed by Foo'
    told = kw.find_condition(foo.status.conditions, "Synced")
    ctx.set_condition("Synced", False, reason, message)
    if told is None or told.message != message:
        ctx.event(reason, message, type="Warning")
