"""The parts of the demo; the whole of it runs in tests/cluster."""

import io
from datetime import timedelta
from pathlib import Path

import pytest

from kubewright.cli.demo.demo import OPERATOR, Demo
from kubewright.cli.demo.screen import PlainScreen
from kubewright.cli.load import load_operator
from kubewright.errors import KubewrightError
from kubewright.testing import EmbeddedServer, VirtualClock


async def test_an_operator_that_does_nothing_is_not_waited_for_for_ever() -> None:
    """A failure says how far it came."""
    clock, out = VirtualClock(), io.StringIO()
    operator = load_operator(str(OPERATOR))
    demo = Demo(operator, PlainScreen(out, clock), clock)

    async with EmbeddedServer(clock=clock) as server, server.client() as client:
        await operator.install_crds(client)
        row = await demo.apply(client)
        with pytest.raises(KubewrightError, match="without a phase after 30 s, and it has no pod"):
            await clock.run(demo.follow(client, row))

    assert row.schedule - clock.now() < timedelta(seconds=5)
    assert 'run "echo YAY" at 00:00:05 UTC' in out.getvalue()


@pytest.mark.parametrize("installed", [True, False])
def test_how_to_go_on_is_said_as_it_works_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    """After ``make demo`` there is no command of that name yet."""
    if installed:
        (tmp_path / "kubewright").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    out = io.StringIO()

    Demo(load_operator(str(OPERATOR)), PlainScreen(out, VirtualClock())).say_what_next()

    assert ("pip install ." in out.getvalue()) is not installed
    assert "at.py && kubewright dev at.py" in out.getvalue()
