"""What a watch promises on the wire, event by event."""

from itertools import islice
from typing import Any

import pytest

from tests.conformance.crds import Things, things_in
from tests.conformance.wire import OwnServer, Wire, with_query


def seen(event: dict[str, Any]) -> tuple[str, str]:
    """Return the type of an event and the name of its object."""
    return event["type"], event["object"]["metadata"]["name"]


def version_of(api: Wire, things: Things) -> str:
    """Return the version of the collection now."""
    found: str = api.get(things.path).ok()["metadata"]["resourceVersion"]
    return found


def test_from_a_version_come_the_changes_after_it(api: Wire, things: Things) -> None:
    """In order, none left out, with the object as it was after each."""
    api.post(things.path, things.body("before")).ok(201)
    version = version_of(api, things)
    api.post(things.path, things.body("a")).ok(201)
    api.patch(f"{things.path}/a", {"data": {"k": "v"}}).ok()
    api.delete(f"{things.path}/a").ok()

    with api.watch(things.path, resourceVersion=version) as events:
        got = list(islice(events, 3))

    assert [seen(event) for event in got] == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in got]
    assert versions == sorted(set(versions))
    assert versions[0] > int(version)
    assert got[0]["object"].get("data") in (None, {})
    assert got[2]["object"]["data"] == {"k": "v"}


def test_an_event_names_kind_and_version(api: Wire, things: Things) -> None:
    """Each line stands for itself, other than the items of a list."""
    api.post(things.path, things.body("a")).ok(201)

    with api.watch(things.path, resourceVersion="0") as events:
        found = next(events)["object"]

    assert (found["kind"], found["apiVersion"]) == (things.kind, things.api_version)


@pytest.mark.parametrize("version", [None, "0"])
def test_without_a_version_it_begins_with_what_exists(
    api: Wire, things: Things, version: str | None
) -> None:
    """As ADDED, in whatever order; then come the changes."""
    for name in ("a", "b"):
        api.post(things.path, things.body(name)).ok(201)

    with api.watch(things.path, resourceVersion=version) as events:
        initial = [seen(next(events)), seen(next(events))]
        api.delete(f"{things.path}/a").ok()
        change = seen(next(events))

    assert sorted(initial) == [("ADDED", "a"), ("ADDED", "b")]
    assert change == ("DELETED", "a")


def test_a_selector_turns_changes_into_arrivals_and_departures(api: Wire, things: Things) -> None:
    """An object that stops matching is DELETED for this watcher, and carries its last match."""
    api.post(things.path, things.body("a", labels={"app": "x"})).ok(201)
    version = version_of(api, things)

    with api.watch(things.path, resourceVersion=version, labelSelector="app=x") as events:
        api.patch(f"{things.path}/a", {"metadata": {"labels": {"app": "y"}}}).ok()
        left = next(events)
        api.patch(f"{things.path}/a", {"data": {"k": "unseen"}}).ok()
        api.patch(f"{things.path}/a", {"metadata": {"labels": {"app": "x"}}}).ok()
        came = next(events)

    assert seen(left) == ("DELETED", "a")
    assert left["object"]["metadata"]["labels"] == {"app": "x"}
    assert int(left["object"]["metadata"]["resourceVersion"]) > int(version)
    assert seen(came) == ("ADDED", "a")


def test_a_field_selector_watches_one_object(api: Wire, things: Things) -> None:
    """``kubectl wait`` and ``kubectl get NAME -w`` do this."""
    version = version_of(api, things)

    with api.watch(things.path, resourceVersion=version, fieldSelector="metadata.name=b") as events:
        for name in ("a", "b"):
            api.post(things.path, things.body(name)).ok(201)
        first = seen(next(events))

    assert first == ("ADDED", "b")


def test_it_ends_after_the_time_that_was_asked_for(api: Wire, things: Things) -> None:
    """Cleanly, with an empty body if nothing happened."""
    version = version_of(api, things)

    reply = api.get(things.path, watch="true", resourceVersion=version, timeoutSeconds=1)

    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["Content-Type"] == "application/json"


@pytest.mark.since("1.30", reason="older servers send none in so short a watch")
def test_bookmarks_come_before_the_end_if_asked_for(api: Wire, things: Things) -> None:
    """They carry a version and nothing else, so that a quiet watch does not grow too old."""
    api.post(things.path, things.body("a")).ok(201)

    with api.watch(
        things.path, resourceVersion="0", allowWatchBookmarks="true", timeoutSeconds=3
    ) as events:
        kinds = [(event["type"], event["object"]["kind"]) for event in events]

    assert kinds[0] == ("ADDED", things.kind)
    assert set(kinds[1:]) <= {("BOOKMARK", things.kind)}
    assert len(kinds) > 1


