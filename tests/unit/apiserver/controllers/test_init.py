"""All controllers together."""

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, MAPS, ask, make, named, settled


async def test_a_server_without_controllers_leaves_everything_as_it_is() -> None:
    """Like a kube-apiserver alone: nobody makes accounts, collects garbage, or ends namespaces."""
    async with APIServer(controllers=False) as server:
        ghost = {"apiVersion": "v1", "kind": "Pod", "name": "none", "uid": "u"}
        await make(server, MAPS, named("a", ownerReferences=[ghost]))
        await make(server, "/api/v1/namespaces", "n")
        await ask(server, "DELETE", "/api/v1/namespaces/n")
        await settled()

        assert (await ask(server, "GET", f"{MAPS}/a")).status == 200
        assert (await ask(server, "GET", f"{CORE}/serviceaccounts")).names == []
        phase = (await ask(server, "GET", "/api/v1/namespaces/n")).obj["status"]["phase"]
        assert phase == "Terminating"


async def test_controllers_see_what_was_there_before_them() -> None:
    """A server that starts from a folder goes on where the last one stopped."""
    server = APIServer()
    storage = server.registry.groups[""]["v1"]["configmaps"].storage
    ghost = {"apiVersion": "v1", "kind": "Pod", "name": "none", "uid": "u"}
    orphan = named("a", namespace="default", uid="1", ownerReferences=[ghost])
    server.store.put(storage, {"apiVersion": "v1", "kind": "ConfigMap", **orphan})

    async with server:
        await settled(200)

        assert server.store.find(storage, "default", "a") is None
        assert (await ask(server, "GET", f"{CORE}/serviceaccounts")).names == ["default"]
