"""An operator that blocks its event loop: what does not depend on the user's code being polite."""

import asyncio
import http.client
import re
from pathlib import Path

import pytest

from kubewright.testing import RealServer
from tests.runtime.processes import Replica
from tests.runtime.town import Town

pytestmark = pytest.mark.timeout(120)

NAMES = [f"shop-{number}" for number in range(100)]
LEASE = 3  # seconds, of which the loop is blocked for many more
PROBES = 10
KUBELET_WAITS = 1.0
READY = 200


async def test_a_loop_that_is_blocked_costs_neither_the_lease_nor_the_probes(
    server: RealServer, town: Town, tmp_path: Path
) -> None:
    """A hundred objects with a blocking call each: nobody else notices, and it stops when asked."""
    await town.build(NAMES)
    kubeconfig = server.write_kubeconfig(tmp_path / "kubeconfig")
    log = tmp_path / "log"
    flags = ["--namespace", town.namespace, "--leader-elect-namespace", town.namespace]
    flags += ["--leader-elect", f"--leader-elect-lease-duration={LEASE}", "--workers=10"]
    flags += ["--leader-elect-renew-deadline=2", "--leader-elect-retry-period=0.5"]
    flags += ["--health-probe-bind-address=127.0.0.1:0", "--no-check-rights"]
    program = Path(__file__).with_name("blocking.py")

    with Replica(kubeconfig, log, *flags, program=program) as replica:
        leader = await town.leader()
        port = _port_of(replica.pid)
        while await asyncio.to_thread(_probe, port, "/readyz") != READY:
            pass  # until the loop has found the time to say so once
        statuses = []
        for _ in range(PROBES):
            statuses.append(await asyncio.to_thread(_probe, port, "/healthz"))
            statuses.append(await asyncio.to_thread(_probe, port, "/readyz"))
        lease = await town.lease()
        status = await asyncio.to_thread(replica.stop)
        left = await town.lease()

    assert statuses == [READY] * (2 * PROBES)
    assert lease.spec.holder_identity == leader.spec.holder_identity
    assert (status, left.spec.holder_identity) == (0, "")
    assert "the event loop is blocked" in log.read_text()


def _probe(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=KUBELET_WAITS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def _port_of(pid: int) -> int:
    """Return the port that a process listens on, as Linux tells it."""
    links = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    sockets = {found[1] for link in links if (found := re.match(r"socket:\[(\d+)\]", link))}
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and fields[9] in sockets:
            return int(fields[1].partition(":")[2], 16)
    raise AssertionError("it does not listen")
