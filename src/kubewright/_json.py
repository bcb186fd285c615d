"""JSON to and from typed objects: the only place that translates names, times and nulls.

Go writes ``null`` for every empty slice and map that lacks ``omitempty``. msgspec refuses ``null``
for a list, and making every list optional would put an ``or []`` into all user code. So we
decode a body strictly first; if that fails, we drop the nulls that its type does not allow and
decode it once more. Well-formed bodies, nearly all of them, cost nothing extra.
"""

import gc
import types
import typing
from _thread import RLock  # as functools does: a lock does not need the threading module
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from kubewright.errors import DecodeError

T = TypeVar("T")


class MicroTime(datetime):
    """A time that is written with six digits of a second, as ``metav1.MicroTime`` must be.

    Go parses it with a fixed layout: ``12:00:00Z`` without a fraction is refused.
    """

    @classmethod
    def of(cls, time: datetime) -> "MicroTime":
        """Return *time* as a MicroTime."""
        return cls(
            time.year, time.month, time.day, time.hour, time.minute, time.second,
            time.microsecond, time.tzinfo,
        )  # fmt: skip

    def __str__(self) -> str:
        moment = self.astimezone(UTC) if self.tzinfo else self
        # Not strftime: it writes the year 1 as "1", and Go's zero time is in that year.
        return f"{moment.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def _encode_hook(value: Any) -> Any:
    if isinstance(value, MicroTime):
        if value.tzinfo is None:
            raise ValueError(
                f"{value!r} has no time zone, so it names no moment: give it tzinfo=UTC"
            )
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r}")


def _decode_hook(kind: type, value: Any) -> Any:
    if kind is MicroTime and isinstance(value, str):
        try:
            return MicroTime.of(msgspec.convert(value, datetime))
        except msgspec.ValidationError as error:
            # msgspec adds the path of the field to a ValueError, not to an error of its own.
            raise ValueError(str(error)) from None
    raise TypeError(f"cannot make a {kind.__name__} of {value!r}")


_encoder = msgspec.json.Encoder(enc_hook=_encode_hook)
# A set has no fixed order, and a copy may differ in order: that must not look like a change.
_deterministic = msgspec.json.Encoder(enc_hook=_encode_hook, order="deterministic")
encode = _encoder.encode
"""Encode any of our objects to JSON bytes."""


# msgspec raises the last two as they are: text that is not UTF-8, and nesting that is too deep.
_BAD_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
# While it builds a decoder, msgspec stores incomplete type information at the class and runs Python
# code. Another thread that builds a decoder at that moment would use it, and crash.
_making = RLock()


def decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """Return the strict decoder of *kind*, made once."""
    found = _decoders.get(kind)
    if found is None:
        with _making:
            found = _decoders[kind] = msgspec.json.Decoder(kind, dec_hook=_decode_hook)
    return found


def decode(data: bytes | msgspec.Raw, kind: type[T]) -> T:
    """Decode JSON *data* as a *kind*, accepting ``null`` wherever Go writes it.

    Raises:
        DecodeError: The data does not fit; the message names the field.
    """
    # Decoding creates trees, never cycles, but with dozens of lists in each. The cyclic garbage
    # collector would walk everything decoded so far over and over, which costs more than the
    # decoding itself; so we pause it.
    collecting = gc.isenabled()
    if collecting:
        gc.disable()
    try:
        return decoder(kind).decode(data)
    except msgspec.ValidationError:
        return convert(_loads(data, kind), kind)
    except _BAD_JSON as error:
        raise _bad_json(data, kind, error) from error
    finally:
        if collecting:
            gc.enable()


def convert(value: Any, kind: type[T]) -> T:
    """Turn *value*, made of dicts and lists, into a *kind*, accepting nulls as `decode` does."""
    try:
        # Through JSON, since msgspec.convert cannot create a Raw.
        return decoder(kind).decode(encode(without_nulls(value, kind)))
    except msgspec.ValidationError as error:
        raise DecodeError(_explain(error, kind)) from error


def canonical(value: Any) -> bytes:
    """Encode *value* to JSON bytes that are the same for equal values."""
    try:
        return _deterministic.encode(value)
    except TypeError:  # a dict with numbers as keys, which msgspec does not sort
        return encode(value)


def to_builtins(value: Any) -> Any:
    """Turn *value* into dicts, lists and scalars, as its JSON would be."""
    return msgspec.json.decode(canonical(value))


def loads(data: bytes | msgspec.Raw) -> Any:
    """Decode JSON *data* into dicts and lists.

    Raises:
        DecodeError: It is not JSON.
    """
    return _loads(data, object)


