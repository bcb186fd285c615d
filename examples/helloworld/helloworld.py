"""An nginx Deployment of a size."""

from typing import Annotated

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import Container, ContainerPort, Pod, PodSpec, PodTemplateSpec

LABEL = "hello_name"


class HelloWorldSpec(kw.Model):
    """What is wanted."""

    size: Annotated[kw.Int32, kw.Minimum(0), kw.Maximum(2**31 - 1)]
    """How many pods say hello."""


class HelloWorldStatus(kw.Model):
    """What there is."""

    nodes: list[str] = []
    """The names of the pods, sorted."""


@kw.resource(group="test.jiaozi.com", version="v1alpha1")
class HelloWorld(kw.Resource):
    """An nginx Deployment of a size."""

    spec: HelloWorldSpec
    status: HelloWorldStatus = kw.field(default_factory=HelloWorldStatus)


operator = kw.Operator("helloworld")


def deployment_for(hello: HelloWorld) -> Deployment:
    """Return the Deployment that should exist: the fields that matter, and no others."""
    labels = {LABEL: hello.metadata.name}
    nginx = Container(name="nginx", image="nginx", ports=[ContainerPort(container_port=80)])
    return Deployment(
        metadata=kw.ObjectMeta(name=hello.metadata.name, labels=labels),
        spec=DeploymentSpec(
            replicas=hello.spec.size,
            selector=kw.LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=kw.ObjectMeta(labels=labels), spec=PodSpec(containers=[nginx])
            ),
        ),
    )


def hello_of(pod: Pod) -> list[str]:
    """Return the name of the HelloWorld that a pod belongs to."""
    return [pod.metadata.labels[LABEL]]


# The pods belong to a ReplicaSet, and that to the Deployment. They are not children, so watch them.
@operator.reconciler(
    HelloWorld,
    owns=[kw.Owns(Deployment, verbs=["create", "patch"])],  # deleting is left to the cluster
    watches=[kw.Watches(Pod, map=hello_of, labels=LABEL)],
    retry={kw.InvalidError: kw.Retry.NEVER},  # a name that is too long stays too long
)
async def reconcile(hello: HelloWorld, ctx: kw.Context) -> None:
    """Keep the Deployment as it should be, whoever changed it, and list the pods."""
    await ctx.apply(deployment_for(hello))
    labels = {LABEL: hello.metadata.name}
    pods = ctx.cache.list(Pod, labels=labels)
    hello.status.nodes = sorted(pod.metadata.name for pod in pods)
