"""The operator as a process, the chart that it installs, and its custom objects."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import kubewright as kw
from bench.apiserver.processes import resident
from bench.run import ROOT, MeasurementError, environment
from kubewright.helm.binary import get_helm
from kubewright.kinds.apps.v1 import Deployment

Shop = kw.Kind("bench.kubewright.dev/v1", "Shop")
PERIOD = "helm.sdk.operatorframework.io/reconcile-period"
CRD = kw.Kind("customresourcedefinitions.apiextensions.k8s.io")
PATIENCE = 600.0
_WATCHES = """\
- {group: bench.kubewright.dev, version: v1, kind: Shop, chart: shop}
"""


class Operator:
    """`kubewright run` in a folder with a chart, seen from outside."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self._process, self._log = process, log

    @property
    def cpu_seconds(self) -> float:
        """Its CPU time, with that of the programs that it has run and that have ended."""
        self.check()
        stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        return sum(map(int, stat.rpartition(")")[2].split()[11:15])) / 100

    @property
    def rss(self) -> float:
        """Its resident memory, in MB."""
        self.check()
        return resident([self._process.pid])

    def check(self) -> None:
        """Raise the end of its log if it has ended."""
        if self._process.poll() is not None:
            said = self._log.read_text().strip().splitlines() or ["nothing was said"]
            raise MeasurementError(f"the operator has ended: {said[-1]}")


@contextlib.contextmanager
def operator(folder: Path, kubeconfig: Path, namespace: str) -> Iterator[Operator]:
    """Start the operator of *folder*; it is killed at the end."""
    log = folder / "log"
    command = [sys.executable, "-m", "kubewright", "run", "--install-crds"]
    command += ["--namespace", namespace, "--metrics-bind-address", "0"]
    command += ["--health-probe-bind-address", "0"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(kubeconfig) | {"PYTHONPATH": str(ROOT / "src")},
            stdout=output,
            stderr=output,
        )
    try:
        yield Operator(process, log)
    finally:
        process.kill()
        process.wait()


def write_project(folder: Path) -> None:
    """Write a `watches.yaml` and the chart that `helm create` makes."""
    folder.mkdir()
    subprocess.run(
        [get_helm(), "create", "shop"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    (folder / "watches.yaml").write_text(_WATCHES)


async def install(client: kw.Client, namespace: str, count: int) -> None:
    """Make *count* objects of a kind that is there, and wait until all of them are deployed."""
    names = [f"shop-{number}" for number in range(count)]
    await kw.wait_for(client, CRD, "shops.bench.kubewright.dev", _is_served, timeout=PATIENCE)
    for name in names:
        await client.create(Shop(metadata={"name": name, "namespace": namespace}))
    for name in names:
        await kw.wait_for(client, Shop, name, _is_deployed, namespace=namespace, timeout=PATIENCE)


async def look_each_minute(client: kw.Client, namespace: str, count: int) -> None:
    """Ask for what operator-sdk does by itself: a look at each release, each minute."""
    wanted = {"metadata": {"annotations": {PERIOD: "1m"}}}
    for number in range(count):
        await client.patch(Shop, f"shop-{number}", wanted, namespace=namespace)


async def change(client: kw.Client, namespace: str, name: str, replicas: int) -> None:
    """Change a value, and wait until the child has it."""
    values = {"spec": {"replicaCount": replicas}}
    await client.patch(Shop, name, values, namespace=namespace)
    await kw.wait_for(
        client,
        Deployment,
        name,
        lambda one: one is not None and one.spec.replicas == replicas,
        namespace=namespace,
        timeout=60,
    )


def _is_served(definition: kw.Unstructured | None) -> bool:
    return definition is not None and _has(definition, "Established")


def _is_deployed(shop: kw.Unstructured | None) -> bool:
    return shop is not None and _has(shop, "Deployed")


def _has(obj: kw.Unstructured, condition: str) -> bool:
    conditions = obj.status.get("conditions") or []
    return any(one["type"] == condition and one["status"] == "True" for one in conditions)
