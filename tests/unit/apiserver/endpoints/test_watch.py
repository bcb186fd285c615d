"""Watch: where it begins, what it tells, and how it ends."""

import asyncio

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.storage import watcher as watchers
from tests.unit.apiserver.asking import (
    CRDS,
    FOOS,
    MAPS,
    MERGE,
    TABLE,
    Watch,
    ask,
    define,
    foo,
    make,
    named,
    settled,
    watch,
)

PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


async def test_a_watch_from_nothing_or_zero_begins_with_what_is_there(server: APIServer) -> None:
    """Afterwards it goes on with what happens."""
    await make(server, MAPS, "a")

    for query in ("watch=1", "watch=1&resourceVersion=0"):
        watching = await watch(server, f"{MAPS}?{query}")
        first = await watching.take(1)
        await ask(server, "PATCH", f"{MAPS}/a", {"data": {"k": query}}, media=MERGE)

        assert first == [("ADDED", "a")]
        assert await watching.take(1) == [("MODIFIED", "a")]
        await watching.close()


async def test_a_watch_from_a_version_tells_all_that_came_after(server: APIServer) -> None:
    """Nothing is told twice, and nothing is left out."""
    made = await make(server, MAPS, "a")
    await make(server, MAPS, "b")
    await ask(server, "DELETE", f"{MAPS}/a")

    version = made["metadata"]["resourceVersion"]
    watching = await watch(server, f"{MAPS}?watch=1&resourceVersion={version}")
    await make(server, MAPS, "c")

    assert await watching.take(3) == [("ADDED", "b"), ("DELETED", "a"), ("ADDED", "c")]
    await watching.close()


async def test_a_version_that_is_forgotten_is_told_in_the_stream(server: APIServer) -> None:
    """Clients look there for the 410 that makes them list again."""
    await make(server, MAPS, "a")
    server.store.compact()

    watching = await watch(server, f"{MAPS}?watch=1&resourceVersion=1")

    (event,) = await watching.rest()
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == (
        "ERROR",
        410,
        "Expired",
    )


async def test_a_deletion_carries_the_version_of_the_deletion(server: APIServer) -> None:
    """Who goes on from there sees what came after."""
    await make(server, MAPS, "a")
    watching = await watch(server, f"{MAPS}?watch=1")
    await watching.next()

    await ask(server, "DELETE", f"{MAPS}/a")

    event = await watching.next()
    assert (event["type"], event["object"]["metadata"]["resourceVersion"]) == (
        "DELETED",
        str(server.store.revision),
    )
    await watching.close()


async def test_a_deletion_shows_what_was_stored_last(server: APIServer) -> None:
    """With its finalizer: the update that removed it is never stored, and only answered."""
    await make(server, MAPS, named("a", finalizers=["x.io/y"], labels={"l": "1"}))
    marked = await ask(server, "DELETE", f"{MAPS}/a")
    watching = await watch(server, f"{MAPS}?watch=1&resourceVersion={marked.version}")
    change = {"metadata": {"finalizers": None, "labels": {"l": "2"}}}

    answer = await ask(server, "PATCH", f"{MAPS}/a", change, media=MERGE)
    event = await watching.next()

    shown = event["object"]["metadata"]
    assert (event["type"], shown["finalizers"], shown["labels"]) == (
        *("DELETED", ["x.io/y"], {"l": "1"}),
    )
    assert shown["resourceVersion"] == str(server.store.revision)
    assert answer.version == marked.version
    assert (answer.obj["metadata"].get("finalizers"), answer.obj["metadata"]["labels"]) == (
        *(None, {"l": "2"}),
    )
    await watching.close()


async def test_what_stops_to_match_is_deleted_for_who_selects(server: APIServer) -> None:
    """It is shown as it was when it last matched, and comes back as new."""
    watching = await watch(server, f"{MAPS}?watch=1&labelSelector=on=1")
    await make(server, MAPS, {**named("a", labels={"on": "1"}), "data": {"k": "matched"}})
    await make(server, MAPS, named("never"))
    for on in ("2", "3", "1"):
        change = {"metadata": {"labels": {"on": on}}, "data": {"k": on}}
        await ask(server, "PATCH", f"{MAPS}/a", change, media=MERGE)
    await ask(server, "PATCH", f"{MAPS}/a", {"data": {"k": "x"}}, media=MERGE)
    await ask(server, "DELETE", f"{MAPS}/a")

    events = [await watching.next() for _ in range(5)]

    assert [event["type"] for event in events] == [
        *("ADDED", "DELETED", "ADDED", "MODIFIED", "DELETED")
    ]
    assert [event["object"]["data"]["k"] for event in events] == [
        *("matched", "matched", "1", "x", "x")
    ]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events]
    assert versions == sorted(set(versions))
    await watching.close()


