import pytest

from kubewright.embedded.kubelet.spdy import frames
from kubewright.embedded.kubelet.spdy.error import SPDYError


def test_each_kind_of_frame_is_read_as_it_was_written() -> None:
    """One byte after the other: a socket knows no frames."""
    writer, reader = frames.FrameWriter(), frames.FrameReader()
    wire = (
        writer.open(1, {"streamtype": "stdin"}, final=True)
        + writer.reply(1, {})
        + frames.data_frame(1, b"x" * 70000)
        + frames.data_frame(3, b"", final=True)
        + frames.reset_frame(5, 3)
        + frames.settings_frame(1000)
        + frames.ping_frame(7)
        + frames.goaway_frame(9, 1)
        + frames.window_frame(0, 11)
    )

    found = [event for byte in wire for event in reader.feed(bytes([byte]))]

    assert found == [
        frames.Opened(1, {"streamtype": "stdin"}, final=True),
        frames.Replied(1),
        frames.Data(1, b"x" * 70000),
        frames.Data(3, b"", final=True),
        frames.Reset(5, 3),
        frames.InitialWindow(1000),
        frames.Ping(7),
        frames.GoAway(9, 1),
        frames.WindowUpdate(0, 11),
    ]


def test_the_bytes_are_those_of_the_draft() -> None:
    """A control bit, version 3, a kind, flags, three bytes of length."""
    assert frames.data_frame(5, b"ab", final=True) == bytes.fromhex("00000005 01000002") + b"ab"
    assert frames.ping_frame(1) == bytes.fromhex("80030006 00000004 00000001")
    assert frames.reset_frame(3, 5) == bytes.fromhex("80030003 00000008 00000003 00000005")


def test_unknown_frames_and_settings_are_skipped() -> None:
    """So says the draft: others may know more than we do."""
    odd = bytes.fromhex("8003000a 00000004 00000000")
    settings = bytes.fromhex("80030004 0000000c 00000001 00000004 00000064")

    assert list(frames.FrameReader().feed(odd + settings + frames.ping_frame(3))) == [
        frames.Ping(3)
    ]


@pytest.mark.parametrize(
    "wire",
    ["80020006 00000004 00000001", "80030006 00000002 0000", "80030001 00ffffff"],
)
def test_what_is_no_frame_of_spdy_3_is_refused(wire: str) -> None:
    """Another version, too short, and sixteen megabytes of headers."""
    with pytest.raises(SPDYError):
        list(frames.FrameReader().feed(bytes.fromhex(wire)))
