"""What is read of an object without decoding it."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.kind import ObjectKey
from kubewright.api.unstructured import Unstructured
from kubewright.cache import head as module
from kubewright.cache.codec import Codec
from kubewright.cache.entry import NO_LABELS
from kubewright.cache.head import head_and_rest, head_of, without_managed_fields
from kubewright.errors import DecodeError
from tests.unit.cache.objects import owner, shop

MANAGED = [{"manager": "m", "fieldsV1": {"f:spec": {"f:a": {}}}}]


def cut(document: Any, *, indent: int | None = None) -> Any:
    separators = (",", ":") if indent is None else None
    raw = json.dumps(document, separators=separators, indent=indent).encode()
    return json.loads(without_managed_fields(raw, head_of(raw).managed))


def test_a_head_has_what_is_asked_all_the_time() -> None:
    """Nothing of it may need the object to be decoded."""
    raw = shop("a", 7, uid="u", generation=3, labels={"app": "web"}, ownerReferences=[owner("o")])

    head = head_of(raw)

    assert (head.key, head.uid, head.resource_version) == (ObjectKey("x", "a"), "u", "7")
    assert (head.generation, head.labels, head.deletion_timestamp) == (3, {"app": "web"}, None)
    assert [one.uid for one in head.owners] == ["o"]


def test_a_deletion_timestamp_marks_an_object_as_deleting() -> None:
    """An explicit null does not."""
    document = {"metadata": {"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z"}}

    assert head_of(json.dumps(document).encode()).deletion_timestamp
    assert not head_of(b'{"metadata":{"name":"a","deletionTimestamp":null}}').deletion_timestamp


def test_nulls_are_read_as_absent() -> None:
    """Go writes them for whatever is empty."""
    nulls = dict.fromkeys(
        ["namespace", "uid", "generation", "labels", "ownerReferences", "managedFields"]
    )

    head = head_of(json.dumps({"metadata": {"name": "a", **nulls}}).encode())

    assert head.key == ObjectKey("", "a")
    assert (head.labels, head.owners, head.generation) == ({}, (), 0)


def test_a_label_that_is_null_is_left_out() -> None:
    """One odd label must not keep the object out of the cache."""
    assert head_of(b'{"metadata":{"name":"a","labels":{"b":null,"c":"d"}}}').labels == {"c": "d"}


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"{", b'{"kind":"Shop"}', b'{"metadata":{}}', b'{"metadata":{"name":7}}', b"\xff"],
)
def test_what_is_no_named_object_is_refused(raw: bytes) -> None:
    """It cannot be kept under any key."""
    with pytest.raises(DecodeError):
        head_of(raw)


def test_equal_labels_and_owners_are_kept_once() -> None:
    """Replicas have the same ones; a copy for each would be most of a small cache."""
    one = head_of(shop("a", labels={"app": "web"}, ownerReferences=[owner("o")]))
    other = head_of(shop("b", labels={"app": "web"}, ownerReferences=[owner("o")]))

    assert one.labels is other.labels
    assert one.owners is other.owners
    assert head_of(shop("c", labels={})).labels is NO_LABELS


def test_what_is_remembered_to_be_shared_is_bounded() -> None:
    """Labels that name their pod are all different, and must not pile up for ever."""
    for number in range(3 * module._REMEMBERED):
        labels = head_of(shop("a", namespace=f"n{number}", labels={"pod": f"w{number}"})).labels

        assert labels == {"pod": f"w{number}"}

    assert len(module._labels) <= module._REMEMBERED
    assert len(module._strings) <= module._REMEMBERED + 3


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "a", "managedFields": MANAGED},
        {"managedFields": MANAGED, "name": "a"},
        {"labels": {}, "managedFields": MANAGED, "name": "a"},
        {"name": "a", "managedFields": []},
        {"name": "a", "managedFields": None},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_managed_fields_are_cut_wherever_they_stand(metadata: Any, indent: int | None) -> None:
    """First, last or between, with blanks or without; the rest stays as it is."""
    kept = {name: metadata[name] for name in metadata if name != "managedFields"}

    found = cut({"kind": "Shop", "metadata": metadata, "spec": {"a": 1}}, indent=indent)

    assert found == {"kind": "Shop", "metadata": kept, "spec": {"a": 1}}


@pytest.mark.parametrize(
    "raw",
    [
        b'{"kind":"Pod", "metadata":{"name":"n", "managedFields":[]}, "spec":{}}',
        b'{"kind":"Pod","metadata":{"managedFields":[] ,"name":"n"},"spec":{}}',
        b'{"kind":"Pod","metadata":{ "managedFields":[],"name":"n"},"spec":{}}',
        b'{"kind":"Pod","metadata":{"name":"n","managedFields":[] },"spec":{}}',
    ],
)
def test_blanks_may_stand_around_the_commas(raw: bytes) -> None:
    """No server writes so, but somebody's proxy may, and what is cached must be JSON."""
    rest = head_and_rest(raw)[1]

    assert json.loads(rest) == {"kind": "Pod", "metadata": {"name": "n"}, "spec": {}}


