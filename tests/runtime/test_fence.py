"""Leaders that are stopped in the middle of their work, and go on after their lease has ended."""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import kubewright as kw
from kubewright.application.install import install_crds
from kubewright.kinds.core.v1 import Namespace
from kubewright.testing import RealServer
from tests.runtime.audit import POLICY, strays, terms, writes
from tests.runtime.processes import Replica
from tests.runtime.shops import Shop
from tests.runtime.town import Town

CYCLES = int(os.environ.get("KUBEWRIGHT_PAUSES", "4"))

PATIENCE = 120.0
"""Seconds for one cycle: leases are held, and processes are started, in real time."""

pytestmark = pytest.mark.timeout(PATIENCE * (CYCLES + 3))

LEASE, DEADLINE, RETRY = 3.0, 2.0, 0.4
REPLICAS = 2
SIGNS = ("became leader", "reconciled")
NAMES = [f"shop-{number}" for number in range(20)]


@pytest.fixture
def audited(tmp_path: Path) -> Iterator[RealServer]:
    """Return a server that writes down every write."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    flags = [f"--audit-policy-file={policy}", f"--audit-log-path={tmp_path / 'audit.log'}"]
    flags += ["--audit-log-maxsize=100000"]  # one file: the judge reads all of it
    with RealServer(apiserver_flags=flags) as running:
        yield running


@pytest.fixture
async def watched(audited: RealServer) -> AsyncIterator[Town]:
    """Return a town on that server."""
    async with kw.Client(audited.config(audited.admin), field_owner="customer") as client:
        await install_crds(client, [Shop])
        made = await client.create(Namespace(metadata=kw.ObjectMeta(generate_name="town-")))
        yield Town(client, made.metadata.name)


class Replicas:
    """Two replicas of the operator; one that has ended is replaced, as a Deployment does it.

    Each is a user of its own, so that the server tells them apart.
    """

    def __init__(self, server: RealServer, town: Town, folder: Path, stack: ExitStack) -> None:
        self.users: set[str] = set()
        self.running: list[Replica] = []
        self._server, self._town, self._folder, self._stack = server, town, folder, stack

    async def leader(self, *, other_than: Replica | None = None) -> Replica:
        """Wait until one leads, and has done some work."""
        while True:
            self.running = [replica for replica in self.running if replica.running]
            while len(self.running) < REPLICAS:
                self.running.append(self._start())
            for replica in self.running:
                if replica is not other_than and all(map(replica.log.read_text().count, SIGNS)):
                    return replica
            await asyncio.sleep(0.05)  # another process: its time is not ours

    def _start(self) -> Replica:
        name = f"replica-{len(self.users)}"
        self.users.add(name)
        user = self._server.add_user(name, ["system:masters"])
        kubeconfig = self._server.write_kubeconfig(self._folder / f"{name}.yaml", user)
        flags = ["--namespace", self._town.namespace, "--workers", "5", "--no-check-rights"]
        flags += ["--leader-elect", "--leader-elect-namespace", self._town.namespace]
        flags += [f"--leader-elect-lease-duration={LEASE}"]
        flags += [f"--leader-elect-renew-deadline={DEADLINE}"]
        flags += [f"--leader-elect-retry-period={RETRY}"]
        return self._stack.enter_context(Replica(kubeconfig, self._folder / f"{name}.log", *flags))


async def pause_the_leader(replicas: Replicas, pick: random.Random) -> None:
    """Stop the leader anywhere in its work, and let it go on while another one works."""
    paused = await replicas.leader()
    await asyncio.sleep(pick.uniform(0, 0.3))
    paused.pause()
    await replicas.leader(other_than=paused)
    await asyncio.sleep(pick.uniform(0, LEASE))
    paused.resume()
    await asyncio.to_thread(paused.wait)


async def test_nothing_is_written_by_a_process_whose_lease_has_ended(
    audited: RealServer, watched: Town, tmp_path: Path
) -> None:
    """SIGSTOP under load, beyond the lease, then SIGCONT; the judge is the server's audit log."""
    await watched.build(NAMES)
    pick = random.Random()  # no secret
    with ExitStack() as stack:
        replicas = Replicas(audited, watched, tmp_path, stack)

        async with watched.busy():
            for _ in range(CYCLES):
                async with asyncio.timeout(PATIENCE):
                    await pause_the_leader(replicas, pick)
        async with asyncio.timeout(PATIENCE):
            await replicas.leader()
            await watched.settled()

    seen = list(writes(tmp_path / "audit.log"))
    ours = [write for write in seen if write.user in replicas.users and "/leases" not in write.what]
    print(f"{CYCLES} pauses, {len(terms(seen))} terms, {len(ours)} writes by replicas")  # noqa: T201  # with -s
    assert len({term.user for term in terms(seen)}) > CYCLES
    assert len(ours) > CYCLES
    assert strays(seen, replicas.users) == []
