from typing import Any

import pytest

from kubewright.controller import Channel, Interval, Owns, Watches
from kubewright.controller.arguments import (
    check_deadline,
    check_workers,
    checked_source,
    owned_kinds,
    sources_of,
    watched_kinds,
)
from tests.unit.controller.world import Shop


def names(shop: Shop) -> list[str]:
    return [shop.metadata.name]


class NotAsync:
    name = "x"

    def run(self, sink: Any) -> None:
        """Be called, not awaited."""


@pytest.mark.parametrize("wrong", [NotAsync(), object(), "channel"])
def test_what_cannot_run_is_no_source(wrong: object) -> None:
    """The message names the two things that are needed."""
    with pytest.raises(TypeError, match="a name and an `async def run"):
        checked_source(wrong)


@pytest.mark.parametrize(
    ("check", "given", "advice"),
    [
        (owned_kinds, Shop, r"write owns=\[Shop\]"),
        (owned_kinds, Owns(Shop), r"write owns=\[Owns\(Shop\)\]"),
        (owned_kinds, "Shop", r"owns= takes a list"),
        (owned_kinds, ["Shop"], r"Shop cannot be in owns=: give a class, or Owns"),
        (owned_kinds, [Watches(Shop, map=names)], r"cannot be in owns=: give a class, or Owns"),
        (watched_kinds, Watches(Shop, map=names), r"write watches=\[Watches\(Shop\)\]"),
        (watched_kinds, [Shop], r"write Watches\(Shop, map=...\)"),
        (watched_kinds, [Owns(Shop)], r"Owns\(Shop\) cannot be in watches="),
        (watched_kinds, [Channel()], r"goes into sources="),
        (sources_of, Channel(), r"sources= takes a list"),
        (sources_of, [Channel], r"write Channel\(...\)"),
        (sources_of, [Shop], r"write Watches\(Shop, map=...\)"),
    ],
)
def test_what_is_wrong_in_a_list_is_told_how_to_write_it(
    check: Any, given: object, advice: str
) -> None:
    """The message holds the text that should have been written."""
    with pytest.raises(TypeError, match=advice):
        check(given)


def test_what_is_right_is_taken_as_it_is() -> None:
    """A class is as good as an `Owns` without options."""
    channel, watch, owns = Channel(), Watches(Shop, map=names), Owns(Shop)

    assert owned_kinds([owns, Shop])[0] is owns
    assert [one.kind for one in owned_kinds((Shop,))] == [Shop]
    assert watched_kinds(one for one in [watch]) == (watch,)
    assert sources_of([channel, Interval(5)])[0] is channel


@pytest.mark.parametrize("workers", [0, -1])
def test_nobody_to_work_is_refused(workers: int) -> None:
    """Zero would be a controller that never does anything."""
    with pytest.raises(ValueError, match="'shop' needs at least 1 worker"):
        check_workers("shop", workers)


def test_workers_are_counted_in_whole_numbers() -> None:
    """A number from the environment is a text before it is converted."""
    check_workers("shop", 1)
    with pytest.raises(TypeError, match="'shop' are a whole number, not '4'"):
        check_workers("shop", "4")


@pytest.mark.parametrize("deadline", [0, -1.0, float("nan")])
def test_a_deadline_lies_in_the_future(deadline: float) -> None:
    """Every reconcile would be cancelled before it began."""
    with pytest.raises(ValueError, match="must be more than 0 seconds"):
        check_deadline("shop", deadline)


def test_a_deadline_is_a_number_of_seconds() -> None:
    """Or none at all."""
    check_deadline("shop", None)
    check_deadline("shop", 5)
    with pytest.raises(TypeError, match="is a number of seconds, or None for none, not '5'"):
        check_deadline("shop", "5")
