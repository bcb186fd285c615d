from typing import Any

import pytest

from kubewright.embedded.controllers.daemonset.placement import fit_of, pod_for
from tests.unit.embedded.controllers.daemonset.objects import daemon_set, node


def affinity(*expressions: dict[str, Any], fields: list[dict[str, Any]] | None = None) -> Any:
    """Return what a pod asks of its node."""
    term = {"matchExpressions": list(expressions), "matchFields": fields or []}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": required}}


def rule(operator: str, *values: str, key: str = "size") -> dict[str, Any]:
    """Return one requirement."""
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("pod", "fits"),
    [
        ({}, True),
        ({"nodeName": "n1"}, True),
        ({"nodeName": "n2"}, False),
        ({"nodeSelector": {"size": "3"}}, True),
        ({"nodeSelector": {"size": "4"}}, False),
        (affinity(rule("In", "3", "4")), True),
        (affinity(rule("NotIn", "3")), False),
        (affinity(rule("Exists")), True),
        (affinity(rule("DoesNotExist")), False),
        (affinity(rule("Gt", "2")), True),
        (affinity(rule("Lt", "2")), False),
        (affinity(rule("Gt", "two")), False),
        (affinity(fields=[rule("In", "n1", key="metadata.name")]), True),
        (affinity(fields=[rule("In", "n2", key="metadata.name")]), False),
        (affinity(), False),
    ],
)
def test_a_node_takes_pods_that_ask_for_what_it_is(pod: dict[str, Any], fits: bool) -> None:
    """By name, by labels and by required affinity."""
    fit = fit_of(daemon_set(pod=pod), node(size="3"))

    assert (fit.runs, fit.stays) == (fits, fits)


@pytest.mark.parametrize(
    ("taint", "tolerations", "runs", "stays"),
    [
        ({"key": "a", "effect": "NoSchedule"}, [], False, True),
        ({"key": "a", "effect": "NoExecute"}, [], False, False),
        ({"key": "a", "effect": "PreferNoSchedule"}, [], True, True),
        ({"key": "a", "effect": "NoExecute"}, [{"operator": "Exists"}], True, True),
        ({"key": "a", "effect": "NoExecute"}, [{"key": "a", "operator": "Exists"}], True, True),
        (
            {"key": "a", "value": "1", "effect": "NoSchedule"},
            [{"key": "a", "value": "1"}],
            True,
            True,
        ),
        ({"key": "a", "value": "1", "effect": "NoSchedule"}, [{"key": "a"}], False, True),
        (
            {"key": "a", "effect": "NoExecute"},
            [{"operator": "Exists", "effect": "NoSchedule"}],
            False,
            False,
        ),
        ({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}, [], True, True),
        ({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, [], True, True),
        (
            {"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"},
            [],
            False,
            True,
        ),
    ],
)
def test_a_taint_keeps_pods_away_that_do_not_tolerate_it(
    taint: dict[str, str], tolerations: list[dict[str, str]], runs: bool, stays: bool
) -> None:
    """Daemons tolerate what is wrong with a node, and what their user says."""
    fit = fit_of(daemon_set(pod={"tolerations": tolerations}), node("n1", taint))

    assert (fit.runs, fit.stays) == (runs, stays)


def test_a_pod_of_the_network_tolerates_that_there_is_none() -> None:
    """It is the one that brings it."""
    taint = {"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}

    assert fit_of(daemon_set(pod={"hostNetwork": True}), node("n1", taint)).runs


def test_a_pod_asks_for_its_node_and_for_nothing_else() -> None:
    """The controller has already looked at what the template asks for."""
    made = pod_for(daemon_set(pod=affinity(rule("Exists"))), "n1", "abc")

    assert made.spec.affinity is not None
    assert made.spec.affinity.node_affinity is not None
    rules = made.spec.affinity.node_affinity.required_during_scheduling_ignored_during_execution
    assert rules is not None
    (term,) = rules.node_selector_terms
    assert (term.match_expressions, term.match_fields[0].values) == ([], ["n1"])
    assert made.metadata.labels["controller-revision-hash"] == "abc"
    assert made.metadata.labels["pod-template-generation"] == "2"
