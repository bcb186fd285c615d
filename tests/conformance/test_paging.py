"""Lists in pages: limit, continue, and one snapshot for all of them."""

import pytest

from tests.conformance.bodies import names
from tests.conformance.crds import Things
from tests.conformance.wire import OwnServer, Wire


@pytest.fixture(autouse=True)
def _five(api: Wire, things: Things) -> None:
    """Five objects, made in another order than that of their names."""
    for name in ("d", "a", "e", "c", "b"):
        api.post(things.path, things.body(name, labels={"odd": str(name in "ace")})).ok(201)


def test_pages_follow_the_order_of_names(api: Wire, things: Things) -> None:
    """And the last one has no token."""
    first = api.get(things.path, limit=2).ok()
    second = api.get(things.path, limit=2, **{"continue": first["metadata"]["continue"]}).ok()
    third = api.get(things.path, limit=2, **{"continue": second["metadata"]["continue"]}).ok()

    assert [names(page) for page in (first, second, third)] == [["a", "b"], ["c", "d"], ["e"]]
    assert not third["metadata"].get("continue")  # lists of custom resources have an empty one


def test_a_page_tells_how_many_are_left(api: Wire, things: Things) -> None:
    """Kubectl shows progress with it; the last page leaves it out."""
    first = api.get(things.path, limit=2).ok()["metadata"]
    rest = api.get(things.path, limit=9, **{"continue": first["continue"]}).ok()["metadata"]

    assert first["remainingItemCount"] == 3
    assert "remainingItemCount" not in rest


def test_all_pages_are_of_one_moment(api: Wire, things: Things) -> None:
    """What was written in between is in none of them, and what was deleted is still there."""
    first = api.get(things.path, limit=2).ok()["metadata"]
    api.delete(f"{things.path}/c").ok()
    api.post(things.path, things.body("d2")).ok(201)

    rest = api.get(things.path, limit=9, **{"continue": first["continue"]}).ok()

    assert names(rest) == ["c", "d", "e"]
    assert rest["metadata"]["resourceVersion"] == first["resourceVersion"]


def test_a_limit_that_is_not_reached_makes_no_page(api: Wire, things: Things) -> None:
    """Nor does a limit of zero, which means none."""
    wide = api.get(things.path, limit=5).ok()
    zero = api.get(things.path, limit=0).ok()

    assert names(wide) == names(zero) == ["a", "b", "c", "d", "e"]
    assert not wide["metadata"].get("continue")


def test_a_selector_pages_what_it_selects(api: Wire, things: Things) -> None:
    """Pages are full although others lie between; how many are left is then not counted."""
    first = api.get(things.path, limit=2, labelSelector="odd=True").ok()
    token = first["metadata"]["continue"]
    rest = api.get(things.path, limit=2, labelSelector="odd=True", **{"continue": token}).ok()

    assert (names(first), names(rest)) == (["a", "c"], ["e"])
    assert "remainingItemCount" not in first["metadata"]


def test_a_token_that_is_none_is_refused(api: Wire, things: Things) -> None:
    """A client must not make tokens up."""
    status = api.get(things.path, limit=2, **{"continue": "nonsense"}).refused(400, "BadRequest")

    assert "continue key is not valid" in status["message"]


def test_a_token_goes_with_no_version(api: Wire, things: Things) -> None:
    """The token says already which moment it is of."""
    token = api.get(things.path, limit=2).ok()["metadata"]["continue"]

    reply = api.get(things.path, limit=2, resourceVersion="5", **{"continue": token})

    assert (
        "specifying resource version is not allowed when using continue"
        in (reply.refused(400, "BadRequest")["message"])
    )


def test_a_snapshot_that_is_gone_can_be_left_for_a_new_one(
    api: Wire, own_server: OwnServer, things: Things
) -> None:
    """The 410 brings a token with which the client goes on, at the price of consistency."""
    token = api.get(things.path, limit=2).ok()["metadata"]["continue"]
    api.post(things.path, things.body("c2")).ok(201)

    own_server.compact()
    reply = api.get(things.path, limit=9, **{"continue": token})

    if reply.status == 200:  # since 1.34 the server's own cache may still have the snapshot
        assert names(reply.ok()) == ["c", "d", "e"]
        return
    status = reply.refused(410, "Expired")
    fresh = api.get(things.path, limit=9, **{"continue": status["metadata"]["continue"]}).ok()
    assert "The provided continue parameter is too old" in status["message"]
    assert names(fresh) == ["c", "c2", "d", "e"]


def test_all_namespaces_are_ordered_by_namespace_and_name(
    api: Wire, things: Things, namespace: str
) -> None:
    """The same order as in one namespace, with the namespace before it."""
    everywhere = things.path.replace(f"/namespaces/{namespace}", "")
    found = api.get(everywhere).ok()["items"]

    keys = [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in found]
    assert keys == sorted(keys)
    assert [name for where, name in keys if where == namespace] == ["a", "b", "c", "d", "e"]