async def test_a_watch_is_about_its_namespace_and_name(server: APIServer) -> None:
    """Namespaces whose names begin alike are kept apart."""
    await make(server, "/api/v1/namespaces", "default2")
    one = await watch(server, "/api/v1/watch/namespaces/default/configmaps/b")
    all_of_it = await watch(server, f"{MAPS}?watch=1&fieldSelector=metadata.name!=a")
    old_path = await watch(server, "/api/v1/watch/namespaces/default/configmaps")

    await make(server, MAPS.replace("default", "default2"), "b")
    await make(server, MAPS, "a")
    await make(server, MAPS, "b")

    assert await one.take(1) == await all_of_it.take(1) == [("ADDED", "b")]
    assert await old_path.take(2) == [("ADDED", "a"), ("ADDED", "b")]
    for watching in (one, all_of_it, old_path):
        await watching.close()


async def test_initial_events_end_with_a_bookmark(server: APIServer) -> None:
    """A client that lists by watching knows then that it has all."""
    await make(server, MAPS, "a")
    options = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

    watching = await watch(server, f"{MAPS}?watch=1&{options}")

    assert await watching.take(1) == [("ADDED", "a")]
    bookmark = await watching.next()
    meta = bookmark["object"]["metadata"]
    assert (bookmark["type"], bookmark["object"]["kind"]) == ("BOOKMARK", "ConfigMap")
    assert meta["resourceVersion"] == str(server.store.revision)
    assert meta["annotations"] == {"k8s.io/initial-events-end": "true"}
    await watching.close()


async def test_a_watch_ends_when_its_time_is_up(server: APIServer, clock: VirtualClock) -> None:
    """Without a time it ends within an hour, so that clients come back."""
    short = await watch(server, f"{MAPS}?watch=1&timeoutSeconds=5&resourceVersion=1")
    long = await watch(server, f"{MAPS}?watch=1")
    ends = [asyncio.ensure_future(one.rest()) for one in (short, long)]

    await settled()
    await clock.advance(6)
    assert [end.done() for end in ends] == [True, False]
    await clock.advance(3600)

    assert [await end for end in ends] == [[], []]


async def test_bookmarks_come_every_minute_and_before_the_end(
    server: APIServer, clock: VirtualClock
) -> None:
    """Only if there is news: even a quiet watch then knows where to go on."""
    path = f"{MAPS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=190"
    events = asyncio.ensure_future((await watch(server, path)).rest())
    told = []

    for _ in range(2):
        await make(server, "/api/v1/namespaces", {"metadata": {"generateName": "n-"}})
        await settled()
        told.append(str(server.store.revision))
        await clock.advance(61)
        await settled()
    await clock.advance(90)

    found = await events
    assert {event["type"] for event in found} == {"BOOKMARK"}
    assert [event["object"]["metadata"]["resourceVersion"] for event in found] == told


async def test_a_bookmark_never_overtakes_an_event(server: APIServer, clock: VirtualClock) -> None:
    """Who goes on from a bookmark would miss what it overtook."""
    watching = await watch(server, f"{MAPS}?watch=1&allowWatchBookmarks=1")
    await make(server, MAPS, "a")
    await watching.next()

    await clock.advance(61)  # due, while the client takes its time
    await make(server, MAPS, "b")

    assert await watching.take(2) == [("ADDED", "b"), ("BOOKMARK", "")]
    await watching.close()


