"""What changes while it is used: definitions, namespaces, and owners with many dependents."""

import asyncio
import contextlib
from typing import Any

from kubewright.apiserver.server import APIServer
from tests.robustness.test_watchers import until, watchers
from tests.robustness.wire import MERGE, Obj, Wire

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THINGS = "/apis/robust.example.com/v1/namespaces/default/things"


def definition(*, fields: tuple[str, ...] = ("size",)) -> Obj:
    """Return the CRD of things whose spec has *fields*."""
    spec = {"type": "object", "properties": {name: {"type": "integer"} for name in fields}}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "metadata": {"name": "things.robust.example.com"},
        "spec": {
            "group": "robust.example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
            "versions": [version],
        },
    }


async def gone(wire: Wire, path: str) -> None:
    """Wait until nothing is at *path*."""
    for _ in range(500):
        if (await wire.ask("GET", path)).status == 404:
            return
        await asyncio.sleep(0.005)
    raise AssertionError((await wire.ask("GET", path)).body)


class Users:
    """Those who use things while somebody redefines them."""

    def __init__(self, wire: Wire) -> None:
        self.statuses: set[int] = set()
        self.events = 0
        self._wire = wire
        self._made = 0

    async def write(self) -> None:
        """Create, change and delete things, for ever."""
        while True:
            self._made += 1
            name = f"a{self._made}"
            body = {
                "apiVersion": "robust.example.com/v1",
                "kind": "Thing",
                "metadata": {"name": name},
                "spec": {"size": 1, "other": 2},
            }
            for asked in (
                ("POST", THINGS, body),
                ("PATCH", f"{THINGS}/{name}", {"spec": {"size": 2}}),
                ("DELETE", f"{THINGS}/{name}"),
            ):
                answer = await self._wire.ask(*asked)
                self.statuses.add(answer.status)

    async def watch(self) -> None:
        """Watch things, for ever; a stream that ends is begun again."""
        while True:
            with contextlib.suppress(AssertionError):  # there is no such path right now
                async for event in self._wire.watch(f"{THINGS}?watch=1"):
                    assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
                    self.events += 1
            await asyncio.sleep(0.005)


async def test_a_definition_may_come_and_go_while_it_is_used(api: APIServer, wire: Wire) -> None:
    """Users of a kind see it, or a clear answer that it is not there; nothing is left behind."""
    users = Users(wire)
    own = watchers(api)

    async with asyncio.TaskGroup() as group:
        working = [group.create_task(users.write()) for _ in range(3)]
        working += [group.create_task(users.watch()) for _ in range(5)]
        for n in range(25):
            created = await wire.ask("POST", DEFINITIONS, definition())
            assert created.status == 201, created
            await asyncio.sleep(0.01)
            path = f"{DEFINITIONS}/things.robust.example.com"
            change = {"spec": definition(fields=("size", f"other{n % 2}"))["spec"]}
            assert (await wire.ask("PATCH", path, change, media=MERGE)).status == 200
            await asyncio.sleep(0.01)
            assert (await wire.ask("DELETE", path)).status == 200
            await gone(wire, path)
        for task in working:
            task.cancel()

    assert users.statuses <= {200, 201, 404, 405, 409}
    assert users.events
    await until(lambda: watchers(api) == own)
    assert api.registry.find_any("robust.example.com", "Thing") is None


async def test_a_namespace_goes_although_others_keep_filling_it(wire: Wire) -> None:
    """Creation is refused from the moment of deletion, so that the work comes to an end."""
    inside = "/api/v1/namespaces/busy"
    statuses: set[int] = set()

    async def fill(writer: int) -> None:
        for n in range(10_000):
            body = {"metadata": {"name": f"a{writer}-{n}"}}
            answer = await wire.ask("POST", f"{inside}/configmaps", body)
            statuses.add(answer.status)
            if answer.status == 404:
                return

    for _ in range(3):
        await wire.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "busy"}})
        async with asyncio.TaskGroup() as group:
            for writer in range(5):
                group.create_task(fill(writer))
            await asyncio.sleep(0.05)
            assert (await wire.ask("DELETE", inside)).status == 200
            await gone(wire, inside)

        left = (await wire.ask("GET", f"{inside}/configmaps")).body["items"]
        assert [item["metadata"]["name"] for item in left] == []
    assert statuses == {201, 403, 404}


async def test_many_dependents_go_with_their_owner(wire: Wire) -> None:
    """Foreground: the owner goes last. Background: it goes first. In both, all of them go."""
    default = "/api/v1/namespaces/default"
    for policy in ("Foreground", "Background"):
        owner = (await wire.ask("POST", f"{default}/secrets", {"metadata": {"name": "o"}})).body
        reference = {
            "apiVersion": "v1",
            "kind": "Secret",
            "name": "o",
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }

        async def fill(first: int, reference: Obj = reference) -> None:
            for n in range(first, first + 40):
                meta: Obj = {"name": f"d{n}", "ownerReferences": [reference]}
                body: Any = {"metadata": meta}
                assert (await wire.ask("POST", f"{default}/configmaps", body)).status == 201

        await asyncio.gather(*(fill(first) for first in range(0, 400, 40)))
        last = 400

        asked = {"propagationPolicy": policy}
        await wire.ask("DELETE", f"{default}/secrets/o", asked)
        await gone(wire, f"{default}/secrets/o")
        if policy == "Foreground":
            last = len((await wire.ask("GET", f"{default}/configmaps")).body["items"])
            assert last == 0
        for _ in range(400):
            last = len((await wire.ask("GET", f"{default}/configmaps")).body["items"])
            if not last:
                break
            await asyncio.sleep(0.01)
        assert last == 0


async def test_a_definition_cannot_take_what_is_built_in(api: APIServer, wire: Wire) -> None:
    """Neither the paths nor the objects: they stay when it goes."""
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    before = (await wire.ask("GET", roles)).body["items"]
    body = definition()
    body["metadata"] = {
        "name": "clusterroles.rbac.authorization.k8s.io",
        "annotations": {"api-approved.kubernetes.io": "unapproved, a test"},
    }
    names = {"plural": "clusterroles", "singular": "clusterrole", "kind": "ClusterRole"}
    body["spec"] |= {"group": "rbac.authorization.k8s.io", "scope": "Cluster", "names": names}
    body["spec"]["versions"].append({**body["spec"]["versions"][0], "name": "v9", "storage": False})

    created = await wire.ask("POST", DEFINITIONS, body)
    during = (await wire.ask("GET", roles)).body["items"]
    other = await wire.ask("GET", roles.replace("v1", "v9"))
    await wire.ask("DELETE", f"{DEFINITIONS}/{body['metadata']['name']}")
    await gone(wire, f"{DEFINITIONS}/{body['metadata']['name']}")

    assert (created.status, other.status) == (201, 404)
    assert before
    assert before == during == (await wire.ask("GET", roles)).body["items"]
    assert api.registry.find_any("rbac.authorization.k8s.io", "ClusterRole") is not None
