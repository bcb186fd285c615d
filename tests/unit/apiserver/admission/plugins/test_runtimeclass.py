"""What a RuntimeClass does to pods."""

from typing import Any

import pytest

from kubewright.apiserver.admission.plugins.runtimeclass import CLASSES, RuntimeClass
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import context, pod_write
from tests.unit.apiserver.builtin.workload_samples import Obj, a_pod, created
from tests.unit.apiserver.memory_reader import MemoryReader

CLASS = {
    "metadata": {"name": "sandbox"},
    "handler": "gvisor",
    "overhead": {"podFixed": {"memory": "64Mi"}},
    "scheduling": {
        "nodeSelector": {"sandbox": "yes"},
        "tolerations": [{"key": "sandbox", "operator": "Exists"}],
    },
}


def admitted(**spec: Any) -> Obj:
    reader = MemoryReader()
    reader.put(CLASSES, CLASS)
    pod = created("", "pods", a_pod(**spec))
    RuntimeClass(context(reader)).admit(pod_write(pod))
    found: Obj = pod["spec"]
    return found


def test_a_pod_gets_the_overhead_and_the_place_of_its_class() -> None:
    """Its author need not know how the sandbox works."""
    spec = admitted(runtimeClassName="sandbox", nodeSelector={"zone": "a"})

    assert spec["overhead"] == {"memory": "64Mi"}
    assert spec["nodeSelector"] == {"zone": "a", "sandbox": "yes"}
    assert {"key": "sandbox", "operator": "Exists"} in spec["tolerations"]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found'),
        (
            {"runtimeClassName": "sandbox", "overhead": {"memory": "1Mi"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"overhead": {"memory": "1Mi"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            {"runtimeClassName": "sandbox", "nodeSelector": {"sandbox": "no"}},
            (
                "conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes;"
                " pod.spec.nodeSelector[sandbox] = no"
            ),
        ),
    ],
)
def test_a_pod_that_contradicts_its_class_is_refused(spec: Any, why: str) -> None:
    """It would not fit, or not run, where it is sent."""
    with pytest.raises(StatusError) as caught:
        admitted(**spec)

    assert caught.value.code == 403
    assert caught.value.message == f'pods "x" is forbidden: {why}'
