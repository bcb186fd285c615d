"""What a person sees meanwhile."""

import io

from kubewright._aio import VirtualClock
from kubewright.applyset import Change, Failure, members_of
from kubewright.cli.deploy.screen import Screen
from kubewright.errors import ConfigError
from tests.unit.applyset.objects import config
from tests.unit.cli.test_progress import Terminal

NAMES = [one.name for one in members_of(config(name) for name in "abcde")]


def test_results_and_complaints_go_their_own_ways() -> None:
    """A script reads stdout; a person sees both."""
    out, err = io.StringIO(), io.StringIO()
    screen = Screen(VirtualClock(), out=out, err=err)

    screen.begin(3)
    screen.changed(Change("created", NAMES[0]))
    screen.changed(Change("unchanged", NAMES[1]))
    screen.failed(Failure(NAMES[2], ConfigError("no")))

    assert out.getvalue() == "created     configmap/a in shop-system\n"
    assert err.getvalue() == "kubewright: cannot apply configmap/c in shop-system: no\n"
    assert screen.how_far == "2 of 3 objects are done"


async def test_what_is_waited_for_is_shown_every_second_although_nothing_happens() -> None:
    """A silent minute looks like a command that hangs."""
    clock, err = VirtualClock(), Terminal()
    screen = Screen(clock, "delete", err=err)

    async with screen.ticking():
        screen.begin(5)
        screen.waiting(NAMES, "gone")
        await clock.advance(2.5)

    shown = (
        "waiting until gone: configmap/a in shop-system, configmap/b in shop-system,"
        " configmap/c in shop-system and 2 more"
    )
    assert err.getvalue() == f"\r{shown}\x1b[K" * 2 + "\r\x1b[K"


async def test_before_anything_is_heard_it_says_how_far_it_is() -> None:
    """A stage without objects has words of its own."""
    clock, err = VirtualClock(), io.StringIO()
    screen = Screen(clock, err=err)
    first = screen.how_far

    async with screen.ticking():
        screen.begin_stage("everything is applied")
        await clock.advance(1.5)

    assert first == "nothing is done"
    assert err.getvalue() == "everything is applied\n"