def _loads(data: bytes | msgspec.Raw, kind: type) -> Any:
    try:
        return msgspec.json.decode(data)
    except _BAD_JSON as error:
        raise _bad_json(data, kind, error) from error


def _bad_json(data: bytes | msgspec.Raw, kind: type, error: Exception) -> DecodeError:
    start = bytes(data)[:60]
    what = "" if kind is object else f" a {_name(kind)}"
    if start.lstrip()[:1] in (b"{", b"["):
        # Do not show the data: it may be a Secret, and errors are logged.
        return DecodeError(f"cannot decode{what}: {error}")
    return DecodeError(f"cannot decode{what}: {error}. It begins with {start!r}")


def _name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _explain(error: msgspec.ValidationError, kind: type) -> str:
    """Rewrite msgspec's ``Expected `int`, got `str` - at `$.spec.size``` with the field first."""
    text, _, path = str(error).partition(" - at `")
    path = path.rstrip("`")
    what, _, path = path.rpartition("` in `")  # "key` in `$.labels" for the key of a dict
    where = path.removeprefix("$").removeprefix(".")
    at = f" at {what + ' in ' if what else ''}{where}" if where else ""
    return f"cannot decode a {_name(kind)}{at}: {text[:1].lower()}{text[1:]}"


def without_nulls(value: Any, kind: Any) -> Any:
    """Return *value* without the nulls that *kind* does not allow; other nulls stay."""
    return _dropper(kind)(value)


def _same(value: Any) -> Any:
    return value


@cache
def _dropper(kind: Any) -> typing.Callable[[Any], Any]:
    """Return the function that drops nulls from values of the type *kind*."""
    kind = _bare(kind)
    origin = get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_dropper(kind)
    if origin in (list, set, frozenset, tuple):
        return _list_dropper(get_args(kind)[0] if get_args(kind) else Any)
    if origin is dict:
        return _dict_dropper(get_args(kind)[1])
    if _is_struct(kind):
        return _struct_dropper(kind)
    return _same


def _union_dropper(kind: Any) -> typing.Callable[[Any], Any]:
    """Return the function for a union, chosen by object, array or scalar, as in JSON."""
    parts = [_bare(part) for part in get_args(kind) if part is not types.NoneType]
    objects = [p for p in parts if get_origin(p) is dict or _is_struct(p)]
    arrays = [p for p in parts if get_origin(p) in (list, set, frozenset, tuple)]

    def drop(value: Any) -> Any:
        if isinstance(value, dict) and objects:
            return _dropper(objects[0])(value)
        if isinstance(value, list) and arrays:
            return _dropper(arrays[0])(value)
        return value

    return drop


def _list_dropper(item: Any) -> typing.Callable[[Any], Any]:
    wants_null = accepts_null(item)

    def drop(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        inner = _dropper(item)
        return [inner(one) for one in value if one is not None or wants_null]

    return drop


def _dict_dropper(item: Any) -> typing.Callable[[Any], Any]:
    wants_null = accepts_null(item)

    def drop(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        inner = _dropper(item)
        return {key: inner(one) for key, one in value.items() if one is not None or wants_null}

    return drop


def _struct_dropper(kind: type[msgspec.Struct]) -> typing.Callable[[Any], Any]:
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}

    def drop(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        kept = {}
        for name, one in value.items():
            wanted = fields.get(name, Any)
            if one is not None:
                kept[name] = _dropper(wanted)(one)
            elif accepts_null(wanted):
                kept[name] = None
        return kept

    return drop


def _is_struct(kind: Any) -> bool:
    cls = get_origin(kind) or kind  # also for a generic model with its argument
    return isinstance(cls, type) and issubclass(cls, msgspec.Struct)


def _bare(kind: Any) -> Any:
    """Return the type inside `Annotated` or a ``type`` statement."""
    while True:
        if get_origin(kind) is typing.Annotated:
            kind = get_args(kind)[0]
        elif type(kind).__name__ == "TypeAliasType":  # from Python 3.12 on
            kind = kind.__value__
        else:
            return kind


@cache
def accepts_null(kind: Any) -> bool:
    """Tell whether ``None`` is a value of the type *kind*."""
    if kind is Any or kind is None or kind is types.NoneType or kind is object:
        return True
    if get_origin(kind) is typing.Annotated:
        return accepts_null(get_args(kind)[0])
    if get_origin(kind) in (typing.Union, types.UnionType):
        return any(accepts_null(part) for part in get_args(kind))
    return False
