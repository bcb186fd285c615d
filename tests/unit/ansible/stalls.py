"""A kind whose objects say, step by step, what their role does."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import kubewright as kw
from kubewright._aio import Clock
from kubewright.ansible import AnsibleOperator, Playbook, Settings, Watch
from kubewright.cluster import Cluster
from kubewright.manager import Manager
from kubewright.testing import EmbeddedServer
from kubewright.testing.faults import Faults

Stall = kw.Kind("example.com/v1", "Stall")
ConfigMap = kw.Kind("v1", "ConfigMap")
SCRIPTED = Path(__file__).with_name("scripted")
PATIENCE = 30.0
SIGNS = "/api/v1/namespaces/default/configmaps"


def stall(*steps: Any, **metadata: Any) -> kw.Unstructured:
    """Return a Stall for which *steps* are done."""
    return Stall(
        metadata={"name": "corner", "namespace": "default", **metadata}, spec={"steps": steps}
    )


def sign(name: str = "sign", **data: str) -> dict[str, Any]:
    """Return a ConfigMap as a role would write it."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def make(name: str = "sign", **data: str) -> list[Any]:
    """Return the step that makes a ConfigMap."""
    return ["POST", SIGNS, sign(name, **data)]


def apply(name: str = "sign", **data: str) -> list[Any]:
    """Return the step that applies a ConfigMap."""
    target = f"{SIGNS}/{name}?fieldManager=role&force=true"
    return ["PATCH", target, sign(name, **data), "application/apply-patch+yaml"]


def watch(folder: Path, **options: Any) -> Watch:
    """Return a watch of stalls, with a role of no tasks in *folder*."""
    role = folder / "roles" / "stall"
    (role / "tasks").mkdir(parents=True, exist_ok=True)
    (role / "tasks" / "main.yml").touch()
    return Watch(kind=Stall, playbook=Playbook(role, "stall", role.parent), **options)


class Market:
    """An operator for stalls that runs, and a client of its cluster."""

    def __init__(self, client: kw.Client, manager: Manager, operator: AnsibleOperator) -> None:
        self.client = client
        self.manager = manager
        self.operator = operator

    async def settled(self) -> None:
        """Wait until there is nothing left to do."""
        await self.manager.settled()

    async def condition(self, kind: str) -> dict[str, Any]:
        """Return a condition of the Stall; empty if it is not there."""
        obj = await self.client.get(Stall, "corner", namespace="default")
        found = obj.status.get("conditions", [])
        return next((one for one in found if one["type"] == kind), {})

    def runs(self) -> int:
        """Return how many runs there were."""
        folder = self.operator.settings.folder
        assert folder is not None
        return sum(len(path.read_text()) for path in folder.rglob("ran"))

    async def ran(self, times: int) -> None:
        """Wait until there were so many runs."""
        async with Clock().timeout(PATIENCE):
            while self.runs() < times:
                await Clock().sleep(0.05)

    async def there(self, kind: kw.Kind, name: str) -> kw.Unstructured:
        """Wait until an object is there, and all is at rest."""
        found = await kw.wait_for(
            self.client, kind, name, lambda one: one is not None, namespace="default",
            timeout=PATIENCE,
        )  # fmt: skip
        assert found is not None
        await self.settled()
        return found


@asynccontextmanager
async def market(
    folder: Path,
    *,
    settings: dict[str, Any] | None = None,
    faults: Faults | None = None,
    namespaces: Sequence[str] | None = None,
    **options: Any,
) -> AsyncIterator[Market]:
    """Run an operator for stalls on a cluster of its own, with *faults* on the way there."""
    operator = AnsibleOperator(
        [watch(folder, **options)],
        name="market",
        settings=Settings(folder=folder / "files", **(settings or {})),
    )
    async with (
        EmbeddedServer() as server,
        server.client() as client,
        server.client(faults=faults) as theirs,
    ):
        await operator.install_crds(client)
        manager = Manager(Cluster(theirs, field_owner="market", namespaces=namespaces))
        operator.add_to(manager)
        async with manager:
            yield Market(client, manager, operator)
