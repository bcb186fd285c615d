"""Own writes: what the answer to one says, and that cached reads see it at once."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta, OwnerReference
from kubewright.api.requests import Request
from kubewright.cache.own_writes import own_write
from kubewright.client.transport import Response
from kubewright.errors import Attempt, CacheNotSyncedError, DecodeError
from kubewright.kinds.core.v1 import ConfigMap, Container, Namespace, Pod, PodSpec, Service
from kubewright.kinds.policy.v1 import Eviction
from tests.unit.cluster.clusters import Lab, lab

META = {"name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7"}


def answered(verb: str, body: Any, *, subresource: str = "", sent: bytes = b"") -> Any:
    attempt = Attempt(verb, "pods", "", subresource, "shop", "web")
    request = Request("POST", "/api/v1/namespaces/shop/pods/web", attempt, body=sent)
    return own_write(request, Response(200, (), json.dumps(body).encode()))


def document(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**META, **metadata}}


@pytest.mark.parametrize("verb", ["create", "update", "patch"])
def test_an_object_in_the_answer_is_how_it_is_now(verb: str) -> None:
    """It is what the server stored, defaults and all."""
    write = answered(verb, document(labels={"app": "web"}))

    assert write.key == ObjectKey("shop", "web")
    assert (write.uid, write.resource_version, write.labels) == ("u1", "7", {"app": "web"})
    assert not write.gone
    assert json.loads(write.raw) == document(labels={"app": "web"})


def test_a_status_after_a_deletion_means_gone() -> None:
    """Most kinds are answered so."""
    status = {"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Success"}

    named = answered("delete", {**status, "details": {"name": "web", "uid": "u1"}})
    unnamed = answered("delete", status)

    assert (named.gone, named.uid, named.key) == (True, "u1", ObjectKey("shop", "web"))
    assert (unnamed.gone, unnamed.uid) == (True, "")


def test_an_object_after_a_deletion_is_gone_unless_something_holds_it() -> None:
    """Pods and services are answered with the object, whether it waits or not."""
    now = "2026-01-01T00:00:00Z"

    assert answered("delete", document()).gone
    assert answered("delete", document(deletionTimestamp=now, deletionGracePeriodSeconds=0)).gone
    assert not answered(
        "delete", document(deletionTimestamp=now, deletionGracePeriodSeconds=30)
    ).gone
    assert not answered("delete", document(deletionTimestamp=now, finalizers=["a/b"])).gone


def test_a_deletion_that_cuts_the_grace_short_means_gone() -> None:
    """The answer shows the grace that the pod had before, as if it still had it."""
    going = document(deletionTimestamp="2026-01-01T00:00:00Z", deletionGracePeriodSeconds=30)
    held = document(**going["metadata"], finalizers=["a/b"])

    assert answered("delete", going, sent=b'{"gracePeriodSeconds":0}').gone
    assert not answered("delete", going, sent=b'{"gracePeriodSeconds":5}').gone
    assert not answered("delete", held, sent=b'{"gracePeriodSeconds":0}').gone


def test_taking_the_last_finalizer_from_a_deleted_object_removes_it() -> None:
    """The answer still shows the object; nobody will find it any more."""
    now = "2026-01-01T00:00:00Z"

    assert answered("patch", document(deletionTimestamp=now, deletionGracePeriodSeconds=0)).gone
    assert not answered("patch", document(deletionTimestamp=now, finalizers=["other/one"])).gone
    assert not answered(
        "patch", document(deletionTimestamp=now, deletionGracePeriodSeconds=30)
    ).gone


def test_a_namespace_is_held_by_its_spec() -> None:
    """It is there, terminating, until the last of its objects is gone."""
    meta = {"name": "shop", "uid": "u1", "resourceVersion": "7", "deletionTimestamp": "now"}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}

    assert not answered("delete", {**body, "spec": {"finalizers": ["kubernetes"]}}).gone
    assert answered("update", {**body, "spec": {}}, subresource="finalize").gone


@pytest.mark.parametrize(
    ("verb", "body", "subresource"),
    [
        ("create", {"apiVersion": "v1", "kind": "Status", "status": "Success"}, "binding"),
        ("create", {"apiVersion": "v1", "kind": "Status", "status": "Success"}, "eviction"),
        ("create", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}, "token"),
        ("deletecollection", {"apiVersion": "v1", "kind": "PodList", "items": []}, ""),
        ("deletecollection", {"apiVersion": "v1", "kind": "Status"}, ""),
    ],
)
def test_other_answers_say_nothing_about_the_object(
    verb: str, body: dict[str, Any], subresource: str
) -> None:
    """An eviction that was accepted is no deletion yet."""
    assert answered(verb, body, subresource=subresource) is None


def test_an_answer_that_is_no_object_is_an_error() -> None:
    """It is logged where the observer is called."""
    with pytest.raises(DecodeError):
        answered("update", ["no", "object"])


# --- What readers see, whatever the watch does meanwhile ---


def config_map(name: str = "a", **data: str) -> ConfigMap:
    meta = ObjectMeta(name=name, namespace="default", labels={"app": "web"})
    return ConfigMap(metadata=meta, data=data)


def pod(name: str = "p") -> Pod:
    return Pod(
        metadata=ObjectMeta(name=name, namespace="default"),
        spec=PodSpec(node_name="n", containers=[Container(name="c", image="i")]),
    )


@pytest.fixture(params=["held", "cut"])
async def late(request: pytest.FixtureRequest) -> AsyncIterator[Lab]:
    """A cluster with an object that its watch has shown; from here on, the watch shows nothing."""
    async with lab() as made:
        indexes = {"size": lambda one: [one.data.get("size", "")]}
        made.cluster.cache.informer(ConfigMap, indexes=indexes)
        made.cluster.cache.informer(Pod)
        made.cluster.cache.informer(Namespace)
        await made.other.create(config_map("known", size="0"))
        await made.other.create(pod("known"))
        await made.start()
        getattr(made.transport, "hold" if request.param == "held" else "cut")()
        yield made


async def caught_up(made: Lab) -> None:
    """Let the watch bring everything, and make sure that nothing of ours is left on top of it."""
    made.transport.release()
    await made.clock.advance(120)
    for informer in made.cluster.cache:
        stored = {(entry.key, entry.resource_version) for entry in informer.store.list_entries()}
        mapping = informer.selection.mapping
        real = await made.other.list(mapping)
        assert stored == {(one.key, one["metadata"]["resourceVersion"]) for one in real}
        assert len(informer.store._written.pending) == 0


async def read(made: Lab, name: str = "known") -> ConfigMap | None:
    """Read through the client, and make sure that it was from the cache and that all ways agree."""
    before = made.transport.reads
    found = await made.cluster.client.find(ConfigMap, name)
    listed = {one.metadata.name: one for one in await made.cluster.client.list(ConfigMap)}
    assert made.transport.reads == before
    assert listed.get(name) == found
    assert made.cluster.cache.find(ConfigMap, name) == found
    return found


async def test_what_was_created_is_there(late: Lab) -> None:
    """A reconciler that creates a child and reads it must not create it twice."""
    made = await late.cluster.client.create(config_map(size="1"))

    seen = await read(late, "a")
    assert seen is not None
    assert (seen.metadata.uid, seen.data) == (made.metadata.uid, {"size": "1"})
    await caught_up(late)


async def test_what_was_updated_is_new(late: Lab) -> None:
    """A second update on the old version would be a conflict with oneself."""
    client = late.cluster.client
    found = await client.get(ConfigMap, "known")
    found.data["size"] = "1"

    await client.update(found)
    again = await client.get(ConfigMap, "known")
    again.data["size"] = "2"
    await client.update(again)

    seen = await read(late)
    assert seen is not None
    assert seen.data == {"size": "2"}
    await caught_up(late)


@pytest.mark.parametrize("patch_type", ["merge", "strategic"])
async def test_what_was_patched_is_new(late: Lab, patch_type: Any) -> None:
    """Whatever kind of patch it was: the answer is the object."""
    patch = {"data": {"size": "1"}}

    await late.cluster.client.patch(ConfigMap, "known", patch, patch_type=patch_type)

    seen = await read(late)
    assert seen is not None
    assert seen.data == {"size": "1"}
    await caught_up(late)


async def test_what_was_applied_is_new(late: Lab) -> None:
    """Apply creates and changes."""
    client = late.cluster.client

    await client.apply(config_map("applied", size="1"))
    await client.apply(config_map("applied", size="2"))
    await client.apply(config_map("known", size="9"), force=True)

    first, second = await read(late, "applied"), await read(late)
    assert first is not None
    assert first.data == {"size": "2"}
    assert second is not None
    assert second.data == {"size": "9"}
    await caught_up(late)


async def test_a_status_that_was_written_is_new(late: Lab) -> None:
    """A reconciler reads its own last status to know where it was."""
    client = late.cluster.client
    found = await client.get(Pod, "known")
    found.status.phase = "Running"

    await client.status.update(found)

    assert (await client.get(Pod, "known")).status.phase == "Running"
    await client.status.patch(Pod, "known", {"status": {"message": "hello"}})
    seen = await client.get(Pod, "known")
    assert (seen.status.phase, seen.status.message) == ("Running", "hello")
    await caught_up(late)


async def test_what_was_deleted_is_gone(late: Lab) -> None:
    """Also from lists; a reconciler would otherwise count it."""
    await late.cluster.client.delete(ConfigMap, "known")

    assert await read(late) is None
    await caught_up(late)


async def test_what_is_held_by_a_finalizer_is_seen_going(late: Lab) -> None:
    """It is there until the finalizer is taken away, and gone right after."""
    client = late.cluster.client
    await client.patch(ConfigMap, "known", {"metadata": {"finalizers": ["example.com/a"]}})

    await client.delete(ConfigMap, "known")
    going = await read(late)
    await client.patch(ConfigMap, "known", {"metadata": {"finalizers": None}})
    gone = await read(late)

    assert going is not None
    assert going.metadata.deletion_timestamp is not None
    assert gone is None
    await caught_up(late)


async def test_a_pod_with_grace_is_seen_going_and_one_without_is_gone(late: Lab) -> None:
    """Both deletions are answered with the pod."""
    client = late.cluster.client

    await client.delete(Pod, "known")
    going = await client.find(Pod, "known")
    await client.delete(Pod, "known", grace_period=0)
    gone = await client.find(Pod, "known")

    assert going is not None
    assert going.metadata.deletion_timestamp is not None
    assert gone is None
    await caught_up(late)


async def test_a_namespace_that_terminates_is_there(late: Lab) -> None:
    """It has no finalizer in its metadata, but one in its spec."""
    client = late.cluster.client
    await client.create(Namespace(metadata=ObjectMeta(name="shop")))

    await client.delete(Namespace, "shop")

    found = await client.find(Namespace, "shop")
    assert found is not None
    assert found.metadata.deletion_timestamp is not None


async def test_a_new_object_of_an_old_name_is_seen(late: Lab) -> None:
    """Deleted, made again, deleted again, made again: the last one counts."""
    client = late.cluster.client

    for size in ("1", "2", "3"):
        await client.delete(ConfigMap, "known")
        assert await read(late) is None
        await client.create(config_map("known", size=size))
        seen = await read(late)
        assert seen is not None
        assert seen.data == {"size": size}
    await client.delete(ConfigMap, "known")

    assert await read(late) is None
    await caught_up(late)


async def test_an_own_write_is_found_by_its_index_and_labels(late: Lab) -> None:
    """And under its old value no more."""
    cache = late.cluster.cache
    owner = OwnerReference(api_version="v1", kind="Node", name="n", uid="o1")
    made = config_map("owned", size="5")
    made.metadata.owner_references = [owner]

    await late.cluster.client.create(made)
    labels = {"metadata": {"labels": {"app": "api"}}, "data": {"size": "7"}}
    await late.cluster.client.patch(ConfigMap, "known", labels)

    def names(**query: str) -> list[str]:
        return [one.metadata.name for one in cache.list(ConfigMap, **query)]

    assert names(index="size", value="0") == []
    assert names(index="size", value="7") == ["known"]
    assert names(index="owner", value="o1") == ["owned"]
    assert names(labels="app=api") == ["known"]
    assert names(labels="app=web") == ["owned"]
    await caught_up(late)


async def test_a_dry_run_is_not_seen(late: Lab) -> None:
    """Nothing was stored."""
    client = late.cluster.client

    await client.create(config_map(size="1"), dry_run=True)
    await client.delete(ConfigMap, "known", dry_run=True)

    assert await read(late, "a") is None
    assert await read(late) is not None


async def test_old_events_do_not_bring_back_the_old_state() -> None:
    """The stream is behind: what it tells of before our write must not be seen after it."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        await made.other.create(config_map("known", size="0"))
        await made.start()
        sizes: list[str | None] = []
        client = made.cluster.client

        made.transport.hold()
        for size in ("1", "2", "3"):
            await made.other.patch(ConfigMap, "known", {"data": {"size": size}})
        await client.patch(ConfigMap, "known", {"data": {"size": "mine"}})

        def look(event: object) -> None:
            found = made.cluster.cache.find(ConfigMap, "known")
            sizes.append(None if found is None else found.data["size"])

        for informer in made.cluster.cache:
            informer.add_handler(look)
        sizes.clear()
        made.transport.release()
        await made.clock.settle()
        assert sizes == ["mine"] * 4
        await made.other.patch(ConfigMap, "known", {"data": {"size": "theirs"}})
        await made.clock.settle()
        assert sizes[-1] == "theirs"
        await caught_up(made)


