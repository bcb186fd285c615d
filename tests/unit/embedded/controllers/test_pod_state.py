from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.cluster import Cluster
from kubewright.embedded.controllers.pod_state import (
    PodStates,
    next_availability,
    pod_states_of,
    seconds_until_available,
    sorted_victims,
)
from kubewright.testing import EmbeddedServer
from tests.unit.embedded.controllers.pods import NOW, entry, state


@pytest.mark.parametrize(
    ("options", "active", "terminating"),
    [
        ({}, True, False),
        ({"phase": "Pending"}, True, False),
        ({"phase": "Succeeded"}, False, False),
        ({"deleting": True}, False, True),
        ({"deleting": True, "phase": "Failed"}, False, False),
    ],
)
def test_a_pod_counts_while_it_runs_and_stays(
    options: dict[str, Any], active: bool, terminating: bool
) -> None:
    """What has ended, or goes, is replaced."""
    pod = state(**options)

    assert (pod.is_active, pod.is_terminating) == (active, terminating)


def test_a_pod_is_available_when_it_was_ready_for_long_enough() -> None:
    """And it is known when that will be."""
    fresh, old, down = state(ready_for=3), state(ready_for=10), state()

    waits = [seconds_until_available(pod, 10, NOW) for pod in (fresh, old, down)]

    assert waits == [7.0, 0.0, None]
    assert next_availability([fresh, old, down], 10, NOW) == 7.0
    assert next_availability([old, down], 10, NOW) is None
    assert fresh.is_available(0, NOW)


def test_the_node_is_known_before_the_pod_is_bound() -> None:
    """A daemon asks for its node by name; until it is bound, that is where it belongs."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}

    pod = state(spec={"affinity": {"nodeAffinity": required}})

    assert (pod.node, pod.bound) == ("n1", False)
    assert (state(node="n2").node, state(node="n2").bound) == ("n2", True)


def test_those_who_do_the_least_go_first() -> None:
    """A smaller set must not lose pods that work while there are others."""
    cost = "controller.kubernetes.io/pod-deletion-cost"
    pods = [
        state("old", node="n", ready_for=10_000, age=10_000),
        state("young", node="n", ready_for=10, age=10_000),
        state("crowded", node="full", ready_for=10_000, age=10_000),
        state("cheap", node="n", ready_for=10_000, annotations={cost: "-1"}),
        state("down", node="n"),
        state("pending", node="n", phase="Pending"),
        state("unbound", phase="Pending"),
    ]

    victims = sorted_victims(pods, crowd={"n": 1, "full": 3, "": 0}.__getitem__, now=NOW)

    order = ["unbound", "pending", "down", "cheap", "crowded", "young", "old"]
    assert [pod.name for pod in victims] == order


def test_restarts_and_age_decide_among_equals() -> None:
    """The more often restarted first, then the younger, by powers of two."""
    pods = [
        state("steady", node="n", age=1000),
        state("new", node="n", age=1),
        state("shaky", node="n", age=1000, restarts=5),
    ]

    victims = sorted_victims(pods, crowd=lambda _: 0, now=NOW)

    assert [pod.name for pod in victims] == ["shaky", "new", "steady"]


@pytest.mark.parametrize("text", ["many", "99999999999", ""])
def test_a_cost_that_is_no_number_is_none(text: str) -> None:
    """A user's mistake must not stop a set from shrinking."""
    cost = "controller.kubernetes.io/pod-deletion-cost"

    assert state(annotations={cost: text}).deletion_cost == 0


async def test_a_version_of_a_pod_is_read_once_and_all_share_it() -> None:
    """A set of hundreds is looked at again whenever one of them changes."""
    async with EmbeddedServer(clock=VirtualClock()) as server, server.client() as client:
        cluster = Cluster(client)
        states = pod_states_of(cluster)
        pod = entry()

        first, again = states.of([pod]), states.of([pod])

        assert first[0] is again[0]
        assert isinstance(states, PodStates)
        assert pod_states_of(cluster) is states
