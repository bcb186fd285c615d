from datetime import UTC, datetime, timedelta

from kubewright.embedded.node.pod.pulls import Pulls

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_each_failure_waits_twice_as_long_up_to_five_minutes() -> None:
    """A registry that is down is not asked all the time."""
    pulls, waits = Pulls(), []
    for _ in range(7):
        pulls.note_failure("a", "not found", NOON)
        waits.append(pulls.left("a", NOON))

    assert waits == [10, 20, 40, 80, 160, 300, 300]
    assert pulls.why("a") == "not found"


def test_a_failure_is_to_be_seen_before_the_waiting() -> None:
    """ErrImagePull first, ImagePullBackOff then."""
    pulls = Pulls()
    pulls.note_failure("a", "not found", NOON)

    assert pulls.has_just_failed("a", NOON)
    assert not pulls.has_just_failed("a", NOON + timedelta(seconds=2))
    assert pulls.left("a", NOON + timedelta(seconds=10)) == 0


def test_an_image_that_is_there_is_forgotten() -> None:
    """The next failure starts with the first delay again."""
    pulls = Pulls()
    pulls.note_failure("a", "not found", NOON)

    pulls.forget("a")

    assert pulls.left("a", NOON) == 0
    assert pulls.why("a") == ""
