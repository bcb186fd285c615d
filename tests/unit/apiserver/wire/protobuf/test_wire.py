"""Tests of `kubewright.apiserver.wire.protobuf.wire`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.wire.protobuf.wire import WireError, expect, fields, signed, varint

EOF = "unexpected EOF"


@given(st.integers(0, (1 << 64) - 1))
def test_every_number_is_read_as_it_was_written(value: int) -> None:
    """Numbers of any size come out of their seven-bit groups."""
    groups = [value >> shift & 0x7F for shift in range(0, 70, 7)]
    while len(groups) > 1 and not groups[-1]:
        groups.pop()
    data = bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])

    assert varint(data, 0) == (value, len(data))


def test_fields_of_every_wire_type_are_yielded_in_order() -> None:
    """A number, eight bytes, a piece, a group and four bytes are told apart."""
    data = b"\x08\x05" + b"\x11ABCDEFGH" + b"\x1a\x02hi" + b"\x23\x08\x01\x24" + b"\x2dWXYZ"

    assert list(fields(data)) == [
        (1, 0, 5),
        (2, 1, b"ABCDEFGH"),
        (3, 2, b"hi"),
        (4, 3, b""),
        (5, 5, b"WXYZ"),
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x08", EOF),
        (b"\x80", EOF),
        (b"\x0a\x05abc", EOF),
        (b"\x09abc", EOF),
        (b"\x0dabc", EOF),
        (b"\x0b\x08\x01", EOF),
        (b"\x0a" + b"\xff" * 8 + b"\x3f", EOF),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "proto: negative length found during unmarshaling"),
        (b"\x08" + b"\xff" * 11, "proto: integer overflow"),
        (b"\x02\x00", "proto: Pod: illegal tag 0 (wire type 2)"),
        (b"\x0c", "proto: Pod: wiretype end group for non-group"),
        (b"\x0f", "proto: illegal wireType 7"),
        (b"\x0b" * 1000, "proto: groups are nested too deeply"),
    ],
)
def test_broken_bytes_are_refused_with_the_words_of_kubernetes(data: bytes, why: str) -> None:
    """Whatever is cut off, too long or no field at all ends in an error, not in a crash."""
    with pytest.raises(WireError) as caught:
        list(fields(data, "Pod"))

    assert str(caught.value) == why


def test_a_field_of_another_wire_type_is_named_as_in_go() -> None:
    """People search for the text that Kubernetes writes."""
    with pytest.raises(WireError, match=r"^proto: wrong wireType = 0 for field ObjectMeta$"):
        expect(2, 0, 5, "metadata")
    with pytest.raises(WireError, match=r"^proto: wrong wireType = 1 for field ClusterIP$"):
        expect(2, 1, b"", "clusterIP")


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_a_number_keeps_its_sign_in_32_and_64_bits(value: int) -> None:
    """Negative numbers are sent as 64 bits, whatever their type is."""
    assert signed(value % (1 << 64), 32) == signed(value % (1 << 64), 64) == value
