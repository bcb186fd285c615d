import pytest

from kubewright.embedded.controllers.deployment.scaling import (
    Scale,
    annotate_size,
    is_resized,
    max_surge,
    max_unavailable,
    new_size,
    resized,
    rolled_down,
)
from tests.unit.embedded.controllers.deployment.objects import deployment, replica_set


def sizes(scales: list[Scale]) -> dict[str, int]:
    """Return the sizes by the name of the set."""
    return {one.set.metadata.name: one.size for one in scales}


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (10, "25%", "25%", (3, 2)),
        (4, 1, 0, (1, 0)),
        (1, "0%", "25%", (0, 1)),
        (2, 0, "100%", (0, 2)),
        (3, 0, 10, (0, 3)),
        (0, "25%", "25%", (0, 0)),
    ],
)
def test_percentages_are_rounded_in_favour_of_progress(
    replicas: int, surge: int | str, unavailable: int | str, expected: tuple[int, int]
) -> None:
    """Above what is wanted rounded up, below it down, and never both zero."""
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    made = deployment(replicas, strategy={"type": "RollingUpdate", "rollingUpdate": rolling})

    assert (max_surge(made), max_unavailable(made)) == expected


def test_the_new_set_grows_as_far_as_there_is_room() -> None:
    """And at once to all that is wanted where pods are recreated, or are too many."""
    made, old = deployment(10), replica_set("old", 10)

    assert new_size(made, replica_set("new", 0), [old]) == 3
    assert new_size(made, replica_set("new", 3), [old]) == 3
    assert new_size(made, replica_set("new", 12), []) == 10
    assert new_size(deployment(10, strategy={"type": "Recreate"}), replica_set("new"), []) == 10


def test_old_sets_give_up_what_can_be_missed() -> None:
    """Never more than may be unavailable, counting what does not work yet."""
    made = deployment(10)

    first = rolled_down(made, replica_set("new", 3, available=0), [replica_set("old", 10)])
    later = rolled_down(made, replica_set("new", 5, available=5), [replica_set("old", 8)])
    none = rolled_down(made, replica_set("new", 5, available=0), [replica_set("old", 8)])

    assert (sizes(first), sizes(later), sizes(none)) == ({"old": 8}, {"old": 3}, {})


def test_broken_old_pods_go_first() -> None:
    """Nobody misses them, so they do not count against what may be missing."""
    new = replica_set("new", 3, available=3)
    older, newer = replica_set("older", 5), replica_set("newer", 5, available=0)

    scales = rolled_down(deployment(10), new, [older, newer])

    assert sizes(scales) == {"newer": 0}


def test_one_set_gets_the_whole_resize() -> None:
    """Outside of a rollout there is nothing to divide."""
    assert sizes(resized(deployment(7), replica_set("new", 3), [replica_set("old")])) == {"new": 7}
    assert sizes(resized(deployment(7), None, [replica_set("old", 3)])) == {"old": 7}
    assert sizes(resized(deployment(7), replica_set("new"), [replica_set("old")])) == {"new": 7}


def test_several_sets_keep_their_proportions() -> None:
    """What is left over goes to the largest."""
    new = replica_set("new", 5, desired_replicas=10, max_replicas=13)
    old = replica_set("old", 8, age=60, desired_replicas=10, max_replicas=13)

    larger = resized(deployment(20), new, [old])
    smaller = resized(deployment(5), new, [old])
    nothing = resized(deployment(0), new, [old])

    assert sizes(larger) == {"old": 15, "new": 10}
    assert sizes(smaller) == {"old": 4, "new": 3}
    assert sizes(nothing) == {"old": 0, "new": 0}


def test_a_whole_new_set_ends_the_old_ones() -> None:
    """There is no rollout any more that they would be needed for."""
    new = replica_set("new", 10, desired_replicas=10)

    assert sizes(resized(deployment(10), new, [replica_set("old", 2)])) == {"old": 0}


def test_a_resize_is_seen_by_what_is_noted_on_the_sets() -> None:
    """A set without pods does not count: its note is old."""
    made, one = deployment(10), replica_set("new", 5)
    annotate_size(one, made)

    assert not is_resized(made, [one])
    assert is_resized(deployment(11), [one])
    assert not is_resized(deployment(11), [replica_set("old", 0, desired_replicas=3)])
