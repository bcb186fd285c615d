"""How much work one request may be."""

import pytest

from kubewright.apiserver.effort import LIGHT, TEXT, Effort, TooMuchError


def test_steps_are_counted_until_none_is_left() -> None:
    """What is allowed in all is allowed in parts."""
    effort = Effort(light=True)
    effort.spend(LIGHT - 1)
    effort.spend(1)

    with pytest.raises(TooMuchError):
        effort.spend(1)


def test_errors_are_told_until_there_are_enough() -> None:
    """However few steps they took."""
    effort = Effort()
    effort.tell("x" * TEXT)

    with pytest.raises(TooMuchError):
        effort.tell("x")
