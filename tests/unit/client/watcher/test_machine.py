"""The watcher: whatever a server does, it ends up with what the server has, and hammers nobody."""

import random
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client import watcher as package
from kubewright.client.watcher import Habits, Watcher
from kubewright.client.watcher.states import Listing, Pause, Waiting, Watching
from kubewright.errors import Attempt, LifecycleError, TransportError
from tests.unit.client.watcher.world import HTTP, KINDS, Play, Turn, World, turns

TURN = st.builds(
    Turn,
    kind=st.sampled_from(KINDS),
    changes=st.integers(0, 3),
    count=st.integers(0, 4),
    lasts=st.sampled_from([0.0, 0.5, 5.0, 400.0]),
    cut=st.integers(1, 200),
    bookmark=st.booleans(),
    compacts=st.booleans(),
)
TURNS = st.lists(TURN, max_size=25)
STARTS = st.sampled_from(["version", "pages", "stream"])


class Dice:
    def __init__(self, value: float) -> None:
        self.value = value

    def random(self) -> float:
        return self.value


def cache(world: World, *, sharded: bool = False, source: Any = None) -> Play:
    """Return a watcher as the cache has it."""
    return Play(world, Listing(), lists_again=True, habits=Habits(shards=sharded), source=source)


def client(world: World, start: str, source: Any = None) -> Play:
    """Return a watcher as ``client.watch`` has it."""
    habits = Habits(streams_lists=start == "stream")
    begin = Watching(str(world.head)) if start == "version" else Listing()
    return Play(world, begin, lists_again=False, habits=habits, source=source)


@given(TURNS, st.booleans())
def test_a_cache_ends_up_with_what_the_server_has(script: list[Turn], sharded: bool) -> None:
    """Cuts, refusals, silence, lost history: no event is missed, doubled or out of order."""
    world = World()
    play = cache(world, sharded=sharded)

    for turn in script:
        play.play(turn)
    play.settle()

    assert play.objects == world.objects
    assert play.watcher.version == str(world.head)
    assert play.watcher.error is None


@given(TURNS, STARTS)
def test_a_caller_of_watch_is_told_of_each_change_once(script: list[Turn], start: str) -> None:
    """Or is told that the history is gone; there is nothing in between."""
    world = World()
    play = client(world, start)

    for turn in script:
        play.play(turn)
        if play.is_gone:
            return
    play.settle()

    assert play.position == world.head or play.is_gone


@given(TURNS, STARTS | st.none())
def test_two_tries_are_at_least_a_second_apart(script: list[Turn], start: str | None) -> None:
    """Whatever goes wrong, and whatever the server asks for, it is not hammered."""
    world = World()
    play = cache(world) if start is None else client(world, start)

    for turn in script:
        play.play(turn)

    assert all(gap > 0.999 for gap in play.gaps)


@pytest.mark.parametrize("sharded", [False, True])
def test_another_way_to_list_is_tried_at_once_but_each_only_once(sharded: bool) -> None:
    """A server that refuses everything is asked for shards, streams and pages, then left alone."""
    play = cache(World(), sharded=sharded)

    for _ in range(20):
        play.play(Turn("400"))

    assert [soon for _, soon in play.requests].count(True) == 1 + sharded


def test_pages_that_expire_are_asked_for_in_one_piece_and_then_later() -> None:
    """Each try is two requests at most."""
    play = Play(World(), Listing(), lists_again=True, habits=Habits(streams_lists=False))

    for _ in range(6):
        play.play(Turn("410"))

    assert [soon for _, soon in play.requests] == [False, True] * 3


@given(st.sampled_from(["unreachable", "500", "403", "400", "garbage"]), st.floats(0, 0.99))
def test_each_try_that_fails_waits_no_shorter_than_the_one_before(kind: str, dice: float) -> None:
    """A server that is down for long is asked less and less, up to a bound."""
    play = cache(World(), source=Dice(dice))
    play.settle()

    for _ in range(12):
        play.play(Turn(kind, lasts=0.0))

    assert all(a <= b + 1e-6 for a, b in pairwise(play.delays))
    assert play.delays[0] > 0.999
    assert play.delays[-1] <= 60.0


