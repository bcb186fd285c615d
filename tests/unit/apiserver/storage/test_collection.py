"""A collection: its order, its past, its watchers."""

import random

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.storage import collection as collections
from kubewright.apiserver.storage.collection import Collection, key_of
from kubewright.apiserver.storage.event import Event, EventType, Stored


def happen(
    collection: Collection, kind: EventType, key: str, revision: int, *, time: float = 0
) -> Event:
    previous = collection.find(key)
    event = Event(kind, Stored(key, f"{key}@{revision}".encode(), revision), previous, time)
    collection.record(event)
    return event


def keys(collection: Collection, namespace: str = "") -> list[str]:
    return [stored.key for stored in collection.list(namespace)]


def test_objects_are_in_order_and_apart_by_namespace() -> None:
    """Namespaces that begin alike do not mix."""
    collection = Collection()

    for revision, key in enumerate(("b/x", "a/z", "a0/y", "a-b/y", "a/b", "single"), start=1):
        happen(collection, "ADDED", key, revision)

    assert keys(collection) == ["a-b/y", "a/b", "a/z", "a0/y", "b/x", "single"]
    assert keys(collection, "a") == ["a/b", "a/z"]
    assert keys(collection, "none") == []
    assert (key_of("a", "b"), key_of("", "b")) == ("a/b", "b")


def test_any_moment_of_the_past_can_be_listed() -> None:
    """After five hundred random changes, each moment is as it was."""
    chance = random.Random(7)
    collection, moments = Collection(), {0: [b""]}
    moments[0] = []

    for revision in range(1, 500):
        key = f"n{chance.randrange(3)}/o{chance.randrange(20)}"
        there = collection.find(key) is not None
        kind: EventType = "ADDED"
        if there:
            kind = "DELETED" if chance.random() < 0.4 else "MODIFIED"
        happen(collection, kind, key, revision)
        moments[revision] = [stored.data for stored in collection.list()]

    for revision, want in moments.items():
        assert [stored.data for stored in collection.list_at(revision)] == want
    in_one = [data for data in moments[250] if data.startswith(b"n1/")]
    assert [stored.data for stored in collection.list_at(250, "n1")] == in_one


def test_what_is_forgotten_is_refused() -> None:
    """By lists and by watches, while the latest state is always known."""
    collection = Collection()
    for revision in range(1, 6):
        happen(collection, "ADDED", f"o{revision}", revision, time=float(revision))

    collection.list_at(2)
    collection.forget_before(4.0)

    for revision in (0, 2):
        with pytest.raises(StatusError, match="too old"):
            collection.list_at(revision)
        with pytest.raises(StatusError, match="too old"):
            collection.watch(since=revision)
    assert len(collection.list_at(3)) == 3
    assert [event.revision for event in collection.watch(since=3)[1]] == [4, 5]
    assert len(collection.list_at(5)) == len(collection) == 5


def test_the_past_takes_only_so_much_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest goes first."""
    monkeypatch.setattr(collections, "HISTORY_BYTES", 2000)
    collection = Collection()

    for revision in range(1, 100):
        happen(collection, "ADDED", f"o{revision}", revision)

    assert 90 < collection.compacted < 99
    assert len(collection) == 99


async def test_a_watcher_gets_what_comes_until_it_is_closed() -> None:
    """And what it has missed since the version that it knows."""
    collection = Collection()
    for revision in (1, 2):
        happen(collection, "ADDED", f"o{revision}", revision)

    watcher, missed = collection.watch(since=1)
    happen(collection, "DELETED", "o1", 3)
    seen = [event.revision for event in watcher.take()]
    collection.unwatch(watcher)
    happen(collection, "ADDED", "o4", 4)

    assert ([event.revision for event in missed], seen) == ([2], [3])
    assert (watcher.ended, watcher.take()) == (True, [])


def test_loaded_objects_have_no_past() -> None:
    """What a journal kept is there, as of its latest revision."""
    collection = Collection(compacted=9)

    collection.load([Stored("b", b"2", 4), Stored("a", b"1", 7)])

    assert (keys(collection), collection.revision) == (["a", "b"], 7)
    with pytest.raises(StatusError):
        collection.watch(since=8)
