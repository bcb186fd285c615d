"""An operator of charts dies at each of its writes in turn; whoever comes next puts all right."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import kubewright as kw
from kubewright.api.requests import Request
from kubewright.helm import Chart, HelmOperator, Hook, Rendering, Watch, Wish
from kubewright.testing import EmbeddedServer, Lost, Unreachable, VirtualClock
from kubewright.testing.faults import Fault

Shop = kw.Kind("example.com/v1alpha1", "Shop")
ConfigMap = kw.Kind("v1", "ConfigMap")
Secret = kw.Kind("v1", "Secret")
CHART = Chart("shop", {"Chart.yaml": b"name: shop\nversion: 0.1.0\n"})
WIDE = "rbac.authorization.k8s.io/v1"

Change = Callable[[kw.Client], Awaitable[object]]


class Printer:
    """A renderer without helm: it is not what is tried here."""

    async def render(self, wish: Wish) -> Rendering:
        """Return a ConfigMap that stays, one that an upgrade drops, a ClusterRole, and hooks."""
        colour = wish.values["colour"]
        names = ["settings", "old"] if colour == "red" else ["settings", "new"]
        made = [
            f"---\n# Source: shop/{name}.yaml\napiVersion: v1\nkind: ConfigMap\n"
            f"metadata: {{name: {name}}}\ndata: {{colour: {colour}}}\n"
            for name in names
        ]
        role = f"---\n# Source: shop/r.yaml\napiVersion: {WIDE}\nkind: ClusterRole\n"
        made.append(f"{role}metadata: {{name: wide}}\nrules: []\n")
        hook = (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook}\n"
            f"data: {{colour: {colour}}}\n"
        )
        events = ["post-install", "pre-upgrade", "pre-delete"]
        return Rendering("".join(made), [Hook("hook", "ConfigMap", "shop/h.yaml", hook, events)])


class Death:
    """Lets no request pass from the write *number* on, as if the process had died there.

    Args:
        number: The write, counted from 0.
        fault: What becomes of it.
    """

    def __init__(self, number: int, fault: Fault) -> None:
        self.number = number
        self.fault = fault
        self.writes = 0

    @property
    def has_come(self) -> bool:
        """Whether the write was made."""
        return self.writes > self.number

    def choose(self, request: Request) -> Fault | None:
        """Return what happens to *request*."""
        if self.has_come:
            return Unreachable()
        if request.method == "GET" or "/events" in request.target:
            return None
        self.writes += 1
        return self.fault if self.writes > self.number else None


def operator() -> HelmOperator:
    """Return an operator that knows nothing yet."""
    return HelmOperator([Watch(kind=Shop, chart=CHART)], name="shops", renderer=Printer())


async def create(client: kw.Client) -> object:
    """Make the Shop."""
    metadata = {"name": "corner", "namespace": "default"}
    return await client.create(Shop(metadata=metadata, spec={"colour": "red"}))


async def change(client: kw.Client) -> object:
    """Change its values."""
    return await client.patch(Shop, "corner", {"spec": {"colour": "blue"}})


async def delete(client: kw.Client) -> object:
    """Delete it."""
    await client.delete(Shop, "corner")
    return None


async def world(client: kw.Client) -> dict[str, Any]:
    """Return what is there."""
    maps = await client.list(ConfigMap, namespace="default")
    secrets = await client.list(Secret, namespace="default", labels={"owner": "helm"})
    obj = await client.find(Shop, "corner")
    return {
        "maps": {one.name: one["data"]["colour"] for one in maps if "data" in one},
        "statuses": [
            one.metadata.labels["status"]
            for one in sorted(secrets, key=lambda one: int(one.metadata.labels["version"]))
        ],
        "wide": await client.find(kw.Kind(WIDE, "ClusterRole"), "wide") is not None,
        "conditions": []
        if obj is None
        else [one["type"] for one in obj.status.get("conditions", ())],
    }


RED = {"settings": "red", "old": "red", "hook": "red"}
BLUE = {"settings": "blue", "new": "blue", "hook": "blue"}
STORY: list[tuple[Change, dict[str, str]]] = [(create, RED), (change, BLUE), (delete, {})]


async def told(death: Death) -> None:
    """Tell the story; the operator dies on the way, and another one takes its place."""
    clock = VirtualClock()
    server = EmbeddedServer(clock=clock)
    async with server, server.client() as user, server.client(faults=death) as mortal:
        await clock.run(operator().install_crds(user))
        manager = await started(mortal)
        replaced = False
        for step, maps in STORY:
            await step(user)
            await clock.advance(1)
            if death.has_come and not replaced:
                replaced = True
                await clock.run(manager.__aexit__(None, None, None))
                manager = await started(user)
            await clock.advance(60)
            found = await world(user)
            where = f"write {death.number}, after {step.__name__}: {found}"
            if step is delete:
                # What belongs to the object is for the garbage collector, with its hook.
                assert not found["wide"], where
                assert (found["statuses"], found["conditions"]) == ([], []), where
                assert set(found["maps"]) <= {"hook"}, where
            else:
                assert found["maps"] == maps, where
                assert found["statuses"][-1] == "deployed", where
                assert found["statuses"].count("deployed") == 1, where
                assert not [one for one in found["statuses"] if "pending" in one], where
                assert found["conditions"] == ["Initialized", "Deployed"], where
        await clock.run(manager.__aexit__(None, None, None))


async def started(client: kw.Client) -> kw.Manager:
    """Start an operator with *client*."""
    manager = kw.Manager(kw.Cluster(client))
    operator().add_to(manager, serve_webhooks=None)
    await manager.__aenter__()
    return manager


@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", [Lost(), Unreachable()], ids=repr)
async def test_operator_that_dies_at_any_write_loses_nothing(fault: Fault) -> None:
    """Whether the last write has arrived or not; the release is as if nothing had happened."""
    number, death = 0, Death(0, fault)
    while True:
        await told(death)
        if not death.has_come:
            break
        number += 1
        death = Death(number, fault)
    assert number > 20
