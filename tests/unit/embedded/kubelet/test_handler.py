import pytest

from kubewright._aio import Clock
from kubewright._json import loads
from kubewright._serve.messages import Request, Response, Stream, Upgrade
from kubewright.embedded.kubelet.handler import KubeletHandler
from kubewright.embedded.node.access import AccessError, LogOptions
from tests.unit.embedded.kubelet.containers import Containers
from tests.unit.embedded.kubelet.wires import SPDY, WEBSOCKET, WebSocketClient, talking

V4 = {**WEBSOCKET, "sec-websocket-protocol": "v4.channel.k8s.io"}


def handler(containers: Containers | None = None) -> KubeletHandler:
    return KubeletHandler(containers or Containers(), clock=Clock())


async def get(path: str, query: str = "", **headers: str) -> Response:
    pods = [{"metadata": {"name": "web"}}]
    answer = await handler().handle(Request("GET", path, query, headers), pods)
    assert isinstance(answer, Response)
    return answer


async def test_it_is_healthy_and_knows_its_pods() -> None:
    """Which is what people ask a kubelet first."""
    assert (await get("/healthz")).body == b"ok"
    listed = loads((await get("/pods")).body)
    assert listed["kind"] == "PodList"
    assert listed["items"] == [{"metadata": {"name": "web"}}]
    assert (await get("/")).status == (await get("/exec/a/b")).status == 404


async def test_logs_are_found_where_a_kube_apiserver_looks() -> None:
    """Errors are plain texts, as a kubelet's are."""
    containers = Containers()
    request = Request("GET", "/containerLogs/default/web/main", "tailLines=1")

    answer = await handler(containers).handle(request)
    containers.log_error = AccessError(400, 'previous terminated container "main" not found')
    refused = await handler(containers).handle(request)

    assert isinstance(answer, Stream)
    assert [chunk async for chunk in answer.chunks] == [b"one\n", b"two\n"]
    assert containers.asked[0] == ("default", "web", "main", LogOptions(tail_lines=1))
    assert isinstance(refused, Response)
    assert (refused.status, refused.content_type) == (400, "text/plain; charset=utf-8")
    assert refused.body == b'previous terminated container "main" not found'
    assert (await get("/containerLogs/d/web/main", "tailLines=-1")).status == 422


@pytest.mark.parametrize("uid", ["", "/uid-1"])
async def test_commands_are_found_with_and_without_a_uid(uid: str) -> None:
    """The options have names of their own here."""
    containers = Containers()
    request = Request("GET", f"/exec/default/web{uid}/main", "command=both&output=1&error=1", V4)

    answer = await handler(containers).handle(request)
    async with talking(answer) as (end, _):
        got = await WebSocketClient(end).rest()

    assert (got[1], got[2]) == (b"out\n", b"err\n")
    assert containers.executed == [(("both",), False, False)]


async def test_a_container_can_be_attached_to_and_its_ports_forwarded() -> None:
    """Each of them is an upgrade."""
    attached = await handler().handle(
        Request("POST", "/attach/default/web/main", "input=1&output=1", V4)
    )
    forwarded = await handler().handle(Request("POST", "/portForward/default/web", "", SPDY))

    assert isinstance(attached, Upgrade)
    assert isinstance(forwarded, Upgrade)
    assert (await get("/exec/default/web/main", "output=1", **V4)).status == 400
    assert (await get("/portForward/default/web")).status == 400
