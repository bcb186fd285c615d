"""How long pods stay on a node that does not answer."""

import pytest

from kubewright.apiserver.admission.plugins.defaulttolerationseconds import DefaultTolerationSeconds
from tests.unit.apiserver.admission.writes import context, pod_write
from tests.unit.apiserver.builtin.workload_samples import Obj, a_pod, created
from tests.unit.apiserver.memory_reader import MemoryReader


def admitted(pod: Obj, reader: MemoryReader | None = None) -> Obj:
    pod = created("", "pods", pod)
    DefaultTolerationSeconds(context(reader)).admit(pod_write(pod))
    return pod


def test_a_pod_tolerates_a_silent_node_for_five_minutes() -> None:
    """Without it a short break of the network would move every pod."""
    tolerations = admitted(a_pod())["spec"]["tolerations"]

    assert [(one["key"], one["tolerationSeconds"]) for one in tolerations] == [
        ("node.kubernetes.io/not-ready", 300),
        ("node.kubernetes.io/unreachable", 300),
    ]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ([{"operator": "Exists"}], 0),
        ([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}], 1),
        ([{"operator": "Exists", "effect": "NoSchedule"}], 2),
    ],
)
def test_what_is_tolerated_already_is_not_added(given: list[Obj], added: int) -> None:
    """The user's own wait counts."""
    spec = admitted(a_pod(tolerations=given))["spec"]

    assert len(spec["tolerations"]) == len(given) + added


def test_an_update_keeps_them() -> None:
    """A client that does not know the field sends the pod without them."""
    old = admitted(a_pod())
    new = created("", "pods", a_pod())

    DefaultTolerationSeconds(context()).admit(pod_write(new, "UPDATE", old=old))

    assert new["spec"]["tolerations"] == old["spec"]["tolerations"]
