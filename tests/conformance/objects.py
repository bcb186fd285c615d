"""Small objects that the conformance tests write."""

from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import ConfigMap, Container, Pod, PodSpec, PodTemplateSpec


def config_map(name: str, *, labels: dict[str, str] | None = None, **data: str) -> ConfigMap:
    """Return a ConfigMap with *data*."""
    return ConfigMap(metadata=ObjectMeta(name=name, labels=labels or {}), data=data)


def pod_spec() -> PodSpec:
    """Return the least that a pod can be."""
    return PodSpec(containers=[Container(name="main", image="busybox")])


def pod(name: str) -> Pod:
    """Return a pod that needs no service account, since no controller makes one here."""
    return Pod(metadata=ObjectMeta(name=name), spec=pod_spec())


def deployment(name: str, replicas: int = 1) -> Deployment:
    """Return a Deployment of one small container."""
    labels = {"app": name}
    return Deployment(
        metadata=ObjectMeta(name=name),
        spec=DeploymentSpec(
            replicas=replicas,
            selector=LabelSelector(match_labels=labels),
            template=PodTemplateSpec(metadata=ObjectMeta(labels=labels), spec=pod_spec()),
        ),
    )
