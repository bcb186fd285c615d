"""The parts of the demo; the whole of it runs in tests/cluster."""

import io
from datetime import timedelta

import pytest

from kubewright.cli.demo import OPERATOR, Demo
from kubewright.cli.demo_screen import PlainScreen
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
