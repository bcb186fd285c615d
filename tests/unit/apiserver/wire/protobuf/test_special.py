"""Tests of `kubewright.apiserver.wire.protobuf.special`."""

from typing import Any

import pytest

from kubewright.apiserver.wire.protobuf.special import SPECIAL, base64_text, chosen, double, text
from kubewright.apiserver.wire.protobuf.wire import WireError
from tests.unit.apiserver.wire.protobuf.encoder import field


@pytest.mark.parametrize(
    ("message", "data", "tree"),
    [
        ("Time", b"", None),
        ("Time", field(1, 1700000000) + field(2, 999999999), "2023-11-14T22:13:20Z"),
        ("Time", field(1, -1), "1969-12-31T23:59:59Z"),
        ("MicroTime", b"", None),
        ("MicroTime", field(1, 0) + field(2, 1500), "1970-01-01T00:00:00.000001Z"),
        ("Duration", field(1, 90_500_000_000), "1m30.5s"),
        ("Quantity", b"", "0"),
        ("Quantity", field(1, "1500m"), "1500m"),
        ("Quantity", field(1, ""), ""),
        ("IntOrString", b"", 0),
        ("IntOrString", field(1, 0) + field(2, -7) + field(3, "unused"), -7),
        ("IntOrString", field(1, 1) + field(2, 0) + field(3, "50%"), "50%"),
        ("RawExtension", field(1, '{"a":[1,null,"ü"]}'), {"a": [1, None, "ü"]}),
        ("RawExtension", b"", None),
        ("FieldsV1", field(1, '{"f:data":{}}'), {"f:data": {}}),
        ("JSON", field(1, "7"), 7),
    ],
)
def test_special_messages_become_what_json_has_for_them(
    message: str, data: bytes, tree: Any
) -> None:
    """Times and quantities are text in JSON, and JSON in bytes is the JSON itself."""
    assert SPECIAL[message](data, message) == tree


@pytest.mark.parametrize(
    ("message", "data", "why"),
    [
        ("Time", field(1, 1 << 60), "Time.MarshalJSON: year outside of range [0,9999]"),
        ("Time", field(1, "x"), "proto: wrong wireType = 2 for field Seconds"),
        ("IntOrString", field(3, 1), "proto: wrong wireType = 0 for field StrVal"),
        ("JSON", field(1, "{"), "json parse error: Input data was truncated"),
        ("RawExtension", field(1, "[" * 100_000), "json parse error: "),
        ("FieldsV1", field(1, b'"\xff"'), "json parse error: "),
    ],
)
def test_what_json_cannot_hold_is_refused(message: str, data: bytes, why: str) -> None:
    """A year beyond 9999 or broken JSON is the client's mistake."""
    with pytest.raises(WireError) as caught:
        SPECIAL[message](data, message)

    assert str(caught.value).startswith(why)


@pytest.mark.parametrize(
    ("message", "found", "tree"),
    [
        ("JSONSchemaPropsOrArray", {"schema": {"type": "string"}}, {"type": "string"}),
        ("JSONSchemaPropsOrArray", {"jSONSchemas": [{}]}, [{}]),
        ("JSONSchemaPropsOrArray", {}, None),
        ("JSONSchemaPropsOrBool", {"allows": True, "schema": {}}, {}),
        ("JSONSchemaPropsOrBool", {"allows": True}, True),
        ("JSONSchemaPropsOrBool", {}, False),
        ("JSONSchemaPropsOrStringArray", {"property": ["a"]}, ["a"]),
    ],
)
def test_a_union_becomes_the_one_of_its_fields_that_is_set(
    message: str, found: dict[str, Any], tree: Any
) -> None:
    """In the schema of a CRD `items` is the schema, without a field around it."""
    assert chosen(found, message) == tree


def test_scalars_have_the_form_that_go_writes() -> None:
    """Bytes are base64, and text that is no UTF-8 has replacement characters."""
    assert base64_text(b"\xff\0") == "/wA="
    assert text(b"a\xffb") == "a\ufffdb"
    assert double(b"\0\0\0\0\0\0\xf8\xbf") == -1.5
    with pytest.raises(WireError, match="unsupported value"):
        double(b"\0\0\0\0\0\0\xf0\x7f")
