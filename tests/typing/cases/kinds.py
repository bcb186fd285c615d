"""The built-in kinds: nothing is Any, and only what may be missing is optional."""

from typing import Any, assert_type

import kubewright as kw
from kubewright.api import is_condition_false, remove_condition
from kubewright.kinds.apps.v1 import Deployment, DeploymentCondition, DeploymentSpec
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


def conditions(deployment: Deployment, mine: list[kw.Condition]) -> None:
    theirs = deployment.status.conditions
    assert_type(kw.is_condition_true(theirs, "Available"), bool)
    assert_type(is_condition_false(mine, "Ready"), bool)
    assert_type(kw.find_condition(theirs, "Available"), DeploymentCondition | None)
    assert_type(kw.find_condition(mine, "Ready"), kw.Condition | None)
    assert_type(remove_condition(theirs, "Available"), list[DeploymentCondition])


def conditions_wrongly(deployment: Deployment, pod: Pod) -> None:
    kw.is_condition_true(deployment.status, "Available")  # E: Argument 1 to "is_condition_true"
    kw.find_condition(pod.spec.containers, "Ready")  # E: Value of type variable "T"
    theirs = deployment.status.conditions
    kw.set_condition(theirs, theirs[0])  # E: Missing named argument # E: incompatible type