async def test_old_events_do_not_bring_back_what_was_deleted() -> None:
    """Not even an object that the stream had not shown at all when we deleted it."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        await made.start()
        seen: list[object] = []

        made.transport.hold()
        await made.other.create(config_map("known", size="0"))
        await made.other.patch(ConfigMap, "known", {"data": {"size": "1"}})
        await made.cluster.client.delete(ConfigMap, "known")
        for informer in made.cluster.cache:
            informer.add_handler(lambda _: seen.append(made.cluster.cache.find(ConfigMap, "known")))
        made.transport.release()
        await made.clock.settle()

        assert seen == [None] * 3
        await caught_up(made)


async def test_a_new_list_after_a_gap_agrees_with_what_was_seen() -> None:
    """The stream was cut and its past forgotten: a list brings what it missed, and our writes."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        for name in ("known", "doomed"):
            await made.other.create(config_map(name, size="0"))
        await made.start()
        client = made.cluster.client
        made.transport.cut()
        await made.other.create(config_map("theirs", size="1"))
        await client.patch(ConfigMap, "known", {"data": {"size": "mine"}})
        await client.delete(ConfigMap, "doomed")
        await client.create(config_map("new", size="1"))
        made.server.compact()

        seen = [one.metadata.name for one in await client.list(ConfigMap, namespace="default")]
        await caught_up(made)
        after = [one.metadata.name for one in await client.list(ConfigMap, namespace="default")]

        assert seen == ["known", "new"]
        assert after == ["known", "new", "theirs"]
        assert (await client.get(ConfigMap, "known")).data == {"size": "mine"}


