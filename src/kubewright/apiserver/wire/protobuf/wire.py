"""The encoding of protobuf: tags, numbers and pieces of bytes. Nothing here knows any message."""

from collections.abc import Iterator
from typing import Any

VARINT: int = 0
FIXED64: int = 1
BYTES: int = 2
START_GROUP: int = 3
END_GROUP: int = 4
FIXED32: int = 5

_WORD = (1 << 64) - 1
_LONGEST = 10  # bytes of a number
_MORE = 0x80  # the bit of a byte that says that more follow
_GROUP_DEPTH = 100
_LARGEST_FIELD = (1 << 29) - 1

Field = tuple[int, int, int | bytes]
"""The number of a field, its wire type, and its value, which is a number or bytes.

The value of a group, which Kubernetes does not use, is empty.
"""


class WireError(ValueError):
    """The bytes are not a message; the text is that of Kubernetes' own decoder."""


def fields(data: bytes, message: str = "") -> Iterator[Field]:
    """Yield the fields of a message, in their order; *message* is its name in errors.

    Raises:
        WireError: The bytes are not a message.
    """
    position, end = 0, len(data)
    while position < end:
        tag = data[position]
        if tag < _MORE:
            position += 1
        else:
            tag, position = varint(data, position)
        number, wire = tag >> 3, tag & 7
        if wire == END_GROUP:
            raise WireError(f"proto: {message}: wiretype end group for non-group")
        if not 0 < number <= _LARGEST_FIELD:
            raise WireError(f"proto: {message}: illegal tag {number} (wire type {wire})")
        value, position = _value(data, position, wire)
        yield number, wire, value
        if wire > FIXED32:
            # The reader of the field has already refused its type.
            raise WireError(f"proto: illegal wireType {wire}")


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number at *position*, without a sign, and where it ends.

    Raises:
        WireError: It ends too early or not at all.
    """
    if position < len(data) and data[position] < _MORE:
        return data[position], position + 1
    result = 0
    for index in range(_LONGEST):
        if position >= len(data):
            raise WireError("unexpected EOF")
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << (7 * index)
        if byte < _MORE:
            return result & _WORD, position
    raise WireError("proto: integer overflow")


def _value(data: bytes, position: int, wire: int) -> tuple[int | bytes, int]:
    if wire == VARINT:
        return varint(data, position)
    if wire == BYTES:
        size, position = varint(data, position)
        if size >> 63:
            raise WireError("proto: negative length found during unmarshaling")
    elif wire == START_GROUP:
        return b"", _after_group(data, position)
    elif wire in (FIXED64, FIXED32):
        size = 8 if wire == FIXED64 else 4
    else:
        return b"", len(data)
    end = position + size
    if end > len(data):
        raise WireError("unexpected EOF")
    return data[position:end], end


def _after_group(data: bytes, position: int) -> int:
    """Return where the group ends that starts before *position*."""
    depth = 1
    while depth:
        tag, position = varint(data, position)
        wire = tag & 7
        if wire == END_GROUP:
            depth -= 1
        elif wire == START_GROUP:
            depth += 1
            if depth > _GROUP_DEPTH:
                raise WireError("proto: groups are nested too deeply")
        else:
            _, position = _value(data, position, wire)
    return position


def signed(number: int, bits: int) -> int:
    """Return the lowest *bits* of a number as a signed one, as Go does.

    >>> signed((1 << 64) - 1, 32), signed(1 << 31, 32), signed(5, 64)
    (-1, -2147483648, 5)
    """
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def expect(wanted: int, kind: int, value: int | bytes, field: str) -> Any:
    """Return *value* if its wire type is the wanted one.

    Raises:
        WireError: It is another.
    """
    if kind != wanted:
        raise WireError(f"proto: wrong wireType = {kind} for field {_name_in_go(field)}")
    return value


def _name_in_go(field: str) -> str:
    return "ObjectMeta" if field == "metadata" else f"{field[:1].upper()}{field[1:]}"
