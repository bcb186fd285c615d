"""Own writes that the stream has not shown yet."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.cache import written as module
from kubewright.cache.written import Written, is_comparable, is_newer
from tests.unit.cache.objects import entry, key


def test_a_write_is_ahead_until_the_stream_passes_it() -> None:
    """Not longer: what the stream says from then on is newer."""
    written: Written[Any] = Written()
    written.note_write(entry("a", 10), streamed=entry("a", 5))

    before = written.settle("9")
    after = written.settle("11")

    assert not before
    assert [one.key for one in after] == [key("a")]
    assert not written.pending


def test_versions_are_compared_as_numbers() -> None:
    """As text, 9 would come after 10."""
    written: Written[Any] = Written()
    written.note_write(entry("a", 10), streamed=None)

    assert not written.settle("9")
    assert written.pending.get(key("a")) is not None


def test_an_answer_that_comes_after_the_stream_is_no_news() -> None:
    """The object may be gone by then, and nothing would take it away again."""
    written: Written[Any] = Written()
    written.settle("12")

    assert written.note_write(entry("a", 10), streamed=None) is None
    assert written.note_write(entry("a", 10), streamed=entry("a", 11)) is None
    assert not written.pending


def test_answers_may_come_in_any_order() -> None:
    """Two writes to one object at once: the newer answer stays."""
    written: Written[Any] = Written()
    written.note_write(entry("a", 12), streamed=None)

    assert written.note_write(entry("a", 10), streamed=None) is None
    assert written.pending.get(key("a")).version == "12"  # type: ignore[union-attr]  # it was written


def test_a_stream_of_one_namespace_settles_only_that() -> None:
    """Those of others may be far behind."""
    written: Written[Any] = Written()
    written.note_write(entry("a", 10, namespace="x"), streamed=None)
    written.note_write(entry("a", 10, namespace="y"), streamed=None)

    settled = written.settle("20", namespace="y")

    assert [str(one.key) for one in settled] == ["y/a"]
    assert written.has_passed("10", "y")
    assert not written.has_passed("10", "x")


def test_a_deletion_hides_only_the_object_that_was_deleted() -> None:
    """Somebody may have made another of that name by now."""
    written: Written[Any] = Written()

    assert written.note_deletion(key("a"), "old", streamed=entry("a", 5, uid="new")) is None
    assert written.note_deletion(key("a"), "old", streamed=entry("a", 4, uid="old")) is not None


def test_an_update_that_is_answered_after_the_deletion_is_no_news() -> None:
    """It would bring back what is gone."""
    written: Written[Any] = Written()
    written.note_deletion(key("a"), "uid-a", streamed=None)

    assert written.note_write(entry("a", 10), streamed=None) is None


def test_creating_again_after_a_deletion_is_seen() -> None:
    """It is another object."""
    written: Written[Any] = Written()
    written.note_deletion(key("a"), "old", streamed=entry("a", 5, uid="old"))

    made = written.note_write(entry("a", 10, uid="new"), streamed=entry("a", 5, uid="old"))

    assert made is not None
    assert made.shown is made.entry


def test_deleting_what_we_made_does_not_bring_back_what_was_there_before_it() -> None:
    """The stream may still be at an earlier object of that name, whose end it has not told."""
    written: Written[Any] = Written()
    before = entry("a", 5, uid="old")
    written.note_write(entry("a", 10, uid="new"), streamed=before)

    made = written.note_deletion(key("a"), "new", streamed=before)

    assert made is not None
    assert made.shown is None


def test_deleting_another_object_than_the_one_we_made_does_not_hide_ours() -> None:
    """It is noted as dead, though, so that its late events do not show it again."""
    written: Written[Any] = Written()
    written.note_write(entry("a", 10, uid="new"), streamed=None)

    assert written.note_deletion(key("a"), "old", streamed=None) is None
    assert written.note_write(entry("a", 12, uid="old"), streamed=None) is None

    pending = written.pending.get(key("a"))
    assert pending is not None
    pending.streamed = entry("a", 11, uid="old")
    assert pending.shown is pending.entry


def test_what_was_deleted_before_stays_dead_when_we_make_another() -> None:
    """An answer or an event about the first must not win over the second."""
    written: Written[Any] = Written()
    written.note_deletion(key("a"), "old", streamed=entry("a", 5, uid="old"))
    made = written.note_write(entry("a", 10, uid="new"), streamed=entry("a", 5, uid="old"))

    assert made is not None
    assert made.dead == {"old"}
    assert written.note_write(entry("a", 11, uid="old"), streamed=None) is None


def test_versions_that_cannot_be_compared_wait_for_the_same_one_or_a_list() -> None:
    """Without an order, only equality says that the stream has come so far."""
    written: Written[Any] = Written()
    made = written.note_write(entry("a", "v-b"), streamed=entry("a", "v-a"))

    assert made is not None
    assert made.is_ahead
    assert not written.settle("v-c")
    made.streamed = entry("a", "v-b")
    assert not made.is_ahead
    assert [one.key for one in written.settle_list("v-d")] == [key("a")]


def test_a_list_settles_deletions_of_what_it_does_not_have() -> None:
    """Their end will never be told; one that it still has stays hidden."""
    written: Written[Any] = Written()
    written.note_deletion(key("a"), "uid-a", streamed=None)
    written.note_deletion(key("b"), "uid-b", streamed=entry("b", 5))

    settled = written.settle_list("7")

    assert [one.key for one in settled] == [key("a")]


def test_a_stream_that_begins_anew_forgets_how_far_it_was() -> None:
    """A server that was restored from a backup counts from an earlier version."""
    written: Written[Any] = Written()
    written.settle("100")
    written.settle("100", namespace="x")

    written.restart(None)

    assert written.note_write(entry("a", 50), streamed=None) is not None


def test_deletions_that_are_never_shown_do_not_pile_up() -> None:
    """An informer with a field selector may never hear of what came and went."""
    written: Written[Any] = Written()
    for number in range(module._MOST_DELETED + 100):
        written.note_deletion(key(f"n{number}"), f"uid-{number}", streamed=None)

    assert len(written.pending) == module._MOST_DELETED
    assert written.pending.get(key("n0")) is None


def test_what_the_stream_shows_by_itself_does_not_pile_up_either() -> None:
    """Each write leaves a note of its version; it goes when the write is settled otherwise."""
    written: Written[Any] = Written()
    for number in range(1, 100):
        written.note_write(entry("a", number), streamed=None)
        written.drop(key("a"))
        written.settle(str(number), namespace="x")

    assert not written._due


def test_namespaces_that_a_stream_of_all_of_them_has_seen_do_not_pile_up() -> None:
    """Each event settles its own; what covers them all makes the notes of them needless."""
    written: Written[Any] = Written()
    for number in range(1, 100):
        written.settle(str(number), namespace=f"n{number}")
        written.settle(str(number))

    assert len(written._reached) == 1
    assert written.has_passed("99", "n1")


# --- Versions ---


@given(st.integers(1, 10**30), st.integers(1, 10**30))
def test_numbers_of_any_length_are_ordered_as_numbers(one: int, other: int) -> None:
    """A version may be longer than any machine integer."""
    assert is_newer(str(one), str(other)) is (one > other)


@pytest.mark.parametrize("version", ["", "0", "012", "-1", "1.5", "abc", "²", "\u0661"])
def test_what_is_no_plain_number_cannot_be_ordered(version: str) -> None:
    """Guessing an order would hide new objects behind old ones."""
    assert not is_comparable(version)
    assert is_newer(version, "7") is None
    assert is_newer("7", version) is (None if version else True)


def test_equal_versions_are_not_newer_whatever_they_look_like() -> None:
    """Equality needs no order."""
    assert is_newer("abc", "abc") is False
    assert is_newer("7", "7") is False
