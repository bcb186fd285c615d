import asyncio
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