async def test_writes_through_the_live_client_are_own_writes_too(late: Lab) -> None:
    """It is the same process, and the same connection."""
    await late.cluster.live.create(config_map("a", size="1"))
    await late.cluster.live.delete(ConfigMap, "known")

    assert await read(late, "a") is not None
    assert await read(late) is None
    await caught_up(late)


async def test_every_informer_of_the_kind_sees_what_it_selects() -> None:
    """Of two informers of one kind, each shows the write if it fits, and hides it if not."""
    async with lab() as made:
        cache, client = made.cluster.cache, made.cluster.client
        everything = cache.informer(ConfigMap)
        web = cache.informer(ConfigMap, labels="app=web")
        named = cache.informer(ConfigMap, fields="metadata.name=a")
        elsewhere = cache.informer(ConfigMap, namespaces=["kube-system"])
        await made.start()
        made.transport.hold()

        stored = await client.create(config_map("a", size="1"))
        await client.create(config_map("b", size="1"))
        shown = [len(each.store) for each in (everything, web, named, elsewhere)]
        await client.patch(ConfigMap, "a", {"metadata": {"labels": {"app": "api"}}})
        moved = [len(each.store) for each in (everything, web, named, elsewhere)]
        await client.patch(ConfigMap, "a", {"metadata": {"labels": {"app": "web"}}})
        back = [len(each.store) for each in (everything, web, named, elsewhere)]

        assert web.store.find(stored.key) is not None
        assert shown == [2, 2, 1, 0]
        assert moved == [2, 1, 1, 0]
        assert back == [2, 2, 1, 0]
        made.transport.release()
        await made.clock.advance(120)
        assert [len(each.store) for each in (everything, web, named, elsewhere)] == back
        assert [
            len(each.store._written.pending) for each in (everything, web, named, elsewhere)
        ] == [0] * 4


