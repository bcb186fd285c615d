"""resourceVersion: what it promises to clients that compare, resume and replace."""

import pytest

from tests.conformance.bodies import names
from tests.conformance.crds import Things
from tests.conformance.wire import Wire


def test_each_write_gives_a_new_and_greater_version(api: Wire, things: Things) -> None:
    """Versions of one kind are decimal numbers that grow, since 1.35 by promise."""
    made = api.post(things.path, things.body("a")).ok(201)
    patched = api.patch(f"{things.path}/a", {"data": {"k": "v"}}).ok()

    first, second = made["metadata"]["resourceVersion"], patched["metadata"]["resourceVersion"]
    assert int(second) > int(first) > 0


def test_a_write_that_changes_nothing_keeps_the_version(api: Wire, things: Things) -> None:
    """Otherwise two controllers that agree would wake one another for ever."""
    made = api.post(things.path, things.body("a", k="v")).ok(201)

    patched = api.patch(f"{things.path}/a", {"data": {"k": "v"}}).ok()
    replaced = api.put(f"{things.path}/a", patched).ok()

    assert patched["metadata"] == made["metadata"]
    assert replaced["metadata"] == made["metadata"]


def test_a_list_carries_the_version_of_the_whole(api: Wire, things: Things) -> None:
    """It is not less than that of any item, so a watch from there misses nothing."""
    made = api.post(things.path, things.body("a")).ok(201)

    listed = api.get(things.path).ok()

    assert int(listed["metadata"]["resourceVersion"]) >= int(made["metadata"]["resourceVersion"])
    assert (listed["kind"], listed["apiVersion"]) == (f"{things.kind}List", things.api_version)


def test_a_read_not_older_than_a_version_waits_for_it(api: Wire, things: Things) -> None:
    """A client that just wrote asks with its own version, and sees its own write."""
    made = api.post(things.path, things.body("a")).ok(201)
    version = made["metadata"]["resourceVersion"]

    got = api.get(f"{things.path}/a", resourceVersion=version).ok()
    listed = api.get(things.path, resourceVersion=version, resourceVersionMatch="NotOlderThan").ok()

    assert got["metadata"] == made["metadata"]
    assert names(listed) == ["a"]


def test_an_exact_version_lists_the_past(api: Wire, things: Things) -> None:
    """The snapshot of that moment, without what came later."""
    api.post(things.path, things.body("a")).ok(201)
    then = api.get(things.path).ok()["metadata"]["resourceVersion"]
    api.post(things.path, things.body("b")).ok(201)

    past = api.get(things.path, resourceVersion=then, resourceVersionMatch="Exact", limit=10).ok()

    assert names(past) == ["a"]
    assert past["metadata"]["resourceVersion"] == then


def test_any_version_is_served_for_zero(api: Wire, things: Things) -> None:
    """Zero means: whatever the server has at hand, however old."""
    listed = api.get(things.path, resourceVersion="0").ok()

    assert int(listed["metadata"]["resourceVersion"]) > 0


def test_a_version_of_the_future_is_refused(api: Wire, things: Things) -> None:
    """A client of a server that was restored from a backup learns that it is ahead."""
    status = api.get(things.path, resourceVersion=str(2**40)).refused(504, "Timeout")

    assert "Too large resource version: 1099511627776, current: " in status["message"]
    [cause] = status["details"]["causes"]
    assert cause["reason"] == "ResourceVersionTooLarge"
    assert status["details"]["retryAfterSeconds"] == 1


SAYS = 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: '


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            {"resourceVersionMatch": "Exact"},
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            {"resourceVersion": "0", "resourceVersionMatch": "Exact"},
            'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (
            {"resourceVersion": "1", "resourceVersionMatch": "Nearly"},
            'Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""',
        ),
    ],
)
def test_a_match_that_makes_no_sense_is_refused(
    api: Wire, things: Things, query: dict[str, str], said: str
) -> None:
    """The client made a mistake, and the answer says which."""
    status = api.get(things.path, **query).refused(422, "Invalid")

    assert status["message"] == SAYS + said
    assert (status["details"]["group"], status["details"]["kind"]) == ("meta.k8s.io", "ListOptions")


@pytest.mark.parametrize("wrong", ["soon", "-1", "1.5"])
def test_a_version_that_is_no_number_is_refused(api: Wire, things: Things, wrong: str) -> None:
    """Versions are opaque to clients, but the server knows its own."""
    reply = api.get(things.path, resourceVersion=wrong)

    assert reply.status in (400, 500), reply.text  # older servers take the blame
    said = f'resourceVersion: Invalid value: "{wrong}": strconv.ParseUint: parsing "{wrong}"'
    assert said in reply.json()["message"]


def test_a_created_object_must_not_have_a_version(api: Wire, things: Things) -> None:
    """It would be a claim about an object that is not there."""
    body = things.body("a")
    body["metadata"]["resourceVersion"] = "1"

    api.post(things.path, body).refused(500)
