"""Pods as protobuf: read back by the decoder of our own API server."""

import struct
import sys
from pathlib import Path

import pytest

from bench import data, protobuf
from kubewright.apiserver.wire.protobuf import decode

# ObjectMeta (field 1 of a Pod): the name in 1, the version in 6, the generation in 7.
METADATA = b"\x0a\x03web\x32\x071111111\x38\x01"
POD = b"\x0a" + bytes([len(METADATA)]) + METADATA
# Answers every line with the same message, after its length, as the Go program does.
PROGRAM = """#!{python}
import struct, sys
message = {message!r}
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(struct.pack(">I", len(message)) + message)
"""


def messages(folder: Path, *, count: int, message: bytes = POD) -> list[protobuf.PodMessage]:
    """Return pods converted by a program that knows one pod only."""
    program = folder / "peer"
    program.write_text(PROGRAM.format(python=sys.executable, message=message))
    program.chmod(0o755)
    return protobuf.convert(list(data.pods(count)), program)


def test_every_pod_can_be_had_at_any_version(tmp_path: Path) -> None:
    """Encoding a pod anew for each event would make the server the bottleneck."""
    first, second = messages(tmp_path, count=2)

    (found,) = decode(protobuf.page([second.at(2_000_017, 3)], version=2_000_000))["items"]

    assert first == second
    assert found["metadata"] == {"name": "web", "resourceVersion": "2000017", "generation": 3}


def test_a_pod_without_a_place_for_the_version_is_refused(tmp_path: Path) -> None:
    """Otherwise every event would carry half a pod, and measure nothing."""
    with pytest.raises(ValueError, match="no version"):
        messages(tmp_path, count=1, message=b"\x0a\x05\x0a\x03web")


def test_a_page_is_a_pod_list_in_the_envelope_of_kubernetes(tmp_path: Path) -> None:
    """The token and the rest stand in its metadata, as a client reads them."""
    items = [pod.at(2_000_000) for pod in messages(tmp_path, count=2)]

    found = decode(protobuf.page(items, version=2_000_000, more="2", rest=300))

    assert found["kind"] == "PodList"
    assert len(found["items"]) == 2
    assert found["metadata"] == {
        "resourceVersion": "2000000",
        "continue": "2",
        "remainingItemCount": 300,
    }


def test_an_event_says_its_length_first(tmp_path: Path) -> None:
    """A watch in protobuf has no lines."""
    (pod,) = messages(tmp_path, count=1)

    event = protobuf.event("ADDED", pod.at(2_000_000))

    assert struct.unpack(">I", event[:4]) == (len(event) - 4,)
    assert b"ADDED" in event
    found = decode(event[event.index(b"k8s\x00") :])
    assert (found["kind"], found["metadata"]["name"]) == ("Pod", "web")


def test_a_bookmark_ends_a_streaming_list() -> None:
    """The annotation is what clients look for."""
    event = protobuf.initial_events_end(2_000_000)

    metadata = decode(event[event.index(b"k8s\x00") :])["metadata"]

    assert metadata["resourceVersion"] == "2000000"
    assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}
