"""Tests of `kubewright.apiserver.wire.protobuf.message`."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.schema import definitions
from kubewright.apiserver.wire.protobuf.message import LIMIT, fields_of, messages, read
from kubewright.apiserver.wire.protobuf.special import SPECIAL
from kubewright.apiserver.wire.protobuf.wire import WireError
from tests.unit.apiserver.wire.protobuf.encoder import entry, field, number

CORE = "io.k8s.api.core.v1"
META = "io.k8s.apimachinery.pkg.apis.meta.v1"
SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
BOTH = {"controller": True, "blockOwnerDeletion": False}


@pytest.mark.parametrize(
    ("name", "data", "tree"),
    [
        (f"{META}.OwnerReference", field(6, 1) + field(7, 0), BOTH),
        (f"{META}.ObjectMeta", field(7, -5) + field(8, b""), {"generation": -5}),
        (f"{META}.ObjectMeta", entry(11, "a", "ü"), {"labels": {"a": "ü"}}),
        (f"{CORE}.ConfigMap", entry(3, "b", b"\xff\0"), {"binaryData": {"b": "/wA="}}),
        (f"{CORE}.ConfigMap", field(2, field(1, "a")), {"data": {"a": ""}}),
        (f"{CORE}.ResourceQuotaSpec", field(1, field(1, "pods")), {"hard": {"pods": "0"}}),
        (f"{CORE}.PodSecurityContext", field(4, 1) + field(4, 2), {"supplementalGroups": [1, 2]}),
        (f"{CORE}.PodSecurityContext", field(4, number(300)), {"supplementalGroups": [300]}),
        (f"{CORE}.ServicePort", field(4, field(1, 1) + field(3, "w")), {"targetPort": "w"}),
        (
            f"{CORE}.Volume",
            field(1, "v") + field(2, field(2, field(1, "Memory"))),
            {"name": "v", "emptyDir": {"medium": "Memory"}},
        ),
        ("io.k8s.api.authentication.v1.ExtraValue", field(1, "a") + field(1, "b"), ["a", "b"]),
        ("io.k8s.api.authentication.v1.ExtraValue", b"", []),
        (
            "io.k8s.api.authentication.v1.UserInfo",
            field(4, field(1, "k") + field(2, field(1, "v"))),
            {"extra": {"k": ["v"]}},
        ),
        (
            SCHEMA,
            b"\x49" + struct.pack("<d", 1.5) + field(20, field(1, "null")) + field(3, "#"),
            {"maximum": 1.5, "enum": [None], "$ref": "#"},
        ),
        (
            SCHEMA,
            field(24, field(1, field(5, "string"))) + field(30, field(1, 1)),
            {"items": {"type": "string"}, "additionalProperties": True},
        ),
    ],
)
def test_fields_become_json_by_their_types(name: str, data: bytes, tree: dict[str, Any]) -> None:
    """Each type of field that Kubernetes uses has its form in JSON."""
    assert read(data, name) == tree


def test_unknown_fields_are_skipped() -> None:
    """A newer client may send what we do not know yet."""
    data = field(999, "x") + field(998, 5) + field(1, "a")

    assert read(data, f"{META}.ObjectMeta") == {"name": "a"}


def test_a_message_in_two_parts_is_one_message() -> None:
    """Protobuf allows parts; lists are joined and scalars are replaced."""
    data = field(1, field(1, "a") + field(14, "x")) + field(1, field(1, "b") + field(14, "y"))

    assert read(data, f"{CORE}.ConfigMap") == {"metadata": {"name": "b", "finalizers": ["x", "y"]}}


def test_messages_may_be_nested_but_not_without_end() -> None:
    """A schema of 50 levels is read; one that would exhaust the stack is refused."""
    data = b""
    for _ in range(50):
        data = entry(29, "a", data)
    assert read(data, SCHEMA)["properties"]["a"]["properties"]["a"]

    for _ in range(10 * LIMIT):
        data = entry(29, "a", data)
    with pytest.raises(WireError, match="exceeded max depth"):
        read(data, SCHEMA)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (field(1, 5), "proto: wrong wireType = 0 for field ObjectMeta"),
        (field(1, field(1, 5)), "proto: wrong wireType = 0 for field Name"),
        (field(1, field(7, "5")), "proto: wrong wireType = 2 for field Generation"),
        (field(1, field(11, 5)), "proto: wrong wireType = 0 for field Labels"),
        (field(2, field(1, 5)), "proto: wrong wireType = 0 for field Key"),
        (field(1, b"\x0a\x09short"), "unexpected EOF"),
        (b"\x0f", "proto: wrong wireType = 7 for field ObjectMeta"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(data: bytes, why: str) -> None:
    """The text is the one of Kubernetes' decoder, at any depth."""
    with pytest.raises(WireError) as caught:
        read(data, f"{CORE}.ConfigMap")

    assert str(caught.value) == why


@given(st.sampled_from([f"{CORE}.Pod", SCHEMA, f"{CORE}.Node"]), st.binary(max_size=300))
def test_no_bytes_make_the_decoder_crash(name: str, data: bytes) -> None:
    """Whatever arrives is a tree or an error."""
    try:
        found = read(data, name)
    except WireError:
        return
    assert isinstance(found, dict)


@given(st.data())
def test_no_change_to_a_good_message_makes_the_decoder_crash(data: st.DataObject) -> None:
    """Nearly right bytes reach deeper than random ones."""
    spec = field(2, field(1, "c") + field(8, entry(1, "cpu", field(1, "1"))) + field(6, "x"))
    good = bytearray(field(1, field(1, "a") + entry(11, "k", "v")) + field(2, spec))
    position = data.draw(st.integers(0, len(good) - 1))
    good[position] = data.draw(st.integers(0, 255))

    try:
        assert isinstance(read(bytes(good), f"{CORE}.Pod"), dict)
    except WireError as error:
        assert str(error)  # noqa: PT017  # either outcome is right


def test_every_kind_has_a_message_and_every_type_in_it_is_known() -> None:
    """The table is whole: no field can lead to a message that is missing."""
    known = messages()
    scalars = {"string", "bytes", "bool", "int32", "int64", "double"}

    assert set(definitions.kinds().values()) <= known.keys()
    for name in known:
        for _, kind, shape in fields_of(name).values():
            assert kind in known or kind in scalars or kind.rpartition(".")[2] in SPECIAL
            assert shape in {"", "repeated", "map"}


def test_fields_have_the_names_of_the_openapi_document() -> None:
    """A field under another name would be refused as unknown, or lost."""
    document = definitions.document()["definitions"]

    for name in messages().keys() & document.keys():
        properties = document[name].get("properties")
        if properties is not None:
            names = {field for field, _, _ in fields_of(name).values() if field}
            assert names <= properties.keys()
