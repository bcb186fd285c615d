"""From JSON to entries and back."""

import json
from functools import partial
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.partial import PartialObjectMetadata
from kubewright.api.resource import raw_of, read
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.packing import Packing
from kubewright.cache.transform import without
from kubewright.errors import DecodeError
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import EmbeddedServer
from tests.unit.cache.objects import CODEC, owner, shop

MANAGED = [{"manager": "m", "operation": "Update"}]


def config_map(**fields: object) -> bytes:
    metadata = {"name": "a", "namespace": "x", "uid": "u", "resourceVersion": "7"}
    return json.dumps({"metadata": {**metadata, **fields}, "data": {"k": "v"}}).encode()


def test_every_read_gives_a_private_copy() -> None:
    """Nobody can damage the cache by changing what was read."""
    kept = Codec(partial(read, kind=ConfigMap)).entry(config_map())

    kept.object.data["k"] = "changed"

    assert kept.object.data == {"k": "v"}
    assert kept.object.kind == "ConfigMap"


def test_managed_fields_are_dropped_unless_asked_for() -> None:
    """They are a third of many objects, and hardly anyone reads them."""
    raw = shop(managedFields=MANAGED)

    assert b"managedFields" not in Codec(Unstructured.read).entry(raw).raw
    assert Codec(Unstructured.read, drop_managed_fields=False).entry(raw).raw == raw


def test_metadata_only_keeps_nothing_else() -> None:
    """Also of an object that came whole, such as the answer to a write."""
    partial_kind = PartialObjectMetadata.of(ConfigMap)
    codec = Codec(partial(read, kind=partial_kind), metadata_only=True)

    kept = codec.entry(config_map(managedFields=MANAGED, labels={"app": "web"}))

    assert b'"data"' not in kept.raw
    assert (kept.object.kind, kept.object.api_version) == ("ConfigMap", "v1")
    assert kept.object.metadata.labels == {"app": "web"}


def test_metadata_is_named_after_its_kind_whatever_the_server_called_it() -> None:
    """Asked for metadata, it answers with a kind of its own for that."""
    raw = b'{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",' + config_map()[1:]

    kept = Codec(partial(read, kind=ConfigMap), metadata_only=True).entry(raw)

    assert (kept.object.kind, kept.object.api_version) == ("ConfigMap", "v1")


def test_entries_are_packed_once_packing_began() -> None:
    """And read the same, those from before included."""
    codec = Codec(Unstructured.read, packing=Packing(compress=True))
    raws = [shop(f"n{number}", number + 1, spec={"a": [1] * 100}) for number in range(40)]

    entries = [codec.entry(raw) for raw in raws]

    assert not entries[0].packing
    assert entries[-1].packing
    assert [entry.raw for entry in entries] == raws
    assert entries[-1].object["spec"] == {"a": [1] * 100}


def test_an_entry_can_be_packed_later() -> None:
    """Those that came before packing began; an entry that is packed stays as it is."""
    codec = Codec(Unstructured.read, packing=Packing(compress=True))
    entries = [codec.entry(shop(f"n{number}", spec={"a": [1] * 99})) for number in range(40)]

    packed = codec.repacked(entries[0])

    assert packed.packing
    assert len(packed.packed) < len(entries[0].packed)
    assert (packed.raw, packed.key) == (entries[0].raw, ObjectKey("x", "n0"))
    assert codec.repacked(packed) is packed


def test_nothing_is_packed_before_packing_began() -> None:
    """There is no dictionary yet."""
    codec = Codec(Unstructured.read, packing=Packing("auto"))
    kept = codec.entry(shop())

    assert codec.repacked(kept) is kept


def test_what_is_no_object_is_refused() -> None:
    """The stream has to know, to begin anew."""
    with pytest.raises(DecodeError):
        Codec(Unstructured.read).entry(b"{}")


