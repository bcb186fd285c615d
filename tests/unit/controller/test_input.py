from typing import Any

import pytest

from kubewright.controller import Channel
from kubewright.controller.input import Input, checked_source
from tests.unit.controller.world import Shop


class NotAsync:
    name = "x"

    def run(self, sink: Any) -> None:
        """Be called, not awaited."""


def test_a_class_instead_of_a_watch_is_told_what_is_missing() -> None:
    """Without a function nobody knows what a change of that kind means."""
    with pytest.raises(TypeError, match=r"write Watches\(Shop, map=...\)"):
        checked_source(Shop, "test")


@pytest.mark.parametrize("wrong", [NotAsync(), object(), "channel"])
def test_what_cannot_run_is_no_source(wrong: object) -> None:
    """The message names the two things that are needed."""
    with pytest.raises(TypeError, match="a name and an `async def run"):
        checked_source(wrong, "test")


def test_an_input_names_what_it_waits_for_until_it_is_ready() -> None:
    """This is what the health page shows."""
    channel = Channel("payments")
    one = Input(channel, channel)
    before = one.waits_for

    one.is_ready = True

    assert (before, one.waits_for) == ("payments", "")