async def test_what_a_field_selector_hides_is_not_shown_by_a_write() -> None:
    """Only the server knows whether the object fits, so only known ones are changed."""
    async with lab() as made:
        cache, client = made.cluster.cache, made.cluster.client
        running = cache.informer(Pod, fields="status.phase=Running")
        await made.other.create(pod("known"))
        await made.other.status.patch(Pod, "known", {"status": {"phase": "Running"}})
        await made.start()
        made.transport.hold()

        await client.create(pod("new"))
        labels = {"metadata": {"labels": {"seen": "yes"}}}
        await client.patch(Pod, "known", labels)

        assert [one.metadata.name for one in running.store.list()] == ["known"]
        assert running.store.list()[0].metadata.labels == {"seen": "yes"}


async def test_an_answer_that_comes_after_its_event_changes_nothing() -> None:
    """The watch is often faster than the answer, and may have told of the end already."""
    async with lab() as made:
        informer = made.cluster.cache.informer(ConfigMap)
        await made.start()
        store = informer.store
        answer = await made.other.create(config_map("a", size="1"))
        await made.clock.settle()
        entry = store.codec.entry(store.list_entries()[0].raw)
        await made.other.delete(answer)
        await made.clock.settle()

        store.note_write(entry)

        assert store.find(answer.key) is None
        assert len(store._written.pending) == 0


