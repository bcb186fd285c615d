from typing import Any

import pytest

from kubewright._json import encode, loads
from kubewright._serve.messages import Answer, Request, Response, Stream
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.server import APIServer
from kubewright.embedded.kubelet import Kubelets
from kubewright.embedded.kubelet.kubelets import chosen_container
from kubewright.embedded.node.access import AccessError
from tests.unit.embedded.kubelet.containers import Containers, MemoryConnection
from tests.unit.embedded.kubelet.wires import SPDY, WEBSOCKET, SPDYClient, WebSocketClient, talking

PODS = "/api/v1/namespaces/default/pods"
SERVICES = "/api/v1/namespaces/default/services"
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
V5 = {**WEBSOCKET, "sec-websocket-protocol": "v5.channel.k8s.io"}


class World:
    """An API server without a network, and two nodes."""

    def __init__(self) -> None:
        self.kubelets = Kubelets()
        self.first, self.second = Containers(), Containers()
        self.kubelets.add("node-1", self.first)
        self.kubelets.add("node-2", self.second)
        self.api = APIServer(node=self.kubelets)

    async def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        path, _, query = path.partition("?")
        sent = {"content-type": "application/json"} if body is not None else {}
        data = encode(body) if body is not None else b""
        request = Request(method, path, query, sent | (headers or {}), data, trusted=True)
        return await self.api.handle(request)

    async def make(self, path: str, tree: dict[str, Any]) -> None:
        answer = await self.ask("POST", path, tree)
        assert isinstance(answer, Response)
        assert answer.status == 201, answer.body

    async def pod(self, name: str, node: str, *containers: str, port: int = 0) -> None:
        ports = [{"containerPort": port}] if port else []
        listed = [{"name": one, "image": "x", "ports": ports} for one in containers]
        spec = {"nodeName": node, "containers": listed}
        await self.make(PODS, {"metadata": {"name": name}, "spec": spec})

    async def refusal(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, str]:
        answer = await self.ask("GET", path, headers=headers)
        assert isinstance(answer, Response), answer
        return answer.status, loads(answer.body)["message"]


@pytest.fixture
async def world() -> Any:
    made = World()
    async with made.api:
        yield made
        await made.first.stop()
        await made.second.stop()


async def text(answer: Answer) -> bytes:
    assert isinstance(answer, Stream), answer
    return b"".join([chunk async for chunk in answer.chunks])


async def test_each_pod_is_asked_for_at_its_own_node(world: World) -> None:
    """The name of the node is in its spec."""
    world.second.pieces = [b"second\n"]
    await world.pod("a", "node-1", "main")
    await world.pod("b", "node-2", "main")

    first = await text(await world.ask("GET", f"{PODS}/a/log"))
    second = await text(await world.ask("GET", f"{PODS}/b/log?container=main"))

    assert (first, second) == (b"one\ntwo\n", b"second\n")


async def test_what_a_node_refuses_comes_as_a_status(world: World) -> None:
    """With the words of the node, and the reason that fits its code."""
    await world.pod("web", "node-1", "a", "b")
    await world.pod("far", "node-3", "main")
    waiting = 'container "a" in pod "web" is waiting to start: ContainerCreating'
    world.first.log_error = AccessError(400, waiting)

    assert await world.refusal(f"{PODS}/web/log?container=a") == (400, waiting)
    world.first.log_error = AccessError(500, "disk on fire")
    assert await world.refusal(f"{PODS}/web/log?container=a") == (
        500,
        "Internal error occurred: disk on fire",
    )
    assert await world.refusal(f"{PODS}/web/log") == (
        400,
        "a container name must be specified for pod web, choose one of: [a b]",
    )
    assert (await world.refusal(f"{PODS}/far/log"))[0] == 503
    assert await world.refusal(f"{PODS}/web/exec?container=a&command=x&stdout=1") == (
        400,
        "Upgrade request required",
    )
    code, message = await world.refusal(f"{PODS}/web/exec?container=a&stdout=1", V5)
    assert (code, message) == (400, "you must specify at least one command for the container")


async def test_commands_run_in_the_container_that_was_named(world: World) -> None:
    """By exec and by attach, over a websocket or SPDY."""
    await world.pod("web", "node-1", "main")

    answer = await world.ask("GET", f"{PODS}/web/exec?command=both&stdout=1&stderr=1", headers=V5)
    async with talking(answer) as (end, _):
        got = await WebSocketClient(end).rest()
    attached = await world.ask("POST", f"{PODS}/web/attach?stdin=1&stdout=1", headers=SPDY)
    async with talking(attached) as (end, _):
        client = SPDYClient(end)
        await client.open(streamtype="error")
        stdin = await client.open(streamtype="stdin")
        out = await client.open(streamtype="stdout")
        await client.write(stdin, b"hi", final=True)
        await client.read_until(lambda: out in client.ended)

    assert (got[1], got[2]) == (b"out\n", b"err\n")
    assert client.got[out] == b"hi"


