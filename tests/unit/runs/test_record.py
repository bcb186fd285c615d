"""What is known of one run."""

from datetime import UTC, datetime, timedelta

from kubewright.api import ObjectKey
from kubewright.api.kind import RESTMapping
from kubewright.api.requests import Place, WriteOptions, get, update
from kubewright.runs import APICall, LogLine, Reason, RunRecord

SHOPS = RESTMapping("example.com", "v1", "Shop", "shops")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def record(delay: float | None = 20.0) -> RunRecord:
    """Return a record with two calls."""
    place = Place(SHOPS, "high-street", "corner")
    calls = (
        APICall.of(get(place), at=0, took=0),
        APICall.of(update(place, b"", WriteOptions()), at=0, took=0),
    )
    return RunRecord(
        "a1-7", "shop", "Shop", ObjectKey("high-street", "corner"), "", (Reason("retry"),), 2,
        NOON, 0.1, 0.5, "error", delay, calls=calls,
    )  # fmt: skip


def test_a_record_is_one_line() -> None:
    """That is how people print it first."""
    assert str(record()) == "a1-7 Shop high-street/corner: error in 0.500 s, again in 20 s (retry)"
    assert str(record(None)) == "a1-7 Shop high-street/corner: error in 0.500 s (retry)"


def test_a_record_says_when_it_comes_again() -> None:
    """Or that nothing has asked for it."""
    assert record().comes_again
    assert record().next_at == NOON + timedelta(seconds=20.5)
    assert not record(None).comes_again
    assert record(None).next_at is None


def test_writes_are_those_of_the_calls_that_change() -> None:
    """Most calls read; people look for the others."""
    assert [call.verb for call in record().writes] == ["update"]


def test_a_line_reads_as_it_was_logged() -> None:
    """With its fields behind the message."""
    assert str(LogLine(0.1, "info", "filled", {"liters": 2})) == "filled liters=2"
