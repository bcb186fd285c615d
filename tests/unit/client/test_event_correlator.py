"""The correlator: what is counted, combined and left out, with client-go's numbers."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.kind import ObjectKey
from kubewright.client.event_correlator import Correlator, Observation, Occurrence
from kubewright.client.event_parts import Reference

START = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = count()


def happened(message: str = "m", *, at: float = 0, name: str = "web", **other: Any) -> Occurrence:
    parts: dict[str, Any] = {"type": "Normal", "reason": "Synced", **other}
    return Occurrence(
        key=ObjectKey("shop", f"{name}.{next(NUMBERS)}"),
        regarding=parts.pop("regarding", Reference("v1", "Pod", "shop", name, uid="u")),
        message=message,
        time=START + timedelta(seconds=at),
        at=at,
        **parts,
    )


def sent(correlator: Correlator, occurrence: Occurrence) -> Observation:
    observation = correlator.observe(occurrence)
    assert observation is not None
    return observation


def test_the_first_of_its_kind_is_a_new_event() -> None:
    """It is named and dated after itself."""
    occurrence = happened()

    found = sent(Correlator(), occurrence)

    assert found.is_new
    assert (found.key, found.count, found.first) == (occurrence.key, 1, START)
    assert found.message == "m"


def test_the_same_again_counts_up() -> None:
    """`kubectl` shows "x3 over 20s" instead of three lines."""
    correlator = Correlator()
    first = sent(correlator, happened())

    sent(correlator, happened(at=10))
    third = sent(correlator, happened(at=20))

    assert not third.is_new
    assert (third.key, third.count, third.first) == (first.key, 3, START)
    assert third.occurrence.time == START + timedelta(seconds=20)


def test_what_differs_is_another_event() -> None:
    """Message, reason, type, action, part, object make a difference; its version does not."""
    correlator = Correlator()
    sent(correlator, happened())
    same = Reference("v1", "Pod", "shop", "web", uid="u", resource_version="9")
    part = Reference("v1", "Pod", "shop", "web", uid="u", field_path="spec.containers{a}")
    reborn = Reference("v1", "Pod", "shop", "web", uid="other")

    others = [
        happened("n"), happened(reason="Failed"), happened(type="Warning"), happened(action="Act"),
        happened(regarding=part), happened(regarding=reborn), happened(related=same),
    ]  # fmt: skip

    assert all(sent(correlator, other).is_new for other in others)
    assert not sent(correlator, happened(regarding=same)).is_new


def test_the_tenth_different_message_and_all_after_it_are_one_event() -> None:
    """Eleven messages with a counter in them must not be eleven events."""
    correlator = Correlator()
    nine = [sent(correlator, happened(f"took {i} s", at=i)) for i in range(9)]

    tenth = sent(correlator, happened("took 9 s", at=9))
    eleventh = sent(correlator, happened("took 10 s", at=10))

    assert all(one.is_new and not one.message.startswith("(") for one in nine)
    assert tenth.is_new
    assert tenth.message == "(combined from similar events): took 9 s"
    assert (eleventh.key, eleventh.count) == (tenth.key, 2)
    assert eleventh.message == "(combined from similar events): took 10 s"


def test_the_first_nine_messages_keep_their_own_events() -> None:
    """Which ones are combined must not depend on chance."""
    correlator = Correlator()
    first = sent(correlator, happened("0"))
    for i in range(1, 12):
        sent(correlator, happened(str(i)))

    again = sent(correlator, happened("0"))

    assert (again.key, again.count, again.message) == (first.key, 2, "0")


def test_messages_are_forgotten_after_ten_quiet_minutes() -> None:
    """A failure of yesterday has nothing to do with one of today."""
    correlator = Correlator()
    for i in range(9):
        sent(correlator, happened(str(i)))

    at_the_limit = sent(correlator, happened("at the limit", at=600))
    after = sent(correlator, happened("after", at=1200.1))

    assert at_the_limit.message == "(combined from similar events): at the limit"
    assert after.message == "after"


def test_a_combined_message_still_fits() -> None:
    """The prefix must not push it over what the server takes."""
    correlator = Correlator()
    for i in range(9):
        sent(correlator, happened(str(i)))

    found = sent(correlator, happened("x" * 1024))

    assert len(found.message.encode()) == 1024
    assert found.message.endswith("…")


def test_the_twenty_sixth_event_of_a_burst_is_not_sent() -> None:
    """One broken object must not fill etcd."""
    correlator = Correlator()
    reasons = [f"Reason{i}" for i in range(26)]

    found = [correlator.observe(happened(reason=reason)) for reason in reasons]

    assert all(found[:25])
    assert found[25] is None
    assert correlator.observe(happened(name="another")) is not None


def test_one_more_is_sent_every_five_minutes() -> None:
    """A long trouble stays visible."""
    correlator = Correlator()
    for _ in range(30):
        correlator.observe(happened())

    assert correlator.observe(happened(at=299)) is None
    assert correlator.observe(happened(at=300)) is not None
    assert correlator.observe(happened(at=301)) is None


def test_what_was_not_sent_is_counted() -> None:
    """The next one that is sent tells how often it really happened."""
    correlator = Correlator()
    for _ in range(30):
        correlator.observe(happened())

    assert sent(correlator, happened(at=300)).count == 31


def test_the_longest_unused_is_forgotten() -> None:
    """An operator with a million objects has a bounded memory of them."""
    correlator = Correlator()
    sent(correlator, happened(name="old"))
    sent(correlator, happened(name="used"))
    for i in range(4094):
        sent(correlator, happened(name=f"n{i}"))
    assert not sent(correlator, happened(name="used")).is_new

    sent(correlator, happened(name="one-more"))

    assert not sent(correlator, happened(name="used")).is_new
    assert sent(correlator, happened(name="old")).is_new


def test_an_object_that_is_silenced_stays_so_while_it_goes_on() -> None:
    """It must not win a new burst because others push it out of memory."""
    correlator = Correlator()
    for _ in range(25):
        sent(correlator, happened(name="loud"))

    for i in range(5000):
        sent(correlator, happened(name=f"n{i}"))
        assert correlator.observe(happened(name="loud")) is None


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from("abcdefghijklmnop")), max_size=80))
def test_however_it_comes_the_limits_hold(steps: list[tuple[int, str]]) -> None:
    """At most 25 and one per five minutes; at most nine names and one more; counts only grow."""
    correlator = Correlator()
    at, out = 0, []
    for wait, message in steps:
        at += wait
        out.append(correlator.observe(happened(message, at=at)))

    found = [one for one in out if one is not None]
    assert len(found) <= 25 + at / 300
    counts: dict[ObjectKey, int] = {}
    for one in found:
        assert one.count > counts.get(one.key, 0)
        counts[one.key] = one.count
    assert len(counts) <= 10