async def test_ports_are_forwarded(world: World) -> None:
    """To the node of the pod."""
    await world.pod("web", "node-1", "main")
    channels = {**WEBSOCKET, "sec-websocket-protocol": "v4.channel.k8s.io"}

    answer = await world.ask("GET", f"{PODS}/web/portforward?ports=7", headers=channels)
    async with talking(answer) as (end, _):
        client = WebSocketClient(end)
        await client.send(b"\0hi")
        got = [await client.receive() for _ in range(3)]
        await client.close()

    assert got[2] == b"\0hi"


async def serve_path(far: MemoryConnection) -> None:
    """Answer with the first line of the request."""
    line = (await far.read()).split(b"\r\n")[0]
    await far.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + line)


async def test_http_is_passed_on_to_pods_services_and_nodes(world: World) -> None:
    """`kubectl get --raw` and `kubectl proxy` use these addresses."""
    world.first.services[8080] = serve_path
    await world.pod("web", "node-1", "main", port=8080)
    spec = {"selector": {"a": "b"}, "ports": [{"port": 80, "targetPort": 8080}]}
    await world.make(SERVICES, {"metadata": {"name": "front"}, "spec": spec})
    await world.make("/api/v1/nodes", {"metadata": {"name": "node-1"}})
    target = {"kind": "Pod", "namespace": "default", "name": "web"}
    await world.make(
        SLICES,
        {
            "metadata": {"name": "f", "labels": {"kubernetes.io/service-name": "front"}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.0.0.1"], "targetRef": target}],
            "ports": [{"port": 8080}],
        },
    )

    assert await text(await world.ask("GET", f"{PODS}/web/proxy/a?b=c")) == b"GET /a?b=c HTTP/1.1"
    assert await text(await world.ask("GET", f"{PODS}/http:web:8080/proxy/")) == b"GET / HTTP/1.1"
    assert await text(await world.ask("GET", f"{SERVICES}/front:80/proxy/x")) == b"GET /x HTTP/1.1"
    health = await world.ask("GET", "/api/v1/nodes/node-1/proxy/healthz")
    assert isinstance(health, Response)
    assert health.body == b"ok"
    listed = await world.ask("GET", "/api/v1/nodes/node-1/proxy/pods")
    assert isinstance(listed, Response)
    assert [pod["metadata"]["name"] for pod in loads(listed.body)["items"]] == ["web"]


async def test_what_cannot_be_passed_on_is_told(world: World) -> None:
    """Nothing listens, nothing stands behind a service, or it is https."""
    await world.pod("web", "node-1", "main", port=8080)
    spec = {"selector": {"a": "b"}, "ports": [{"port": 80}]}
    await world.make(SERVICES, {"metadata": {"name": "front"}, "spec": spec})

    code, message = await world.refusal(f"{PODS}/web/proxy/")
    assert code == 503
    assert "error trying to reach service" in message
    assert await world.refusal(f"{SERVICES}/front/proxy/") == (
        503,
        'no endpoints available for service "front"',
    )
    assert (await world.refusal(f"{PODS}/https:web:8080/proxy/"))[0] == 400
    assert (await world.refusal(f"{PODS}/none:80/proxy/"))[0] == 404


async def test_a_node_that_was_removed_is_asked_no_more(world: World) -> None:
    """Its pods may still be listed for a while."""
    await world.pod("web", "node-1", "main")

    world.kubelets.remove("node-1")

    assert (await world.refusal(f"{PODS}/web/log"))[0] == 503


CHOOSE = "a container name must be specified for pod web, choose one of: [a b]"


def tree(*containers: str, init: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "metadata": {"name": "web"},
        "spec": {
            "containers": [{"name": name} for name in containers],
            "initContainers": [{"name": name} for name in init],
        },
    }


def test_the_only_container_is_the_one_that_is_meant() -> None:
    """And so is one that is named, an init container included."""
    assert chosen_container(tree("main"), "") == "main"
    assert chosen_container(tree("main", "side"), "side") == "side"
    assert chosen_container(tree("main", init=("setup",)), "setup") == "setup"


@pytest.mark.parametrize(
    ("found", "wanted", "text"),
    [
        (tree("a", "b"), "", CHOOSE),
        (
            tree("a", "b", init=("c", "d")),
            "",
            f"{CHOOSE} or one of the init containers: [c d]",
        ),
        (tree(), "", "a container name must be specified for pod web"),
        (tree("a"), "x", "container x is not valid for pod web"),
    ],
)
def test_otherwise_the_choice_is_named(found: dict[str, Any], wanted: str, text: str) -> None:
    """In Kubernetes' own words, which people search for."""
    with pytest.raises(StatusError) as caught:
        chosen_container(found, wanted)

    assert (caught.value.code, caught.value.message) == (400, text)
