"""Deleting many at once."""

import pytest

from tests.conformance.bodies import names, pod
from tests.conformance.crds import Things
from tests.conformance.wire import Wire, with_query


@pytest.fixture(autouse=True)
def _three(api: Wire, things: Things) -> None:
    """Three objects, two of them alike."""
    for name, app in (("a", "x"), ("b", "y"), ("c", "x")):
        api.post(things.path, things.body(name, labels={"app": app})).ok(201)


def test_it_deletes_all_in_the_namespace(api: Wire, things: Things, namespace: str) -> None:
    """And nothing elsewhere."""
    elsewhere = things.path.replace(namespace, "default")
    api.post(elsewhere, things.body(namespace)).ok(201)

    api.delete(things.path).ok(200)

    assert api.get(things.path).ok()["items"] == []
    api.delete(f"{elsewhere}/{namespace}").ok()


def test_it_keeps_to_selectors(api: Wire, things: Things) -> None:
    """Labels and fields."""
    api.delete(with_query(things.path, labelSelector="app=x")).ok(200)
    assert names(api.get(things.path).ok()) == ["b"]

    api.delete(with_query(things.path, fieldSelector="metadata.name=none")).ok(200)
    assert names(api.get(things.path).ok()) == ["b"]


def test_the_answer_is_the_list_of_what_went(api: Wire, things: Things) -> None:
    """As it was before."""
    listed = api.delete(things.path).ok(200)

    assert listed["kind"] == f"{things.kind}List"
    assert names(listed) == ["a", "b", "c"]


def test_finalizers_are_respected(api: Wire, things: Things) -> None:
    """One stays, marked."""
    api.patch(f"{things.path}/a", {"metadata": {"finalizers": ["example.com/a"]}}).ok()

    api.delete(things.path).ok(200)

    [left] = api.get(things.path).ok()["items"]
    assert left["metadata"]["deletionTimestamp"]
    api.patch(f"{things.path}/a", {"metadata": {"finalizers": None}}).ok()


def test_pods_get_their_grace(api: Wire, pods: str) -> None:
    """Many at once are stopped as politely as one."""
    api.post(pods, pod("a", nodeName="n1")).ok(201)

    api.delete(pods, {"gracePeriodSeconds": 9}).ok(200)

    [left] = api.get(pods).ok()["items"]
    assert left["metadata"]["deletionGracePeriodSeconds"] == 9


def test_an_unknown_selector_deletes_nothing(api: Wire, things: Things) -> None:
    """The worst mistake would be to take it for no selector."""
    api.delete(with_query(things.path, fieldSelector="data.k=1")).refused(400, "BadRequest")
    api.delete(with_query(things.path, labelSelector="app in (")).refused(400, "BadRequest")

    assert names(api.get(things.path).ok()) == ["a", "b", "c"]
