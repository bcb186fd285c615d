"""Graceful deletion: a pod has time to end."""

import pytest

from tests.conformance.bodies import pod
from tests.conformance.crds import Things
from tests.conformance.wire import Wire, with_query


@pytest.fixture
def scheduled(api: Wire, pods: str) -> str:
    """The path of a pod that is on a node, so that somebody has to stop it."""
    api.post(pods, pod("a", nodeName="n1")).ok(201)
    return f"{pods}/a"


def test_a_pod_on_a_node_is_marked(api: Wire, scheduled: str) -> None:
    """The kubelet stops it and deletes it then with a grace of zero."""
    deleted = api.delete(scheduled).ok(200)

    assert deleted["kind"] == "Pod"
    assert deleted["metadata"]["deletionGracePeriodSeconds"] == 30
    assert deleted["metadata"]["deletionTimestamp"] > deleted["metadata"]["creationTimestamp"]
    assert api.get(scheduled).ok()["metadata"]["deletionTimestamp"]


@pytest.mark.parametrize("way", ["query", "body"])
def test_the_grace_can_be_chosen(api: Wire, scheduled: str, way: str) -> None:
    """In the query or in the options, as kubectl does."""
    if way == "query":
        deleted = api.delete(with_query(scheduled, gracePeriodSeconds=5)).ok()
    else:
        deleted = api.delete(scheduled, {"gracePeriodSeconds": 5}).ok()

    assert deleted["metadata"]["deletionGracePeriodSeconds"] == 5


def test_it_can_be_shortened_but_not_prolonged(api: Wire, scheduled: str) -> None:
    """A second delete may only hurry."""
    grace = "deletionGracePeriodSeconds"
    api.delete(scheduled, {"gracePeriodSeconds": 20}).ok()

    shorter = api.delete(scheduled, {"gracePeriodSeconds": 10}).ok()["metadata"][grace]
    longer = api.delete(scheduled, {"gracePeriodSeconds": 60}).ok()["metadata"][grace]

    assert (shorter, longer) == (10, 10)


def test_zero_removes_at_once(api: Wire, scheduled: str) -> None:
    """``kubectl delete --force``; also what the kubelet sends at the end."""
    api.delete(scheduled).ok()

    api.delete(scheduled, {"gracePeriodSeconds": 0}).ok(200)

    api.get(scheduled).refused(404, "NotFound")


def test_a_pod_without_a_node_goes_at_once(api: Wire, pods: str) -> None:
    """Nobody has to stop it."""
    api.post(pods, pod("b")).ok(201)

    api.delete(f"{pods}/b").ok(200)

    api.get(f"{pods}/b").refused(404, "NotFound")


def test_the_grace_of_the_pod_is_the_default(api: Wire, pods: str) -> None:
    """Its spec says how long it needs."""
    api.post(pods, pod("c", nodeName="n1", terminationGracePeriodSeconds=7)).ok(201)

    deleted = api.delete(f"{pods}/c").ok()

    assert deleted["metadata"]["deletionGracePeriodSeconds"] == 7


def test_other_kinds_ignore_it(api: Wire, things: Things) -> None:
    """They have nothing to stop; the answer is a Status that names what went."""
    made = api.post(things.path, things.body("a")).ok(201)

    status = api.delete(f"{things.path}/a", {"gracePeriodSeconds": 30}).ok(200)

    assert status["status"] == "Success"
    assert status["details"] == {
        **things.details("a"),
        "uid": made["metadata"]["uid"],
    }
    api.get(f"{things.path}/a").refused(404, "NotFound")


def test_a_negative_grace_is_at_most_one_second(api: Wire, scheduled: str) -> None:
    """Nobody may mark something for the past."""
    reply = api.delete(scheduled, {"gracePeriodSeconds": -1})

    assert reply.status in (200, 422), reply.text
    if reply.status == 200:
        assert reply.json()["metadata"].get("deletionGracePeriodSeconds", 1) <= 1