async def test_a_write_while_the_first_list_is_under_way_is_seen() -> None:
    """The list shows the moment before the write."""
    async with lab() as made:
        made.cluster.cache.informer(ConfigMap)
        made.transport.hold()
        await made.begin()
        await made.cluster.client.create(config_map("a", size="1"))
        with pytest.raises(CacheNotSyncedError):
            await made.cluster.client.find(ConfigMap, "a")

        made.transport.release()
        await made.cluster.wait_ready()

        assert await made.cluster.client.find(ConfigMap, "a") is not None


async def test_answers_of_subresources_of_another_kind_are_left_alone(late: Lab) -> None:
    """An eviction or a binding says nothing of how the pod is now."""
    client = late.cluster.client
    eviction = Eviction(metadata=ObjectMeta(name="known", namespace="default"))

    await client.subresource("eviction").post(Pod, "known", eviction)

    assert await client.find(Pod, "known") is not None
    await caught_up(late)


async def test_the_deletion_of_many_is_under_way_until_the_watch_has_shown_it() -> None:
    """Whoever waits until all is done must not look before handlers have heard of each."""
    async with lab() as made:
        informer = made.cluster.cache.informer(ConfigMap)
        for name in "abc":
            await made.other.create(config_map(name, size="1"))
        await made.other.patch(ConfigMap, "b", {"metadata": {"finalizers": ["example.com/b"]}})
        await made.start()
        made.transport.hold()

        await made.cluster.client.delete_all(ConfigMap, namespace="default")
        ahead = informer.store.ahead
        waiting = asyncio.create_task(informer.wait_idle())
        await made.clock.settle()
        early = waiting.done()
        made.transport.release()
        await made.clock.run(waiting)

        assert (ahead, early) == (3, False)
        assert [one.key.name for one in informer.store.list_entries()] == ["b"]
        assert not list(informer.busy())
        await made.cluster.client.delete_all(ConfigMap, namespace="default")
        assert not list(informer.busy())  # it waits for its finalizer already


async def test_a_service_that_was_deleted_is_gone_though_it_was_answered() -> None:
    """The answer is the service as it was, without a word of its end."""
    async with lab() as made:
        made.cluster.cache.informer(Service)
        service = Service(metadata=ObjectMeta(name="s", namespace="default"))
        service.spec.ports = [{"port": 80}]  # type: ignore[list-item]  # as it is sent
        await made.other.create(service)
        await made.start()
        made.transport.hold()

        await made.cluster.client.delete(Service, "s")

        assert await made.cluster.client.find(Service, "s") is None
        await caught_up(made)
