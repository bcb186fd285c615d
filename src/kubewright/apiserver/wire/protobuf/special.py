"""Messages that are something else in JSON: times, quantities, schemas and JSON itself."""

import base64
import math
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from kubewright.api.times import format_micro_time, format_nanoseconds, format_time
from kubewright.apiserver.wire.protobuf import wire
from kubewright.apiserver.wire.protobuf.wire import BYTES, VARINT, WireError, expect, signed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_decode = msgspec.json.Decoder().decode


def text(data: bytes) -> str:
    """Return bytes as text. Go takes any in a string, and writes invalid UTF-8 in this way."""
    return data.decode("utf-8", "replace")


def base64_text(data: bytes) -> str:
    """Return bytes as JSON holds them."""
    return base64.b64encode(data).decode()


def double(data: bytes) -> float:
    """Return eight bytes as a number.

    Raises:
        WireError: JSON cannot hold it.
    """
    number: float = struct.unpack("<d", data)[0]
    if not math.isfinite(number):
        raise WireError(f"json: unsupported value: {number}")
    return number


def _members(data: bytes, message: str, *members: tuple[str, int]) -> list[Any]:
    """Return the values of a small message whose fields are *members*, zero where unset."""
    found: list[Any] = [0 if wanted == VARINT else b"" for _, wanted in members]
    for number, kind, value in wire.fields(data, message):
        if number <= len(members):
            name, wanted = members[number - 1]
            found[number - 1] = expect(wanted, kind, value, name)
    return found


def _moment(data: bytes, message: str) -> datetime | None:
    if not data:
        return None  # the zero time, which JSON writes as null
    seconds, nanos = _members(data, message, ("seconds", VARINT), ("nanos", VARINT))
    try:
        return _EPOCH + timedelta(
            seconds=signed(seconds, 64), microseconds=signed(nanos, 32) // 1000
        )
    except OverflowError:
        raise WireError("Time.MarshalJSON: year outside of range [0,9999]") from None


def _time(data: bytes, message: str) -> str | None:
    moment = _moment(data, message)
    return format_time(moment) if moment else None


def _micro_time(data: bytes, message: str) -> str | None:
    moment = _moment(data, message)
    return format_micro_time(moment) if moment else None


def _duration(data: bytes, message: str) -> str:
    (nanoseconds,) = _members(data, message, ("duration", VARINT))
    return format_nanoseconds(signed(nanoseconds, 64))


def _quantity(data: bytes, message: str) -> str:
    (amount,) = _members(data, message, ("string", BYTES))
    return text(amount) if data else "0"  # what the text must look like is checked with the rest


def _int_or_string(data: bytes, message: str) -> int | str:
    members = (("type", VARINT), ("intVal", VARINT), ("strVal", BYTES))
    kind, number, string = _members(data, message, *members)
    return text(string) if kind == 1 else signed(number, 32)


def _json(data: bytes, message: str) -> Any:
    (raw,) = _members(data, message, ("raw", BYTES))
    if not raw:
        return None
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"json parse error: {error}") from None


SPECIAL: dict[str, Callable[[bytes, str], Any]] = {
    "Time": _time,
    "MicroTime": _micro_time,
    "Duration": _duration,
    "Quantity": _quantity,
    "IntOrString": _int_or_string,
    "FieldsV1": _json,
    "JSON": _json,
    "RawExtension": _json,
}
"""Reads a message that is not an object in JSON; gets the bytes and the message's name."""

UNIONS: dict[str, str] = {
    "JSONSchemaPropsOrArray": "jSONSchemas",
    "JSONSchemaPropsOrBool": "allows",
    "JSONSchemaPropsOrStringArray": "property",
}
"""Messages that hold either a schema or what the other field holds."""


def chosen(found: dict[str, Any], message: str) -> Any:
    """Return the one of its two fields that a union stands for in JSON."""
    other = found.get(UNIONS[message])
    if message == "JSONSchemaPropsOrBool":
        return found.get("schema", bool(other))
    return other or found.get("schema")