def test_a_watch_of_the_old_form_works(api: Wire, things: Things, namespace: str) -> None:
    """The path with /watch/ in it is deprecated but served, for built-in kinds."""
    if things.group:
        pytest.skip("custom resources are younger than this form")
    api.post(things.path, things.body("a")).ok(201)

    with api.watch(f"/api/v1/watch/namespaces/{namespace}/configmaps") as events:
        assert seen(next(events)) == ("ADDED", "a")


@pytest.mark.crd
def test_a_version_that_is_gone_is_told_by_an_event(
    api: Wire, own_server: OwnServer, namespace: str
) -> None:
    """A Status with 410 in an event, after which the client lists again."""
    # Not a built-in kind: a real server remembers more of those than etcd does.
    things = things_in(api, namespace, custom=True)
    api.post(things.path, things.body("a")).ok(201)
    own_server.compact()

    with api.watch(things.path, resourceVersion="1", timeoutSeconds=5) as events:
        event = next(events)

    assert event["type"] == "ERROR"
    status = event["object"]
    assert (status["kind"], status["apiVersion"], status["code"]) == ("Status", "v1", 410)
    assert status["reason"] == "Expired"
    assert status["message"].startswith("too old resource version: 1 (")


@pytest.mark.parametrize("version", ["soon", "-1"])
def test_a_version_that_is_none_is_refused(api: Wire, things: Things, version: str) -> None:
    """Before any event."""
    reply = api.get(things.path, watch="true", resourceVersion=version, timeoutSeconds=1)

    said = f'resourceVersion: Invalid value: "{version}": strconv.ParseUint: parsing "{version}"'
    assert reply.status in (400, 500), reply.text  # servers up to 1.36 at least take the blame
    assert said in reply.json()["message"]


@pytest.mark.since("1.34", reason="streaming lists")
class TestStreamingList:
    """sendInitialEvents: a list that comes as a watch."""

    ASK = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
    }

    @pytest.mark.parametrize("version", [None, "0", "now"])
    def test_the_state_ends_with_a_bookmark(
        self, api: Wire, things: Things, version: str | None
    ) -> None:
        """The bookmark says so in an annotation; changes follow."""
        for name in ("a", "b"):
            api.post(things.path, things.body(name)).ok(201)
        if version == "now":
            version = version_of(api, things)

        with api.watch(things.path, resourceVersion=version, **self.ASK) as events:
            initial = [seen(next(events)), seen(next(events))]
            bookmark = next(events)
            api.delete(f"{things.path}/a").ok()
            change = seen(next(events))

        assert sorted(initial) == [("ADDED", "a"), ("ADDED", "b")]
        assert bookmark["type"] == "BOOKMARK"
        assert bookmark["object"]["kind"] == things.kind
        assert int(bookmark["object"]["metadata"]["resourceVersion"]) > 0
        assert bookmark["object"]["metadata"]["annotations"] == {
            "k8s.io/initial-events-end": "true"
        }
        assert change == ("DELETED", "a")

    def test_an_empty_collection_is_a_bookmark_at_once(self, api: Wire, things: Things) -> None:
        """A cache of nothing is synced too."""
        with api.watch(things.path, **self.ASK) as events:
            assert next(events)["type"] == "BOOKMARK"

    def test_it_keeps_to_the_selector(self, api: Wire, things: Things) -> None:
        """What does not match is not sent."""
        api.post(things.path, things.body("a", labels={"app": "x"})).ok(201)
        api.post(things.path, things.body("b")).ok(201)

        with api.watch(things.path, labelSelector="app=x", **self.ASK) as events:
            got = [next(events)["type"], next(events)["type"]]

        assert got == ["ADDED", "BOOKMARK"]

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            (
                {"sendInitialEvents": "true"},
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ),
            (
                {"sendInitialEvents": "true", "resourceVersionMatch": "Exact"},
                'Unsupported value: "Exact": supported values: "NotOlderThan"',
            ),
            (
                {"resourceVersionMatch": "NotOlderThan"},
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ),
        ],
    )
    def test_half_a_request_is_refused(
        self, api: Wire, things: Things, query: dict[str, str], said: str
    ) -> None:
        """The two parameters come together or not at all."""
        reply = api.ask("GET", with_query(things.path, watch="true", timeoutSeconds=1, **query))

        assert said in reply.refused(422, "Invalid")["message"]

    def test_false_skips_the_state(self, api: Wire, things: Things) -> None:
        """From now on, without what exists."""
        api.post(things.path, things.body("a")).ok(201)
        ask = {**self.ASK, "sendInitialEvents": "false"}

        with api.watch(things.path, **ask) as events:
            api.post(things.path, things.body("b")).ok(201)
            got = next(event for event in events if event["type"] != "BOOKMARK")

        assert seen(got) == ("ADDED", "b")
