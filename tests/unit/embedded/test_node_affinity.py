import pytest

from kubewright.embedded.node_affinity import (
    fits_node,
    intolerable,
    matches_term,
    preference,
    tolerates,
)
from kubewright.kinds.core.v1 import (
    Affinity,
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    Taint,
    Toleration,
)
from tests.unit.embedded.scheduler.samples import pod

LABELS = {"disk": "ssd", "cores": "8"}


def term(key: str, operator: str, *values: str) -> NodeSelectorTerm:
    one = NodeSelectorRequirement(key=key, operator=operator, values=list(values))
    return NodeSelectorTerm(match_expressions=[one])


@pytest.mark.parametrize(
    ("one", "fits"),
    [
        (term("disk", "In", "ssd", "nvme"), True),
        (term("disk", "In", "hdd"), False),
        (term("disk", "NotIn", "hdd"), True),
        (term("none", "NotIn", "x"), True),
        (term("disk", "Exists"), True),
        (term("none", "Exists"), False),
        (term("none", "DoesNotExist"), True),
        (term("cores", "Gt", "7"), True),
        (term("cores", "Lt", "8"), False),
        (term("disk", "Gt", "1"), False),
        (NodeSelectorTerm(), False),
    ],
)
def test_a_term_fits_a_node_by_its_labels(one: NodeSelectorTerm, fits: bool) -> None:
    """Each operator in its way."""
    assert matches_term(one, "n1", LABELS) is fits


def test_a_term_can_name_a_node() -> None:
    """As the pods of a DaemonSet do."""
    name = NodeSelectorRequirement(key="metadata.name", operator="In", values=["n1"])
    one = NodeSelectorTerm(match_fields=[name])

    assert matches_term(one, "n1", {})
    assert not matches_term(one, "n2", {})


def test_one_of_the_terms_and_the_whole_selector_must_fit() -> None:
    """Terms are alternatives."""
    terms = [term("disk", "In", "hdd"), term("cores", "Exists")]
    required = NodeSelector(node_selector_terms=terms)
    rule = NodeAffinity(required_during_scheduling_ignored_during_execution=required)
    one = pod("a", node_selector={"disk": "ssd"}, affinity=Affinity(node_affinity=rule))

    assert fits_node(one.spec, "n1", LABELS)
    assert not fits_node(one.spec, "n1", {"cores": "8"})
    assert not fits_node(one.spec, "n1", {"disk": "ssd"})


def test_wishes_add_up() -> None:
    """Their weights, of those that are fulfilled."""
    wishes = [
        PreferredSchedulingTerm(weight=10, preference=term("disk", "In", "ssd")),
        PreferredSchedulingTerm(weight=5, preference=term("cores", "Exists")),
        PreferredSchedulingTerm(weight=50, preference=term("gpu", "Exists")),
    ]
    rule = NodeAffinity(preferred_during_scheduling_ignored_during_execution=wishes)

    one = pod("a", affinity=Affinity(node_affinity=rule))

    assert preference(one.spec, "n1", LABELS) == 15


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        (Toleration(operator="Exists"), True),
        (Toleration(key="gpu", operator="Exists"), True),
        (Toleration(key="gpu", value="a"), True),
        (Toleration(key="gpu", operator="Equal", value="b"), False),
        (Toleration(key="other", operator="Exists"), False),
        (Toleration(key="gpu", operator="Exists", effect="NoExecute"), False),
        (Toleration(value="a"), False),
    ],
)
def test_a_toleration_is_for_a_key_a_value_and_an_effect(
    toleration: Toleration, fits: bool
) -> None:
    """What it leaves out is whatever it is."""
    taint = Taint(key="gpu", value="a", effect="NoSchedule")

    assert tolerates(toleration, taint) is fits
    assert bool(intolerable([taint], [toleration], ["NoSchedule"])) is not fits
    assert intolerable([taint], [], ["NoExecute"]) == []
