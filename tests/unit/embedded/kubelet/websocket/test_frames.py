import pytest
from websockets.frames import Frame as LibraryFrame
from websockets.frames import Opcode

from kubewright.embedded.kubelet.websocket import frames


def sent(data: bytes, opcode: Opcode = Opcode.BINARY, *, fin: bool = True) -> bytes:
    """Return a frame as a client sends it."""
    return LibraryFrame(opcode, data, fin).serialize(mask=True)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536, 200_000])
def test_a_frame_of_any_length_is_read(size: int) -> None:
    """The length has three forms, and the mask goes round many times."""
    data = bytes(range(256)) * (size // 256) + bytes(range(size % 256))

    found = list(frames.FrameReader().feed(sent(data)))

    assert found == [frames.Frame(frames.BINARY, data)]


def test_frames_are_cut_where_they_are_and_not_where_they_arrive() -> None:
    """A socket knows no frames."""
    wire = sent(b"one") + sent(b"x" * 300, fin=False) + sent(b"two", Opcode.TEXT)
    reader = frames.FrameReader()

    found = [frame for byte in wire for frame in reader.feed(bytes([byte]))]

    assert found == [
        frames.Frame(frames.BINARY, b"one"),
        frames.Frame(frames.BINARY, b"x" * 300, final=False),
        frames.Frame(frames.TEXT, b"two"),
    ]


@pytest.mark.parametrize(
    ("wire", "code"),
    [
        (b"\x82\x01a", frames.PROTOCOL_ERROR),
        (b"\xc2\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x83\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x09\x80\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x89\xfe\0\x7e\0\0\0\0", frames.PROTOCOL_ERROR),
        (b"\x82\xff\0\0\0\0\xff\xff\xff\xff", frames.TOO_LARGE),
    ],
)
def test_what_is_no_frame_of_a_client_is_refused(wire: bytes, code: int) -> None:
    """No mask, reserved bits, an unknown kind, a ping in parts or too long, and four gigabytes."""
    with pytest.raises(frames.FrameError) as caught:
        list(frames.FrameReader().feed(wire))

    assert caught.value.code == code


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536])
def test_a_frame_of_ours_is_what_the_library_would_write(size: int) -> None:
    """A server's frames wear no mask."""
    data = b"x" * size

    assert frames.frame(frames.BINARY, data) == LibraryFrame(Opcode.BINARY, data).serialize(
        mask=False
    )


def test_a_goodbye_has_a_code_and_room_for_little_more() -> None:
    """A control frame holds 125 bytes."""
    assert frames.close_frame() == b"\x88\x02\x03\xe8"
    assert len(frames.close_frame(1002, "x" * 500)) == 127