def test_streams_that_end_at_once_and_empty_are_asked_for_less_and_less() -> None:
    """A proxy drops every stream; one that ends twice may be one server after the other going."""
    play = client(World(), "version", source=Dice(0.0))

    for _ in range(8):
        play.play(Turn(lasts=0.0))

    assert play.delays == pytest.approx([1.0, 1.0, 1.0, 1.6, 3.2, 6.4, 12.8])


def test_a_kind_that_is_missing_is_not_forgotten_at_once() -> None:
    """A server that has just started may not know its custom kinds yet."""
    play = cache(World())
    play.settle()

    known = []
    for _ in range(8):
        play.play(Turn("404"))
        known.append((round(play.now - play.watcher.since), bool(play.objects)))

    assert known[-3:] == [(16, True), (26, True), (36, False)]


def picture() -> set[tuple[str, str]]:
    """Return the arrows of the picture in the documentation."""
    arrows = re.findall(r"^ +(\w+) --> (\w+): ", package.__doc__ or "", re.MULTILINE)
    return set(arrows)


@given(TURNS, STARTS | st.none(), st.booleans())
def test_no_state_leads_where_the_picture_has_no_arrow(
    script: list[Turn], start: str | None, sharded: bool
) -> None:
    """Whoever reads the picture knows the machine."""
    world = World()
    play = cache(world, sharded=sharded) if start is None else client(world, start)

    for turn in script:
        play.play(turn)
    play.say("stop")

    assert play.edges <= picture()


def test_each_arrow_of_the_picture_is_taken() -> None:
    """A picture that shows what cannot be is as wrong as one that hides what can."""
    dice = random.Random(12)
    taken: set[tuple[str, str]] = set()

    for _ in range(120):
        world = World()
        start = dice.choice(["version", "pages", "stream", None])
        play = cache(world) if start is None else client(world, start)
        script = turns(dice)
        for turn in script[: dice.randrange(len(script))]:
            play.play(turn)
        play.say("stop")
        taken |= play.edges

    assert picture() - taken - missing_for_long() == set()


def missing_for_long() -> set[tuple[str, str]]:
    """Return the arrows of a kind that does not come back, and of a stop right after that."""
    back, stopped = cache(World()), cache(World())
    for play in (back, stopped):
        play.settle()
        for _ in range(7):
            play.play(Turn("404"))
    back.play(Turn())
    stopped.say("waited", stopped.now + 10)
    stopped.say("stop")
    return back.edges | stopped.edges


@pytest.mark.parametrize(
    ("initial", "opened", "bookmarks", "deadline"),
    [
        (False, False, False, 160.0),
        (False, False, True, 160.0),
        (True, True, True, 110.0),
        (False, True, True, 250.0),
        (False, True, False, 430.0),
    ],
)
def test_how_long_to_wait_depends_on_what_is_due(
    initial: bool, opened: bool, bookmarks: bool, deadline: float
) -> None:
    """An answer, the end of a list, a bookmark, or the end of the stream."""
    habits = Habits()
    habits.bookmarks = bookmarks
    start = Listing() if initial else Watching("5")
    watcher = Watcher(start, lists_again=True, habits=habits, now=100.0, source=Dice(0.0))
    watcher.start()
    watcher.next(100.0)
    watcher.sent(Attempt("watch", "pods"), 100.0)
    if opened:
        watcher.opened(100.0)

    assert watcher.deadline() == deadline


def test_a_pause_that_is_cut_short_goes_on_where_it_was() -> None:
    """Who looks in every second must not keep a watch from ever coming back."""
    play = client(World(), "version")
    play.play(Turn(lasts=0.0))
    assert isinstance(play.watcher.state, Waiting)

    pauses = [play.watcher.next(play.now + seconds) for seconds in (0.0, 0.25, 2.0)]

    assert pauses == [Pause(1.0), Pause(0.75), Pause(0.0)]


def test_a_failure_after_a_stream_was_given_up_changes_nothing() -> None:
    """Its connection may break while it is closed."""
    play = cache(World())
    play.settle()
    play.play(Turn("error 500"))
    before = play.watcher.state

    play.say("failed", TransportError("cut"), play.now)

    assert play.watcher.state is before


@pytest.mark.parametrize("code", HTTP)
def test_nothing_is_asked_of_a_watcher_that_is_stopped(code: str) -> None:
    """Whatever it did before."""
    play = cache(World())
    play.play(Turn(code))

    play.say("stop")

    with pytest.raises(LifecycleError, match="nothing to do"):
        play.watcher.next(play.now)
