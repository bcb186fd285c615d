"""What is wrong with a field of an object: Kubernetes' validation errors, text by text.

A path is a plain string as it appears in the message: ``spec.containers[0].name``,
``metadata.labels``, ``data[key]``.
"""

import contextlib
import math
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from decimal import Decimal
from typing import Any, Literal

import msgspec
from msgspec import Struct

from kubewright.apiserver.effort import TEXT, Effort
from kubewright.apiserver.meta.names import GroupResource

Reason = Literal[
    "FieldValueInvalid",
    "FieldValueRequired",
    "FieldValueNotSupported",
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueNotFound",
    "FieldValueTypeInvalid",
    "InternalError",
]

SECRETS = GroupResource("", "secrets")
REDACTED: str = "<secret contents redacted>"
"""Shown in place of a part of a Secret: answers are logged and audited."""

Errors = list["FieldError"]
"""What a validation found; empty for nothing."""

_told: ContextVar[Effort | None] = ContextVar("told", default=None)


@contextlib.contextmanager
def metered() -> Iterator[None]:
    """Limit the length of the errors that are made inside.

    Many show the whole of a list in which one item is wrong: in a long list all items may be.

    Raises:
        TooMuchError: Together they are longer than anybody reads. The limit is twice what the
            validation of custom objects allows, which has a better answer.
    """
    token = _told.set(Effort(text=2 * TEXT))
    try:
        yield
    finally:
        _told.reset(token)


class FieldError(Struct, frozen=True):
    """One broken rule: where, which sort of rule, and the text behind the path."""

    reason: Reason
    path: str
    text: str

    def __post_init__(self) -> None:
        if (told := _told.get()) is not None:
            told.tell(self.text)

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"

    @property
    def cause(self) -> dict[str, str]:
        """The entry in ``details.causes`` of the Status."""
        return {"reason": self.reason, "message": self.text, "field": self.path}


def shown(value: Any) -> str:
    """Return *value* as Go prints it in a validation message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int):
        return str(value)
    return _compound(value)


_ESCAPES = {char: f"\\{name}" for char, name in zip('\a\b\f\n\r\t\v"\\', 'abfnrtv"\\', strict=True)}


def quoted(text: str) -> str:
    """Return *text* in double quotes, escaped as Go does."""
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(c) or (c if c.isprintable() else _code(ord(c))) for c in text)


def _code(point: int) -> str:
    if point < 0x80:  # noqa: PLR2004  # one byte of UTF-8
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004


def _float(value: float) -> str:
    """Return a float as Go's ``%v``: with an exponent from a million on, and below 0.0001."""
    if not math.isfinite(value):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    power = len(digits) + exponent - 1
    if -4 <= power < 6:  # noqa: PLR2004  # Go's limits for plain digits
        return str(int(value)) if value.is_integer() else repr(value)
    rest = "".join(map(str, digits[1:]))
    shown = f"{digits[0]}.{rest}" if rest else str(digits[0])
    return f"{'-' if sign else ''}{shown}e{'-' if power < 0 else '+'}{abs(power):02}"


def _compound(value: Any) -> str:
    text = msgspec.json.encode(_whole(value), order="sorted").decode()
    # Go escapes what matters in HTML, wherever it writes JSON.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _whole(value: Any) -> Any:
    """Return *value* with ``1.0`` as ``1``, as Go writes it."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """Return the error of a value that is not allowed there."""
    text = f"Invalid value: {shown(value)}"
    return FieldError("FieldValueInvalid", path, f"{text}: {detail}" if detail else text)


def required(path: str, detail: str = "") -> FieldError:
    """Return the error of a value that is missing."""
    text = "Required value"
    return FieldError("FieldValueRequired", path, f"{text}: {detail}" if detail else text)


def not_supported(
    path: str, value: Any, allowed: Iterable[str], *, sort: bool = True
) -> FieldError:
    """Return the error of a value that is not one of those allowed."""
    listed = ", ".join(quoted(item) for item in (sorted(allowed) if sort else allowed))
    text = f"Unsupported value: {shown(value)}"
    if listed:
        text += f": supported values: {listed}"
    return FieldError("FieldValueNotSupported", path, text)


def duplicate(path: str, value: Any) -> FieldError:
    """Return the error of a value that is there twice."""
    return FieldError("FieldValueDuplicate", path, f"Duplicate value: {shown(value)}")


def forbidden(path: str, detail: str) -> FieldError:
    """Return the error of a field that must not be set, or not be changed."""
    return FieldError("FieldValueForbidden", path, f"Forbidden: {detail}")


def too_long(path: str, limit: int) -> FieldError:
    """Return the error of a value with too many bytes or characters."""
    text = f"Too long: may not be more than {limit} bytes"
    return FieldError("FieldValueTooLong", path, text)


def too_many(path: str, actual: int, limit: int) -> FieldError:
    """Return the error of a list or map with too many entries."""
    most = f"must have at most {limit} item{'' if limit == 1 else 's'}"
    text = f"Too many: {actual}: {most if limit >= 0 else 'has too many items'}"
    return FieldError("FieldValueTooMany", path, text)


def not_found(path: str, value: Any) -> FieldError:
    """Return the error of a value that names something that does not exist."""
    return FieldError("FieldValueNotFound", path, f"Not found: {shown(value)}")


def type_invalid(path: str, value: Any, detail: str) -> FieldError:
    """Return the error of a value with the wrong JSON type."""
    text = f"Invalid value: {shown(value)}"
    return FieldError("FieldValueTypeInvalid", path, f"{text}: {detail}" if detail else text)


def internal(path: str, detail: str) -> FieldError:
    """Return the error of a rule that could not be checked."""
    return FieldError("InternalError", path, f"Internal error: {detail}")
