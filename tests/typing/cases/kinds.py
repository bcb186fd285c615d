"""The built-in kinds: nothing is Any, and only what may be missing is optional."""

from typing import Any, assert_type

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import (
    ConfigMap,
    Container,
    ContainerStatus,
    Pod,
    PodList,
    PodSpec,
    PodTemplateSpec,
    Service,
)


def what_fits(pod: Pod, service: Service, config: ConfigMap, pods: PodList) -> None:
    assert_type(pod.status.phase, str | None)
    assert_type(pod.status.container_statuses, list[ContainerStatus])
    assert_type(pod.spec, PodSpec)
    assert_type(pod.spec.containers[0].image, str | None)
    assert_type(pod.metadata, kw.ObjectMeta)
    assert_type(pod.metadata.labels, dict[str, str])
    assert_type(pod.metadata.namespace, str)
    assert_type(service.spec.cluster_ip, str | None)
    assert_type(config.data, dict[str, str])
    assert_type(pods.items, list[Pod])

    template = PodTemplateSpec(spec=PodSpec(containers=[Container(name="web", image="nginx")]))
    spec = DeploymentSpec(selector=kw.LabelSelector(match_labels={"a": "b"}), template=template)
    assert_type(Deployment(metadata=kw.ObjectMeta(name="web"), spec=spec), Deployment)


def what_does_not(pod: Pod) -> None:
    Container(image="nginx")  # E: Missing named argument "name" for "Container"
    PodSpec(container=[])  # E: Unexpected keyword argument "container" for "PodSpec"
    PodSpec(restartPolicy="Never")  # E: Unexpected keyword argument "restartPolicy" for "PodSpec"
    Pod(spec=DeploymentSpec)  # E: Argument "spec" to "Pod" has incompatible type
    pod.metadata.labels = None  # E: Incompatible types in assignment
    pod.status.phase.lower()  # E: has no attribute "lower"
    _ = pod.spec.replicas  # E: "PodSpec" has no attribute "replicas"
    assert_type(pod.status.phase, str)  # E: Expression is of type "str | None", not "str"
    assert_type(pod.status, Any)  # E: Expression is of type "PodStatus", not "Any"
