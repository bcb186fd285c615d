"""What a manager reads from the things it runs."""

import pytest

from kubewright.runnable import Checked, Problem, Readying, Runnable, Stage, stage_of


class Pusher:
    async def run(self) -> None: ...


class Server(Pusher):
    stage = Stage.SERVERS

    async def wait_ready(self) -> None: ...

    def health(self) -> list[Problem]:
        return [Problem("server", "not listening")]


def test_anything_with_run_is_a_runnable_that_always_runs() -> None:
    """A metrics pusher must run on a standby, too, without saying so."""
    pusher = Pusher()

    assert isinstance(pusher, Runnable)
    assert not isinstance(pusher, Readying)
    assert not isinstance(pusher, Checked)
    assert stage_of(pusher) is Stage.ALWAYS


def test_a_runnable_says_more_by_having_more() -> None:
    """No base class is needed to be waited for or asked for its health."""
    server = Server()

    assert isinstance(server, Readying)
    assert isinstance(server, Checked)
    assert stage_of(server) is Stage.SERVERS


def test_stages_are_in_the_order_in_which_they_start() -> None:
    """Leadership is waited for last, so that a standby is warm."""
    assert list(Stage) == sorted(Stage)
    assert max(Stage) is Stage.LEADER


def test_a_stage_that_is_none_is_refused() -> None:
    """A typo must not put a controller on every replica."""
    strange = Pusher()
    strange.stage = 7  # type: ignore[attr-defined]  # wrong on purpose

    with pytest.raises(ValueError, match="7 is not a valid Stage"):
        stage_of(strange)
