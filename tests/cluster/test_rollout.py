"""`kubectl rollout`, `wait` and `describe` with our controllers."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import DaemonSet, Deployment, StatefulSet
from kubewright.kinds.core.v1 import Node
from kubewright.testing import EmbeddedServer
from tests.cluster.places import Place, place
from tests.unit.embedded.controllers.world import BAD_IMAGE, workload

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the PATH"),
]

WORKLOADS = ("deployment", "replicaset", "statefulset", "daemonset")
NODES = ("node-0", "node-1")


class Kubectl:
    """Runs kubectl in one namespace."""

    def __init__(self, kubeconfig: Path, at: Place) -> None:
        self._command = ["kubectl", "--kubeconfig", str(kubeconfig), "--namespace", at.namespace]

    async def __call__(self, line: str) -> str:
        """Return what ``kubectl`` prints for *line*; it must not fail."""
        status, text = await self.run(line)
        assert status == 0, text
        return text

    async def run(self, line: str) -> tuple[int, str]:
        """Return the exit status of ``kubectl`` for *line*, and what it prints."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *line.split(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        return process.returncode or 0, output.decode()


@pytest.fixture
async def at() -> AsyncIterator[tuple[Place, Kubectl]]:
    """Return a namespace in which our controllers run, and kubectl for it."""
    with EmbeddedServer() as server:
        async with place(server, ours=WORKLOADS, nodes=NODES) as found:
            for name in NODES:
                await found.client.create(Node(metadata=kw.ObjectMeta(name=name)))
                await found.client.patch(Node, name, {"spec": {"taints": None}})
            yield found, Kubectl(server.kubeconfig_file, found)


KINDS: dict[str, type[kw.Resource]] = {
    "deployment": Deployment,
    "statefulset": StatefulSet,
    "daemonset": DaemonSet,
}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_rollout_is_followed_undone_and_restarted(
    at: tuple[Place, Kubectl], kind: str
) -> None:
    """All that people do to a rollout works, and says what it says elsewhere."""
    found, kubectl = at
    spec: dict[str, Any] = {} if kind == "daemonset" else {"replicas": 2}
    await found.create(KINDS[kind], workload(**spec))

    first = await kubectl(f"rollout status {kind}/web --timeout=20s")
    await kubectl(f"set image {kind}/web main=second")
    second = await kubectl(f"rollout status {kind}/web --timeout=20s")
    history = await kubectl(f"rollout history {kind}/web")
    await kubectl(f"rollout undo {kind}/web")
    await kubectl(f"rollout status {kind}/web --timeout=20s")
    images = await kubectl("get pods -o jsonpath={.items[*].spec.containers[*].image}")
    await kubectl(f"rollout restart {kind}/web")
    await kubectl(f"rollout status {kind}/web --timeout=20s")
    pods = await kubectl("get pods -o jsonpath={.items[*].metadata.annotations}")
    detail = await kubectl(f"rollout history {kind}/web --revision=2")

    done = ("successfully rolled out", "roll out complete")  # the latter of stateful sets
    assert any(text in first for text in done)
    assert any(text in second for text in done)
    assert [line.split()[0] for line in history.splitlines()[2:] if line] == ["1", "2"]
    assert images == "good good"
    assert pods.count("kubectl.kubernetes.io/restartedAt") == 2
    assert "second" in detail


async def test_a_bad_rollout_is_paused_resumed_and_told_of(at: tuple[Place, Kubectl]) -> None:
    """A script that waits for a rollout must hear that it failed, and why."""
    found, kubectl = at
    await found.create(Deployment, workload(replicas=2, progressDeadlineSeconds=3))
    await kubectl("wait deployment/web --for=condition=Available --timeout=20s")

    await kubectl("rollout pause deployment/web")
    await kubectl(f"set image deployment/web main={BAD_IMAGE}")
    paused = await kubectl("get deployment web -o jsonpath={.status.conditions[*].reason}")
    await kubectl("rollout resume deployment/web")
    status, text = await kubectl.run("rollout status deployment/web --timeout=20s")
    described = await kubectl("describe deployment web")

    assert "DeploymentPaused" in paused
    assert (status, "exceeded its progress deadline" in text) == (1, True)
    assert "Progressing    False   ProgressDeadlineExceeded" in described
    assert "ScalingReplicaSet" in described
    assert "NewReplicaSet:   web-" in described
