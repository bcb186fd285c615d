import asyncio
import os
import subprocess
import sys

import pytest

from kubewright.cli.loop import loop_factory


def test_a_loop_can_be_made() -> None:
    """Whichever it is."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        assert runner.run(asyncio.sleep(0, "done")) == "done"


def test_uvloop_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "uvloop", None)

    assert loop_factory() is None


CLOSED = """
import asyncio
from kubewright.cli.loop import loop_factory

async def main():
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    server.close()
    await server.wait_closed()

with asyncio.Runner(loop_factory=loop_factory()) as runner:
    runner.run(main())
"""


@pytest.mark.parametrize("number", [0, 1])
def test_it_runs_where_standard_streams_are_closed(number: int) -> None:
    """Some supervisors start their children so."""
    program = f"import os; os.close({number})" + CLOSED

    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ, stderr=subprocess.PIPE, check=False
    )

    assert done.returncode == 0, done.stderr