async def test_an_update_of_an_object_without_managed_fields_keeps_them_on_the_server() -> None:
    """So the cache may drop them: who owns which field is not lost by an update."""
    async with EmbeddedServer() as server, server.client() as client:
        made = await client.create(
            ConfigMap(metadata=ObjectMeta(name="a", namespace="default"), data={"k": "v"}),
            field_owner="maker",
        )
        raw = raw_of(made)
        assert raw is not None
        cached = Codec(partial(read, kind=ConfigMap)).entry(raw).object
        cached.data["l"] = "w"

        stored = await client.update(cached, field_owner="changer")

    assert not cached.metadata.managed_fields
    assert {one.manager for one in stored.metadata.managed_fields} == {"maker", "changer"}


async def test_a_partial_object_can_be_patched_but_not_updated() -> None:
    """An update would remove from the server what the cache has dropped."""
    async with EmbeddedServer() as server, server.client() as client:
        made = await client.create(
            ConfigMap(metadata=ObjectMeta(name="a", namespace="default"), data={"k": "v"})
        )
        raw = raw_of(made)
        assert raw is not None
        codec = Codec(partial(read, kind=ConfigMap), transform=without("data"))
        cached = codec.entry(raw).object
        cached.metadata.labels["app"] = "web"

        with pytest.raises(ValueError, match=r"client\.patch\(obj\)"):
            await client.update(cached)
        stored = await client.patch(cached)

    assert stored.metadata.labels == {"app": "web"}
    assert stored.data == {"k": "v"}


async def test_metadata_alone_can_be_patched_and_deleted() -> None:
    """It knows what it is the metadata of."""
    async with EmbeddedServer() as server, server.client() as client:
        made = await client.create(
            ConfigMap(metadata=ObjectMeta(name="a", namespace="default"), data={"k": "v"})
        )
        raw = raw_of(made)
        assert raw is not None
        kind = PartialObjectMetadata.of(ConfigMap)
        cached = Codec(partial(read, kind=kind), metadata_only=True).entry(raw).object
        cached.metadata.annotations["seen"] = "yes"

        await client.patch(cached)
        stored = await client.get(ConfigMap, "default/a")
        await client.delete(cached)

        assert await client.find(ConfigMap, "default/a") is None
    assert stored.metadata.annotations == {"seen": "yes"}
    assert stored.data == {"k": "v"}


@pytest.mark.parametrize("change", [{"annotations": {"a": "b"}}, {"finalizers": ["a/b"]}])
def test_marks_tell_of_annotations_and_finalizers(change: dict[str, Any]) -> None:
    """A predicate must see a change of them without decoding the object."""
    plain, newer, marked = map(CODEC.entry, (shop("a", 1), shop("a", 2), shop("a", 3, **change)))

    assert plain.marks == newer.marks
    assert plain.marks != marked.marks


def test_what_did_not_change_is_shared_with_the_object_before() -> None:
    """Most changes are those of a status, and to decode the same labels again costs the most."""
    told: dict[str, Any] = {"labels": {"app": "web"}, "ownerReferences": [owner("o")]}
    before = CODEC.entry(shop("a", 1, **told))

    after = CODEC.entry(shop("a", 2, **told), lambda namespace, name: before)

    assert after.resource_version == "2"
    assert after.key is before.key
    assert after.labels is before.labels
    assert after.owners is before.owners


@pytest.mark.parametrize(
    "change",
    [{"labels": {"app": "db"}}, {"labels": {}}, {"ownerReferences": [owner("p")]},
     {"ownerReferences": []}, {"labels": None, "ownerReferences": None}],
)  # fmt: skip
def test_what_changed_is_read_anew(change: dict[str, Any]) -> None:
    """What selects an object must be as the server says, whatever it was before."""
    told: dict[str, Any] = {"labels": {"app": "web"}, "ownerReferences": [owner("o")]}
    before = CODEC.entry(shop("a", 1, **told))
    alone = CODEC.entry(shop("a", 2, **{**told, **change}))

    after = CODEC.entry(shop("a", 2, **{**told, **change}), lambda namespace, name: before)

    assert (after.labels, after.owners) == (alone.labels, alone.owners)
    assert (after.labels, after.owners) != (before.labels, before.owners)