@pytest.mark.parametrize("part", ["labels", "ownerReferences"])
def test_what_is_no_utf_8_is_refused_as_no_object(part: str) -> None:
    """Such an object is skipped, and the stream goes on."""
    value = '{"a":"?"}' if part == "labels" else '[{"kind":"?"}]'
    text = f'{{"metadata":{{"name":"a","{part}":{value}}}}}'
    raw = text.encode().replace(b"?", b"\xff")

    with pytest.raises(DecodeError):
        Codec(Unstructured.read).entry(raw)


def test_cutting_leaves_every_other_byte_alone() -> None:
    """Encoding again would cost ten times as much, and might change what we do not know."""
    raw = b'{"metadata":{"name":"a","managedFields":[{"b":1.0}],"x":1e2},"spec":{"y": 1.50}}'

    found = without_managed_fields(raw, head_of(raw).managed)

    assert found == b'{"metadata":{"name":"a","x":1e2},"spec":{"y": 1.50}}'


@pytest.mark.parametrize(
    "document",
    [
        {"data": {"managedFields": MANAGED}, "metadata": {"name": "a", "managedFields": MANAGED}},
        {"metadata": {"name": "a", "managedFields": MANAGED}, "z": {"managedFields": MANAGED}},
        {"metadata": {"name": "a", "annotations": {"managedFields": "b"}, "managedFields": []}},
        {"metadata": {"name": "a", "annotations": {'"managedFields":[': "]"}, "managedFields": []}},
        {"a": '{"metadata":{', "metadata": {"name": "a", "managedFields": MANAGED}},
        {"a": [{"managedFields": MANAGED}], "metadata": {"name": "a", "managedFields": MANAGED}},
    ],
)
def test_only_the_managed_fields_of_the_object_itself_are_cut(document: Any) -> None:
    """An object that embeds another one keeps those of the other."""
    kept = json.loads(json.dumps(document))
    del kept["metadata"]["managedFields"]

    assert cut(document) == kept


TEXTS = st.sampled_from(["managedFields", "metadata", "a", '"managedFields":', "{", '\\"', ","])
VALUES = st.recursive(
    st.none() | TEXTS | st.just(MANAGED),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(TEXTS, VALUES, max_size=3),
    st.dictionaries(st.sampled_from(["annotations", "z"]), st.dictionaries(TEXTS, TEXTS)),
    st.dictionaries(TEXTS, VALUES, max_size=3),
)
def test_cutting_gives_what_decoding_would(before: Any, meta: Any, after: Any) -> None:
    """Whatever stands around them, in whatever order."""
    metadata = {"name": "a", **meta, "managedFields": MANAGED}
    document = {
        **before,
        "metadata": metadata,
        **{k: v for k, v in after.items() if k != "metadata"},
    }
    document["metadata"] = metadata

    kept = {**document, "metadata": {"name": "a", **meta}}

    assert cut(document) == kept


def test_an_object_without_managed_fields_is_the_same_bytes() -> None:
    """Nothing is copied for nothing."""
    raw = shop()

    assert without_managed_fields(raw, head_of(raw).managed) is raw
    assert without_managed_fields(raw, msgspec.Raw(b"")) is raw


def document(*, before: dict[str, Any], after: dict[str, Any], **others: Any) -> bytes:
    """Return an object whose managedFields stand between two parts of its metadata."""
    metadata = {**before, "managedFields": MANAGED, **after}
    return msgspec.json.encode({"metadata": metadata, **others})


NAMED = {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "7"}


@pytest.mark.parametrize(
    "raw",
    [
        document(before=NAMED, after={}, spec={"x": [1]}),
        document(before={}, after=NAMED, spec={"x": [1]}),
        document(before={"name": "a"}, after={"uid": "u", "ownerReferences": []}),
        document(before=NAMED | {"labels": {"managedFields": "["}}, after={}),
        document(before=NAMED | {"annotations": {"x": ',"managedFields":[1]}'}}, after={}),
        document(before=NAMED, after={}, spec={"template": {"metadata": {"managedFields": [1]}}}),
        msgspec.json.encode({"metadata": NAMED, "spec": {"a": 1, "managedFields": [{}]}}),
        msgspec.json.encode({"spec": {"metadata": {"a": 1, "managedFields": [{}]}},
                             "metadata": NAMED}),
        msgspec.json.encode({"kind": "Pod", "apiVersion": "v1",
                             "metadata": NAMED | {"managedFields": []}}),
        msgspec.json.encode({"metadata": NAMED | {"managedFields": [
            {"manager": "m", "fieldsV1": {'k:{"name":"x]}"}': {}, "v:]": {}}}]}, "data": {}}),
        msgspec.json.format(document(before=NAMED, after={}, spec={})),
    ],
)  # fmt: skip
def test_the_quick_way_comes_to_the_same_end(raw: bytes) -> None:
    """Whatever stands where, the head is the same, and only managedFields are gone."""
    head, rest = head_and_rest(raw)

    expected = msgspec.json.decode(raw)
    expected["metadata"].pop("managedFields", None)
    slow = head_of(raw)
    assert msgspec.json.decode(rest) == expected
    assert head.key == slow.key
    assert (head.uid, head.resource_version, head.labels) == (
        slow.uid, slow.resource_version, slow.labels
    )  # fmt: skip
    assert (head.annotations_json, head.owners) == (slow.annotations_json, slow.owners)
