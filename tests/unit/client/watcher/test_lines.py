"""Lines of a watch: cut anywhere, written in any order, or not events at all."""

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.watcher.lines import Lines, bookmark_of, parse_event, version_of
from kubewright.errors import DecodeError


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """Return *data* cut into chunks at *places*."""
    marks = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in pairwise(marks)]


@given(st.lists(st.binary().filter(lambda b: b"\n" not in b)), st.lists(st.integers(0)))
def test_lines_are_the_same_however_the_stream_is_cut(
    lines: list[bytes], places: list[int]
) -> None:
    """TCP cuts where it likes, in the middle of a character, too."""
    whole = b"".join(one + b"\n" for one in lines)
    cutter = Lines()

    one_by_one = [one for chunk in cut(whole, places) for one in cutter.feed([chunk])]
    at_once = cutter.feed(cut(whole, places))

    assert one_by_one == at_once == [one + b"\n" for one in lines]
    assert cutter.pending == 0


def test_a_line_that_is_a_chunk_is_not_copied() -> None:
    """Servers send one event in each chunk, and to copy them all costs more than to cut them."""
    chunks = [b"first\n", b"second\n"]

    found = Lines().feed(chunks)

    assert all(one is chunk for one, chunk in zip(found, chunks, strict=True))


def test_a_line_of_many_megabytes_arrives() -> None:
    """A ConfigMap may hold a megabyte, and some servers allow more."""
    cutter = Lines()
    chunk = b"x" * 65536

    early = [cutter.feed([chunk]) for _ in range(160)]
    late = cutter.feed([b"y\nz"])

    assert not any(early)
    assert late == [chunk * 160 + b"y\n"]
    assert cutter.pending == 1


@pytest.mark.parametrize(
    "text",
    [
        b'{"type":"ADDED","object":{"a":{}}}\n',
        b'{"type":"ADDED","object":{"a":{}}}',
        b'{"object":{"a":{}},"type":"ADDED"}',
        b'{ "type": "ADDED", "object": {"a":{}} }',
        b'{"type":"ADDED","extra":1,"object":{"a":{}}}',
    ],
)
def test_an_event_is_read_whatever_the_order_of_its_fields(text: bytes) -> None:
    """The quick way relies on Go's order; another server may write another."""
    kind, raw = parse_event(text)

    assert kind == "ADDED"
    assert json.loads(raw) == {"a": {}}


def test_a_line_that_is_no_event_is_refused_with_its_beginning() -> None:
    """A proxy may answer 200 with a page of its own."""
    with pytest.raises(DecodeError, match="<html>"):
        parse_event(b"<html>hello")


@pytest.mark.parametrize(
    ("metadata", "read"),
    [
        ({"resourceVersion": "7"}, ("7", False)),
        ({"resourceVersion": "7", "annotations": None}, ("7", False)),
        (
            {"resourceVersion": "7", "annotations": {"k8s.io/initial-events-end": "true"}},
            ("7", True),
        ),
    ],
)
def test_a_bookmark_has_a_version_and_may_end_a_list(metadata: Any, read: Any) -> None:
    """That is all there is in it."""
    assert bookmark_of(json.dumps({"metadata": metadata}).encode()) == read


def test_what_is_no_bookmark_is_said_to_be_none() -> None:
    """Rather than to go on from nowhere."""
    with pytest.raises(DecodeError):
        bookmark_of(b'{"metadata":{"resourceVersion":7}}')


@pytest.mark.parametrize(
    ("raw", "version"),
    [
        (b'{"metadata":{"labels":5,"resourceVersion":"7"}}', "7"),
        (b'{"metadata":{"resourceVersion":7}}', ""),
        (b'{"metadata":[]}', ""),
        (b"[]", ""),
        (b"{", ""),
    ],
)
def test_the_version_of_an_odd_object_is_found_where_it_has_one(raw: bytes, version: str) -> None:
    """So that it is not sent to us again and again."""
    assert version_of(raw) == version
