"""A small encoder of protobuf, written apart from the decoder that it tests."""


def number(value: int) -> bytes:
    """Return a number as a varint; a negative one takes ten bytes."""
    value %= 1 << 64
    out = bytearray()
    while value > 127:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


def field(position: int, value: int | str | bytes) -> bytes:
    """Return a field: a number, or a piece of bytes with its length."""
    if isinstance(value, int):
        return number(position * 8) + number(value)
    data = value.encode() if isinstance(value, str) else value
    return number(position * 8 + 2) + number(len(data)) + data


def entry(position: int, key: str, value: str | bytes) -> bytes:
    """Return an entry of a map."""
    return field(position, field(1, key) + field(2, value))


def envelope(api_version: str, kind: str, *message: bytes) -> bytes:
    """Return a message as clients send it."""
    head = field(1, field(1, api_version) + field(2, kind))
    return b"k8s\0" + head + field(2, b"".join(message)) + field(3, "") + field(4, "")