async def test_a_watcher_that_does_not_read_is_cut_off(
    server: APIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are not slowed down, and it holds no memory; its client lists again."""
    monkeypatch.setattr(watchers.Watcher.__init__, "__kwdefaults__", {"limit": 3})
    slow, fast = await watch(server, f"{MAPS}?watch=1"), await watch(server, f"{MAPS}?watch=1")

    for number in range(5):
        await make(server, MAPS, f"m{number}")
        assert await fast.take(1) == [("ADDED", f"m{number}")]

    assert await slow.rest() == []
    await fast.close()


async def test_a_watch_that_nobody_reads_is_let_go(server: APIServer) -> None:
    """A client that leaves before the first event leaves nothing behind."""
    collection = server.store.collection(server.registry.groups[""]["v1"]["configmaps"].storage)
    before = len(collection._watchers)  # a leak shows nowhere else

    unread = await watch(server, f"{MAPS}?watch=1")
    await unread.close()
    reading = await watch(server, f"{MAPS}?watch=1")
    task = asyncio.ensure_future(reading.next())
    await settled()
    task.cancel()
    await asyncio.wait([task])

    assert len(collection._watchers) == before


async def test_a_changed_definition_ends_its_watches(server: APIServer) -> None:
    """Clients watch anew, and see the objects in their new shape."""
    made = await define(server)
    watching = await watch(server, f"{FOOS}?watch=1")
    spec = made["spec"]
    spec["versions"][0]["additionalPrinterColumns"] = [
        {"name": "X", "type": "string", "jsonPath": ".spec.x"}
    ]

    await ask(server, "PATCH", f"{CRDS}/foos.example.com", {"spec": spec}, media=MERGE)

    assert await watching.rest() == []


async def test_a_stopped_server_ends_its_watches(clock: VirtualClock) -> None:
    """Nobody waits for a server that is gone."""
    async with APIServer(clock=clock) as server:
        watching = await watch(server, f"{MAPS}?watch=1")

    assert await watching.rest() == []


async def test_events_come_in_the_form_that_was_asked_for(server: APIServer) -> None:
    """Metadata alone, or tables of which the first says the columns."""
    await make(server, MAPS, named("a"))
    partial = await watch(server, f"{MAPS}?watch=1", accept=PARTIAL)
    table = await watch(server, f"{MAPS}?watch=1", accept=TABLE)

    await make(server, MAPS, {**named("b"), "data": {"k": "v"}})

    first, second = (await partial.next())["object"], (await partial.next())["object"]
    assert {first["kind"], second["kind"]} == {"PartialObjectMetadata"}
    assert "data" not in second
    tables = [(await table.next())["object"] for _ in range(2)]
    assert [one["rows"][0]["cells"][0] for one in tables] == ["a", "b"]
    assert [bool(one["columnDefinitions"]) for one in tables] == [True, False]
    for watching in (partial, table):
        await watching.close()


async def test_a_hundred_watchers_see_the_same_in_the_same_order(server: APIServer) -> None:
    """While the objects are written concurrently."""
    watching: list[Watch] = [await watch(server, f"{MAPS}?watch=1") for _ in range(100)]

    await asyncio.gather(*(make(server, MAPS, f"m{number}") for number in range(20)))
    seen = [await one.take(20) for one in watching]

    assert all(one == seen[0] for one in seen)
    assert {name for _, name in seen[0]} == {f"m{number}" for number in range(20)}
    for one in watching:
        await one.close()


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("resourceVersion=x", 400),
        ("resourceVersion=999999", 504),
        ("resourceVersionMatch=Exact", 422),
        ("sendInitialEvents=true", 422),
        ("timeoutSeconds=x", 400),
        ("labelSelector=a%20in", 400),
        ("fieldSelector=spec.x=1", 400),
    ],
)
async def test_a_watch_that_makes_no_sense_is_refused_at_once(
    server: APIServer, query: str, code: int
) -> None:
    """Before the stream begins."""
    assert (await ask(server, "GET", f"{MAPS}?watch=1&{query}")).status == code


async def test_custom_objects_of_all_versions_share_a_watch(server: APIServer) -> None:
    """Each client sees the version that it asked for."""
    one = (await define(server))["spec"]["versions"][0]
    await ask(
        server,
        "PATCH",
        f"{CRDS}/foos.example.com",
        {"spec": {"versions": [one, {**one, "name": "v2", "storage": False}]}},
        media=MERGE,
    )
    old = await watch(server, f"{FOOS}?watch=1")
    new = await watch(server, f"{FOOS.replace('v1', 'v2')}?watch=1")

    await make(server, FOOS, foo("a", {"x": 1}))

    assert [(await watching.next())["object"]["apiVersion"] for watching in (old, new)] == [
        "example.com/v1",
        "example.com/v2",
    ]
    for watching in (old, new):
        await watching.close()
