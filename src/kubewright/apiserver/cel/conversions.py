"""Type conversions: ``int(x)``, ``string(x)`` and so on."""

import re
from typing import Any, Final

from kubewright.apiserver.cel import times
from kubewright.apiserver.cel.doubles import double_text
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.operators import checked_int, checked_uint, no_overload
from kubewright.apiserver.cel.values import Duration, Timestamp, UInt

_INTEGER: Final = r"[+-]?[0-9]+"
_DOUBLE: Final = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)"
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_LONGEST_NUMBER: Final = 100
_INT_EDGE: Final = 2.0**63
_UINT_EDGE: Final = 2.0**64


def _refused(name: str, to: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from '{name}' to '{to}'")


def to_int(value: Any) -> int:  # noqa: PLR0911  # one answer for each kind
    """``int(value)``."""
    kind = type(value)
    if kind is int:
        return int(value)
    if kind is UInt:
        return checked_int(int(value))
    if kind is float:
        if not -_INT_EDGE < value < _INT_EDGE:
            raise EvaluationError("integer overflow")
        return int(value)
    if kind is str:
        return _parsed_int(value)
    if kind is Timestamp:
        return int(value.nanos // times.SECOND)
    if kind is Duration:
        return int(value.nanos)
    return int(no_overload())


def _parsed_int(text: str) -> int:
    if not re.fullmatch(_INTEGER, text, re.ASCII) or len(text) > _LONGEST_NUMBER:
        raise _refused("string", "int")
    try:
        return checked_int(int(text))
    except EvaluationError:
        raise _refused("string", "int") from None


def to_uint(value: Any) -> UInt:
    """``uint(value)``."""
    kind = type(value)
    if kind is UInt:
        return UInt(value)
    if kind is int:
        return checked_uint(value)
    if kind is float:
        if not 0 <= value < _UINT_EDGE:
            raise EvaluationError("unsigned integer overflow")
        return UInt(int(value))
    if kind is str:
        if not value.isascii() or not value.isdigit() or len(value) > _LONGEST_NUMBER:
            raise _refused("string", "uint")
        if int(value) >= 2**64:
            raise _refused("string", "uint")
        return UInt(int(value))
    return UInt(no_overload())


def to_double(value: Any) -> float:
    """``double(value)``."""
    kind = type(value)
    if kind is float or kind is int or kind is UInt:
        return float(value)
    if kind is str:
        if not re.fullmatch(_DOUBLE, value, re.ASCII | re.IGNORECASE):
            raise _refused("string", "double")
        return float(value)
    return float(no_overload())


def to_string(value: Any) -> str:  # noqa: PLR0911  # one answer for each kind
    """``string(value)``."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(int(value))
        case float():
            return double_text(value)
        case bytes():
            return _decoded(value)
        case Timestamp():
            return times.timestamp_text(value)
        case Duration():
            return times.duration_text(value)
    return str(no_overload())


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None


def to_bool(value: Any) -> bool:
    """``bool(value)``."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return bool(no_overload())
    if value not in _TRUE | _FALSE:
        raise _refused("string", "bool")
    return value in _TRUE


def to_bytes(value: Any) -> bytes:
    """``bytes(value)``."""
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, bytes) else bytes(no_overload())


def to_timestamp(value: Any) -> Timestamp:
    """``timestamp(value)``; a number counts seconds since 1970."""
    if isinstance(value, Timestamp):
        return value
    if type(value) is int:
        return times.timestamp_of(value)
    if not isinstance(value, str):
        no_overload()
    try:
        return times.parse_timestamp(value)
    except ValueError:
        raise _refused("string", "google.protobuf.Timestamp") from None


def to_duration(value: Any) -> Duration:
    """``duration(value)``."""
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        no_overload()
    try:
        return times.parse_duration(value)
    except ValueError:
        raise _refused("string", "google.protobuf.Duration") from None
