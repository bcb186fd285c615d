"""Who gets which priority."""

from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import (
    Attributes,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from kubewright.apiserver.admission.plugins.priority import CLASSES, Priority
from kubewright.apiserver.builtin.scheduling import system_classes
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import ANN, context, pod_write
from tests.unit.apiserver.builtin.workload_samples import Obj, a_pod, created
from tests.unit.apiserver.memory_reader import MemoryReader


def admitted(pod: Obj, reader: MemoryReader | None = None) -> Obj:
    pod = created("", "pods", pod)
    Priority(context(reader)).admit(pod_write(pod))
    return pod


def test_the_priority_of_a_pod_comes_from_its_class() -> None:
    """The number is what the scheduler reads, the name is what people write."""
    reader = MemoryReader()
    for one in system_classes():
        reader.put(CLASSES, one)

    pod = admitted(a_pod(priorityClassName="system-node-critical"), reader)

    assert pod["spec"]["priority"] == 2_000_001_000
    assert admitted(a_pod())["spec"]["priority"] == 0


def test_a_default_class_is_for_pods_that_name_none() -> None:
    """Of two the lower one counts, so that nobody is promoted by accident."""
    reader = MemoryReader()
    for name, value in (("high", 9), ("low", 3)):
        content = {"value": value, "globalDefault": True, "preemptionPolicy": "Never"}
        reader.put(CLASSES, {"metadata": {"name": name}, **content})

    spec = admitted(a_pod(), reader)["spec"]

    assert (spec["priorityClassName"], spec["priority"]) == ("low", 3)
    assert spec["preemptionPolicy"] == "Never"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
        (
            {"priority": 5},
            (
                "the integer value of priority (5) must not be provided in pod spec; priority "
                "admission controller computed 0 from the given PriorityClass name"
            ),
        ),
    ],
)
def test_nobody_makes_up_a_priority(spec: Any, why: str) -> None:
    """It would push other people's pods out."""
    with pytest.raises(StatusError) as caught:
        admitted(a_pod(**spec))

    assert caught.value.code == 403
    assert caught.value.message == f'pods "x" is forbidden: {why}'


def test_an_update_keeps_the_computed_priority() -> None:
    """Clients that do not know the field must not lose it."""
    old = admitted(a_pod())
    new = created("", "pods", a_pod())

    Priority(context()).admit(pod_write(new, "UPDATE", old=old))

    assert new["spec"]["priority"] == 0


def class_write(name: str, operation: Operation = "CREATE") -> Attributes:
    """Return a write of a class that shall be the default."""
    return Attributes(
        operation,
        GroupVersionKind(CLASSES.group, "v1", "PriorityClass"),
        GroupVersionResource(CLASSES.group, "v1", CLASSES.resource),
        ANN,
        object={"metadata": {"name": name}, "globalDefault": True},
    )


def test_there_is_one_default_class() -> None:
    """Two would make the priority of a pod depend on chance; the one may still be changed."""
    reader = MemoryReader()
    reader.put(CLASSES, {"metadata": {"name": "first"}, "globalDefault": True})
    plugin = Priority(context(reader))

    with pytest.raises(StatusError) as caught:
        plugin.validate(class_write("x"))

    assert caught.value.message == (
        'priorityclasses.scheduling.k8s.io "x" is forbidden: PriorityClass first is already marked'
        " as default. Only one default can exist"
    )
    plugin.validate(class_write("first", "UPDATE"))
