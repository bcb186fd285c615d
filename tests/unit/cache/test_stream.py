"""Streams that are open: until when they must be heard of."""

import json
from typing import Any

import pytest

from kubewright.cache.stream import Habits, OpenStream, bookmark_of, version_of
from kubewright.errors import Attempt, DecodeError


def stream(*, initial: bool = False, opened: bool = True) -> OpenStream:
    found = OpenStream(100.0, 300, Attempt("watch", "pods"), initial=initial)
    found.opened = opened
    return found


@pytest.mark.parametrize(
    ("found", "bookmarks", "deadline"),
    [
        (stream(opened=False), False, 160.0),
        (stream(opened=False), True, 160.0),
        (stream(initial=True), True, 110.0),
        (stream(), True, 250.0),
        (stream(), False, 430.0),
    ],
)
def test_how_long_to_wait_depends_on_what_is_due(
    found: OpenStream, bookmarks: bool, deadline: float
) -> None:
    """An answer, the end of a list, a bookmark, or the end of the stream."""
    habits = Habits()
    habits.bookmarks = bookmarks

    assert found.deadline(habits) == deadline


def test_patience_grows_with_each_innocent_silence_and_has_an_end() -> None:
    """Servers end streams after ten minutes at the latest anyway."""
    habits = Habits()
    grown = []
    for _ in range(4):
        habits.fell_silent()
        habits.heard(after=60.0)
        grown.append(habits.silence)

    assert grown == [300.0, 600.0, 600.0, 600.0]


def test_patience_is_lost_when_a_silence_has_hidden_something() -> None:
    """The stream was dead."""
    habits = Habits()
    habits.fell_silent()

    habits.heard(after=0.2)

    assert habits.silence == 150.0


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
