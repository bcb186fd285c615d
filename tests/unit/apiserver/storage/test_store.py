"""The store: one counter, changes in one step, and a past that can be asked for."""

from typing import Any

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.storage import Event, Store
from kubewright.apiserver.storage.store import HISTORY_SECONDS

PODS = GroupResource("", "pods")
MAPS = GroupResource("", "configmaps")


def made(name: str, namespace: str = "default", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        **more,
    }


def names(store: Store, namespace: str = "") -> list[str]:
    return [stored.key for stored in store.collection(PODS).list(namespace)]


def test_every_change_of_any_resource_gets_the_next_revision() -> None:
    """Clients compare versions across kinds only because there is one counter."""
    store = Store()

    first = store.put(PODS, made("a"))
    second = store.put(MAPS, made("a"))
    third = store.remove(PODS, made("a"))

    assert (second.revision, third.revision) == (first.revision + 1, first.revision + 2)
    assert second.decode()["metadata"]["resourceVersion"] == str(second.revision)


def test_objects_are_listed_in_the_order_of_their_keys() -> None:
    """Keys are sorted as a whole, as in etcd: so the namespace a-b comes before a."""
    store = Store()

    for namespace, name in (("b", "x"), ("a", "z"), ("a-b", "y"), ("a", "b")):
        store.put(PODS, made(name, namespace))

    assert names(store) == ["a-b/y", "a/b", "a/z", "b/x"]
    assert names(store, "a") == ["a/b", "a/z"]


def test_reads_give_private_copies() -> None:
    """Who changes what was read must not change what is stored."""
    store = Store()
    store.put(PODS, made("a", labels={}))

    found = store.find_object(PODS, "default", "a")
    assert found is not None
    found["metadata"]["name"] = "damaged"

    again = store.find_object(PODS, "default", "a")
    assert again is not None
    assert again["metadata"]["name"] == "a"


def test_a_list_at_an_old_revision_shows_the_world_as_it_was() -> None:
    """Pages of one list must fit together whatever happens between them."""
    store = Store()
    store.put(PODS, made("a", n=1))
    at = store.put(PODS, made("b")).revision

    store.put(PODS, made("a", n=2))
    store.remove(PODS, made("b"))
    store.put(PODS, made("c"))
    before = store.collection(PODS).list_at(at)

    assert [stored.key for stored in before] == ["default/a", "default/b"]
    assert before[0].decode()["n"] == 1


def test_a_compacted_revision_is_refused_with_410() -> None:
    """A list that pretended to be from then would be a lie."""
    store = Store()
    at = store.put(PODS, made("a")).revision
    store.put(PODS, made("b"))

    store.compact()

    for ask in (
        lambda: store.collection(PODS).list_at(at),
        lambda: store.collection(PODS).watch(since=at),
    ):
        with pytest.raises(StatusError) as caught:
            ask()
        assert caught.value.code == 410


def test_a_watch_from_a_revision_misses_nothing_after_it() -> None:
    """What happened between a list and its watch must arrive."""
    store = Store()
    at = store.put(PODS, made("a")).revision
    store.put(PODS, made("a", n=2))
    store.remove(PODS, made("a"))

    _, missed = store.collection(PODS).watch(since=at)

    assert [event.type for event in missed] == ["MODIFIED", "DELETED"]


async def test_events_older_than_the_history_are_forgotten() -> None:
    """The past costs memory; etcd keeps five minutes."""
    clock = VirtualClock()
    store = Store(clock=clock)
    at = store.put(PODS, made("a")).revision
    store.put(PODS, made("b"))

    await clock.advance(HISTORY_SECONDS + 1)
    store.put(PODS, made("c"))

    with pytest.raises(StatusError):
        store.collection(PODS).watch(since=at)


def test_a_deleted_object_is_seen_with_the_revision_of_its_deletion() -> None:
    """A watch that resumes from a DELETED event must not see it again."""
    store = Store()
    store.put(PODS, made("a"))
    heard: list[Event] = []
    store.listen(lambda _, event: heard.append(event))

    gone = store.remove(PODS, made("a"))

    assert heard[0].type == "DELETED"
    assert gone.decode()["metadata"]["resourceVersion"] == str(store.revision)


class FullDisk:
    """A journal that cannot write."""

    def load(self) -> tuple[int, list[Any]]:
        return 7, []

    def put(self, resource: GroupResource, stored: Any) -> None:
        raise OSError("no space left on device")

    def remove(self, resource: GroupResource, key: str, revision: int) -> None:
        raise OSError("no space left on device")

    def close(self) -> None: ...


def test_what_the_journal_could_not_keep_did_not_happen() -> None:
    """A write that is refused must not be seen by anybody."""
    store = Store(journal=FullDisk())

    with pytest.raises(OSError, match="space"):
        store.put(PODS, made("a"))

    assert store.revision == 7
    assert names(store) == []
