"""Charts as operators: the real helm makes the chart, and reads what we have installed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright.helm.binary import get_helm
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import ConfigMap, Secret, Service
from tests.e2e.cluster import EndToEndCluster
from tests.e2e.program import RUN, Program

Shop = kw.Kind("e2e.example.com/v1alpha1", "Shop")

WATCHES = """\
- group: e2e.example.com
  version: v1alpha1
  kind: Shop
  chart: shop
"""
HOOK = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-hook
  annotations:
    helm.sh/hook: post-install,pre-upgrade,pre-delete
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: hook
        image: busybox
        command: [sh, -c, "sleep {{ .Values.pause | default 0 }}"]
"""
FACTS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-facts
data:
  namespace: {{ (lookup "v1" "Namespace" "" .Release.Namespace).metadata.uid }}
  password: {{ randAlphaNum 12 }}
"""

Helm = Callable[..., Any]
StartCharts = Callable[[], Program]


@pytest.fixture
def helm(cluster: EndToEndCluster, client: kw.Client, tmp_path: Path) -> Helm:
    """The real helm, in the test's own namespace; what it prints as JSON comes back decoded."""

    def run(*arguments: str) -> Any:
        done = subprocess.run(
            [get_helm(), *arguments, "--namespace", client.namespace],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "KUBECONFIG": str(cluster.kubeconfig_file),
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"helm {arguments}:\n{done.stdout}{done.stderr}"
        return json.loads(done.stdout) if "json" in arguments else done.stdout

    return run


@pytest.fixture
def project(helm: Helm, tmp_path: Path) -> Path:
    """A folder with a chart of ``helm create``, some templates more, and a ``watches.yaml``."""
    helm("create", "shop")
    (tmp_path / "shop" / "templates" / "hook.yaml").write_text(HOOK)
    (tmp_path / "shop" / "templates" / "facts.yaml").write_text(FACTS)
    (tmp_path / "watches.yaml").write_text(WATCHES)
    return tmp_path


@pytest.fixture
def start_charts(
    cluster: EndToEndCluster, client: kw.Client, project: Path
) -> Iterator[StartCharts]:
    """Start ``kubewright run`` in the folder, and wait until it works; it is killed at the end."""
    command = [sys.executable, "-c", RUN, "run", "--install-crds", "--log-format", "json"]
    with ExitStack() as stack:

        def start() -> Program:
            program = Program(
                command,
                kubeconfig=cluster.kubeconfig_file,
                namespace=client.namespace,
                folder=project,
            )
            stack.enter_context(program)
            program.wait_for_line("workers started")
            return program

        yield start


async def ask(client: kw.Client, **values: Any) -> None:
    """Make the Shop, or change its values."""
    obj = Shop(metadata={"name": "corner", "namespace": client.namespace}, spec=values)
    await client.apply(obj, field_owner="e2e", force=True)


async def condition(client: kw.Client, kind: str, reason: str) -> dict[str, Any]:
    """Wait until the Shop has a condition, and return it."""
    seen: dict[str, Any] = {}

    def there(obj: kw.Unstructured | None) -> bool:
        conditions = obj.status.get("conditions", []) if obj is not None else []
        found = (one for one in conditions if one["type"] == kind and one.get("reason") == reason)
        seen.update(next(found, {}))
        return bool(seen)

    await kw.wait_for(client, Shop, "corner", there, timeout=60)
    return seen


async def replicas(client: kw.Client, wanted: int) -> Deployment:
    """Wait until the Deployment has so many replicas in its spec."""
    found = await kw.wait_for(
        client,
        Deployment,
        "corner-shop",
        lambda one: one is not None and one.spec.replicas == wanted,
        timeout=60,
    )
    assert found is not None
    return found


async def revisions(client: kw.Client) -> dict[str, str]:
    """Return the status of each revision."""
    found = await client.list(Secret, namespace=client.namespace, labels={"owner": "helm"})
    return {one.metadata.labels["version"]: one.metadata.labels["status"] for one in found}


async def test_the_life_of_a_release(
    client: kw.Client, helm: Helm, start_charts: StartCharts
) -> None:
    """From ``helm create`` to the end of the object, and helm understands each step of it."""
    start_charts()
    await ask(client, replicaCount=2)
    deployed = await condition(client, "Deployed", "InstallSuccessful")
    assert "Get the application URL" in deployed["message"]
    facts = await client.get(ConfigMap, "corner-facts")
    owner = await client.get(Shop, "corner")
    assert facts.metadata.owner_references[0].uid == owner.metadata.uid
    assert facts.data["namespace"]

    (listed,) = helm("list", "-o", "json")
    assert (listed["name"], listed["status"], listed["chart"]) == (
        "corner",
        "deployed",
        "shop-0.1.0",
    )
    assert helm("get", "values", "corner", "-o", "json") == {"replicaCount": 2}
    assert "kind: Deployment" in helm("get", "manifest", "corner")
    assert "corner-hook" in helm("get", "hooks", "corner")
    assert helm("status", "corner", "-o", "json")["info"]["notes"] == deployed["message"]

    await ask(client, replicaCount=3)
    await replicas(client, 3)
    await condition(client, "Deployed", "UpgradeSuccessful")
    history = helm("history", "corner", "-o", "json")
    assert [one["status"] for one in history] == ["superseded", "deployed"]
    assert (await client.get(ConfigMap, "corner-facts")).data == facts.data

    await client.patch(Deployment, "corner-shop", {"spec": {"replicas": 9}})
    await replicas(client, 3)
    before = await client.get(Service, "corner-shop")
    await client.delete(before)
    await kw.wait_for(
        client,
        Service,
        "corner-shop",
        lambda one: one is not None and one.metadata.uid != before.metadata.uid,
        timeout=60,
    )

    await ask(client, replicaCount=4, service={"type": "Nonsense"})
    failed = await condition(client, "ReleaseFailed", "UpgradeError")
    assert "Nonsense" in failed["message"]
    assert "Rolled back to revision 2" in failed["message"]
    await replicas(client, 3)


async def test_rollback_by_hand_and_the_end_of_a_release(
    client: kw.Client, helm: Helm, start_charts: StartCharts
) -> None:
    """Helm works on what we have installed, and we on what it has rolled back."""
    program = start_charts()
    await ask(client, replicaCount=2)
    await condition(client, "Deployed", "InstallSuccessful")
    await ask(client, replicaCount=1)
    await condition(client, "Deployed", "UpgradeSuccessful")
    assert program.stop() == 0

    helm("rollback", "corner", "1")
    await replicas(client, 2)
    start_charts()
    await replicas(client, 1)
    await client.delete(Shop, "corner")

    await kw.wait_for(client, Shop, "corner", lambda one: one is None, timeout=60)
    for kind in (Deployment, Service, ConfigMap):
        await kw.wait_for(client, kind, f"corner-{_end(kind)}", lambda one: one is None, timeout=60)
    assert helm("list", "--all", "-o", "json") == []


def _end(kind: type) -> str:
    return "facts" if kind is ConfigMap else "shop"


async def test_killed_in_the_middle_of_an_upgrade(
    client: kw.Client, start_charts: StartCharts
) -> None:
    """The next process goes on with what was begun; nobody has to mend a release by hand."""
    program = start_charts()
    await ask(client, replicaCount=2)
    await condition(client, "Deployed", "InstallSuccessful")

    await ask(client, replicaCount=3, pause=2)
    await kw.wait_for(
        client,
        Secret,
        "sh.helm.release.v1.corner.v2",
        lambda one: one is not None and one.metadata.labels["status"] == "pending-upgrade",
        timeout=60,
    )
    program.kill()
    assert (await revisions(client))["2"] == "pending-upgrade"
    start_charts()

    await replicas(client, 3)
    await condition(client, "Deployed", "UpgradeSuccessful")
    assert await revisions(client) == {"1": "superseded", "2": "deployed"}
    await client.delete(Shop, "corner")
    await kw.wait_for(client, Shop, "corner", lambda one: one is None, timeout=60)


async def test_release_of_helm_is_adopted(
    client: kw.Client, helm: Helm, start_charts: StartCharts, project: Path
) -> None:
    """What somebody has installed by hand goes on under the operator, and is not restarted."""
    (project / "shop" / "templates" / "facts.yaml").unlink()
    (project / "shop" / "templates" / "hook.yaml").unlink()
    helm("install", "corner", "shop", "--set", "replicaCount=2")
    before = await client.get(Deployment, "corner-shop")
    start_charts()

    await ask(client, replicaCount=2)
    await condition(client, "Deployed", "InstallSuccessful")
    after = await client.get(Deployment, "corner-shop")
    assert (after.metadata.uid, after.metadata.generation) == (
        before.metadata.uid,
        before.metadata.generation,
    )
    assert await revisions(client) == {"1": "deployed"}
    await ask(client, replicaCount=3)
    await condition(client, "Deployed", "UpgradeSuccessful")
    await replicas(client, 3)

    assert await revisions(client) == {"1": "superseded", "2": "deployed"}
    await client.delete(Shop, "corner")
    await kw.wait_for(client, Shop, "corner", lambda one: one is None, timeout=60)
