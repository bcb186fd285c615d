"""Reminders: seldom, and ever more seldom."""

from kubewright._aio import VirtualClock
from kubewright.cache.reminder import Reminder


async def test_the_gaps_grow_to_an_hour() -> None:
    """Who deploys in the morning sees it soon; a log of weeks is not filled."""
    clock = VirtualClock()
    reminder, times = Reminder(clock), list[int]()

    for minute in range(1, 241):
        await clock.advance(60)
        if reminder.is_due():
            times.append(minute)

    assert times == [3, 9, 21, 45, 93, 153, 213]


async def test_news_begins_anew() -> None:
    """They have just been said themselves."""
    clock = VirtualClock()
    reminder = Reminder(clock)
    await clock.advance(170)

    reminder.begin()
    await clock.advance(170)

    assert not reminder.is_due()
    await clock.advance(10)
    assert reminder.is_due()
