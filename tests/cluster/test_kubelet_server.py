"""A real kube-apiserver in front of `KubeletServer`: it passes everything through as it came."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from kubewright._pki.authority import Authority
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.embedded.kubelet import KubeletServer
from kubewright.embedded.node.access import AccessError
from kubewright.errors import BadRequestError, ConfigError
from kubewright.kinds.core.v1 import Node, Pod
from kubewright.testing import RealServer
from kubewright.testing.assets import get_program
from tests.cluster.processes import ProcessContainers
from tests.cluster.streams import Town, kubectls
from tests.cluster.test_streams import MEGABYTE, fetch, forwarding, http_server

ALL = kubectls()
each = pytest.mark.parametrize("kubectl", ALL, ids=lambda path: Path(path).name)


def _missing() -> str:
    try:
        get_program("kube-apiserver")
    except ConfigError as error:
        return str(error)
    return "" if ALL else "kubectl is not installed"


pytestmark = [pytest.mark.timeout(180), pytest.mark.skipif(bool(_missing()), reason=_missing())]


class Front:
    """A kube-apiserver that shows a client certificate to kubelets."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority()
        pair = self.authority.client("kube-apiserver-kubelet-client")
        (folder / "client.crt").write_bytes(pair.certificate)
        (folder / "client.key").write_bytes(pair.key)
        (folder / "ca.crt").write_bytes(self.authority.certificate)
        self.server = RealServer(
            apiserver_flags=(
                f"--kubelet-client-certificate={folder / 'client.crt'}",
                f"--kubelet-client-key={folder / 'client.key'}",
                f"--kubelet-certificate-authority={folder / 'ca.crt'}",
            )
        )


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One server for all tests of this file."""
    made = Front(tmp_path_factory.mktemp("kubelet"))
    with made.server:
        yield made


@pytest.fixture
async def containers() -> AsyncIterator[ProcessContainers]:
    """What runs on the node."""
    made = ProcessContainers()
    yield made
    await made.stop()


@pytest.fixture
async def town(front: Front, containers: ProcessContainers, tmp_path: Path) -> AsyncIterator[Town]:
    """A node and a pod on it, as a kubelet would have written them."""
    kubelet = KubeletServer(
        containers,
        pair=front.authority.serving("127.0.0.1"),
        client_ca=front.authority.certificate,
        pods=lambda: [{"metadata": {"name": "web"}}],
    )
    await kubelet.start()
    (tmp_path / "kubeconfig").write_bytes(front.server.kubeconfig_file.read_bytes())
    try:
        made = Town(tmp_path)
        async with made.client() as client:
            await register(client, kubelet.port)
            yield made
            await client.delete(Pod, "web", grace_period=0)
            await client.delete(Node, "node-1")
    finally:
        await kubelet.stop()


async def register(client: Client, port: int) -> None:
    """Write the node and the pod."""
    meta = {"name": "node-1"}
    await client.create(Unstructured(apiVersion="v1", kind="Node", metadata=meta))
    address = {"type": "InternalIP", "address": "127.0.0.1"}
    endpoints = {"kubeletEndpoint": {"Port": port}}
    status = {"addresses": [address], "daemonEndpoints": endpoints}
    await client.status.patch(Node, "node-1", {"status": status})
    spec = {
        "nodeName": "node-1",
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": "x", "stdin": True}],
    }
    place = {"name": "web", "namespace": "default"}
    await client.create(Unstructured(apiVersion="v1", kind="Pod", metadata=place, spec=spec))
    await client.status.patch(Pod, "web", {"status": {"phase": "Running"}})


@each
async def test_kubectl_works_through_the_real_server(
    town: Town, containers: ProcessContainers, kubectl: str
) -> None:
    """Logs are proxied; upgrades are passed through raw, in whatever dialect kubectl speaks."""
    logs = await town.run(kubectl, "logs", "web", "--tail=2")
    failed = await town.run(
        kubectl, "exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3"
    )
    echoed = await town.run(kubectl, "exec", "-i", "web", "--", "cat", stdin=MEGABYTE * 4)
    attached = await town.run(kubectl, "attach", "-i", "web", stdin=b"hello")

    assert (logs.code, logs.out) == (0, "one\ntwo\n")
    assert (failed.code, failed.out, failed.err[:4]) == (3, "out\n", "err\n")
    assert (echoed.code, echoed.out == MEGABYTE.decode() * 4) == (0, True), echoed.err
    assert (attached.code, attached.out) == (0, "hello")
    assert containers.asked[0][3].tail_lines == 2


@each
async def test_ports_are_forwarded_through_the_real_server(town: Town, kubectl: str) -> None:
    """With megabytes in both directions."""
    async with http_server() as port, forwarding(town, kubectl, port) as local:
        small = await asyncio.gather(*[fetch(local) for _ in range(10)])
        large = await fetch(local, "/large/10")
        sent = await fetch(local, "/", MEGABYTE * 10)

    assert set(small) == {b"got 0"}
    assert large == MEGABYTE * 10
    assert sent == b"got %d" % (10 << 20)


async def test_our_client_works_through_the_real_server(
    town: Town, containers: ProcessContainers
) -> None:
    """Its websockets are passed through, too, in the dialect of the kubelet."""
    async with town.client() as client:
        logs = await client.logs("web")
        containers.log_error = AccessError(400, 'previous terminated container "main" not found')
        with pytest.raises(BadRequestError, match="previous terminated container"):
            await client.logs("web", previous=True)
        ran = await client.exec("web", ["sh", "-c", "echo out; exit 3"])
        async with http_server() as port, client.port_forward("web", port) as forward:
            got = await fetch(await forward.listen(), "/large/5")

    assert logs == "one\ntwo\n"
    assert (ran.stdout, ran.exit_code) == (b"out\n", 3)
    assert got == MEGABYTE * 5


async def test_the_node_answers_through_its_proxy(town: Town) -> None:
    """Health and pods, as `kubectl get --raw` asks for them."""
    healthy = await town.run(ALL[0], "get", "--raw", "/api/v1/nodes/node-1/proxy/healthz")
    pods = await town.run(ALL[0], "get", "--raw", "/api/v1/nodes/node-1/proxy/pods")

    assert healthy.out == "ok", healthy.err
    assert '"kind":"PodList"' in pods.out
