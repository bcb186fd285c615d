"""When what has failed is tried again."""

from kubewright._aio import VirtualClock
from kubewright.controller import Request
from kubewright.helm.failures import Failures

ONE = Request("default", "corner")


async def test_the_pause_doubles_and_new_inputs_end_it() -> None:
    """A user who mends the values does not wait for the end of the pause."""
    clock = VirtualClock()
    failures = Failures(clock)

    assert [failures.note(ONE, "a") for _ in range(9)][:3] == [5, 10, 20]
    assert failures.wait(ONE, "a") == 600
    assert failures.wait(ONE, "b") == 0
    assert failures.note(ONE, "b") == 5
    await clock.advance(5)
    assert failures.wait(ONE, "b") == 0


def test_what_is_forgotten_did_not_fail() -> None:
    """After a success, the next failure is the first one."""
    failures = Failures(VirtualClock())
    failures.note(ONE, "a")

    failures.forget(ONE)

    assert failures.wait(ONE, "a") == 0
