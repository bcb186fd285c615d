import os
import signal
import sys
from pathlib import Path

import pytest

from kubewright.embedded.node.process.supervision import Start, Supervision
from kubewright.embedded.node.runtime import ContainerError, Exit
from tests.unit.embedded.node.processes import Waiter, a_supervision, shell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and subreapers")


async def run(supervision: Supervision, script: str, number: int = 0) -> Exit:
    """Run a script to its end, sending a signal if one is given."""
    null, waiter = os.open(os.devnull, os.O_RDWR), Waiter()
    try:
        await supervision.start("a", shell(script), (null, null, null), waiter)
    finally:
        os.close(null)
    if number:
        supervision.signal("a", number)
    return await waiter.exit()


@pytest.mark.parametrize(
    ("script", "number", "expected"),
    [
        ("exit 0", 0, Exit(0)),
        ("exit 7", 0, Exit(7)),
        ("kill -9 $$", 0, Exit(137, 9)),
        ("sleep 100", signal.SIGTERM, Exit(143, 15)),
        ("sleep 100", signal.SIGKILL, Exit(137, 9)),
    ],
)
async def test_the_end_of_a_process_is_told(
    tmp_path: Path, script: str, number: int, expected: Exit
) -> None:
    """By its exit code, or by the signal that ended it."""
    async with a_supervision(tmp_path) as supervision:
        assert await run(supervision, script, number) == expected


async def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    """The supervisor lives on."""
    async with a_supervision(tmp_path) as supervision:
        null, waiter = os.open(os.devnull, os.O_RDWR), Waiter()
        nothing = Start("/does/not/exist", ["x"], "/", {}, owns=False)

        with pytest.raises(ContainerError, match="No such file") as caught:
            await supervision.start("a", nothing, (null, null, null), waiter)

        os.close(null)
        assert (caught.value.reason, caught.value.ended) == ("StartError", True)
        assert await run(supervision, "exit 3") == Exit(3)


async def test_a_supervisor_that_is_killed_takes_its_processes_with_it(tmp_path: Path) -> None:
    """Nobody should do that; the node starts another one."""
    async with a_supervision(tmp_path) as supervision:
        supervision.on_lost = supervision.open
        null, waiter = os.open(os.devnull, os.O_RDWR), Waiter()
        start = shell("sleep 100; exit 0", KUBEWRIGHT_NODE=str(supervision.folder))
        await supervision.start("a", start, (null, null, null), waiter)

        os.kill(supervision.pid, signal.SIGKILL)

        assert await waiter.exit() == Exit(137, 9)
        assert await run(supervision, "exit 4") == Exit(4)
        os.close(null)


async def test_a_closed_supervision_starts_nothing(tmp_path: Path) -> None:
    """And forgives a late signal."""
    supervision = Supervision(tmp_path)

    supervision.signal("a", 9)
    with pytest.raises(ContainerError, match="does not run"):
        await supervision.start("a", shell("exit 0"), (0, 0, 0), Waiter())
