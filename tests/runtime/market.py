"""What the webhook tests look at: a steady stream of writes, and who answers the webhooks."""

import asyncio
import http.client
import random
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import kubewright as kw
from kubewright.crd.webhooks import Document
from kubewright.embedded.proxy.relay import SocketConnection, dial, relay
from kubewright.errors import KubewrightError
from kubewright.kinds.admissionregistration.v1 import (
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
)
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.kinds.core.v1 import Namespace
from kubewright.testing import RealServer
from tests.runtime.stalls import PRICE, Stall, WideStall, operator

RATE = 200
"""Writes a second."""

WRITERS = 20
HOST = "127.0.0.1"
SLOW = 1.0

MUTATING, VALIDATING = operator.webhooks.configuration_names
CRD = "stalls.example.com"


async def is_ready(port: int, running: Callable[[], bool]) -> None:
    """Wait until a replica says that it is ready, at the *port* of its probes."""
    while not await asyncio.to_thread(_answers, port):
        assert running(), "the replica has ended: see its log"
        await asyncio.sleep(0.05)  # another process: its time is not ours


def _answers(port: int) -> bool:
    with closing(http.client.HTTPConnection(HOST, port, timeout=5)) as probe:
        try:
            probe.request("GET", "/readyz")
            return probe.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False


class Stream:
    """Writes to stalls, in both versions, so many a second; each asks all three webhooks.

    Attributes:
        answered: How many writes came back, well or not.
        refused: What was refused, with the number of the write.
        times: How long each took, in seconds.
    """

    def __init__(self, client: kw.Client, namespace: str) -> None:
        self._client, self._namespace = client, namespace
        self._stop = False
        self._moved = asyncio.Event()
        self._began = self._ended = 0.0
        self.answered = 0
        self.refused: list[tuple[int, str]] = []
        self.times: list[float] = []

    @asynccontextmanager
    async def flowing(self) -> AsyncIterator[None]:
        """Let it flow while the block lasts."""
        names = [f"stall-{number}" for number in range(WRITERS)]
        for name in names:
            await self._client.create(
                Stall(metadata=kw.ObjectMeta(name=name, namespace=self._namespace))
            )
        self._began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for number, name in enumerate(names):
                group.create_task(self._write_all(number, name))
            try:
                yield
            finally:
                self._stop, self._ended = True, time.monotonic()

    async def passed(self, more: int) -> None:
        """Wait until so many more writes were answered."""
        until = self.answered + more
        while self.answered < until:
            self._moved.clear()
            await self._moved.wait()

    @property
    def rate(self) -> float:
        """The writes a second that it came to."""
        return self.answered / ((self._ended or time.monotonic()) - self._began)

    def summary(self) -> str:
        """Return what happened, as a line."""
        ordered = sorted(self.times)
        slow = sum(one > SLOW for one in ordered)
        return (
            f"{self.answered} writes ({self.rate:.0f} a second), {len(self.refused)} refused,"
            f" median {ordered[len(ordered) // 2] * 1e3:.1f} ms,"
            f" 99 % {ordered[len(ordered) * 99 // 100] * 1e3:.0f} ms,"
            f" slowest {ordered[-1] * 1e3:.0f} ms, {slow} slower than {SLOW:.0f} s"
        )

    async def _write_all(self, number: int, name: str) -> None:
        turn = number
        while not self._stop:
            # The stream is the arrangement: writes come at their time, not when others end.
            await asyncio.sleep(self._began + turn / RATE - time.monotonic())
            began = time.perf_counter()
            try:
                problem = await self._write(name, turn)
            except KubewrightError as error:
                problem = str(error)
            self.times.append(time.perf_counter() - began)
            self.answered += 1
            if problem:
                self.refused.append((self.answered, problem))
            self._moved.set()
            turn += WRITERS

    async def _write(self, name: str, turn: int) -> str:
        size, where = turn + 1, self._namespace
        if turn // WRITERS % 2:
            patch = {"spec": {"width": size}}
            price = (await self._client.patch(WideStall, name, patch, namespace=where)).spec.price
        else:
            patch = {"spec": {"size": size}}
            price = (await self._client.patch(Stall, name, patch, namespace=where)).spec.price
        return "" if price == PRICE * size else f"size {size} and price {price}"


@dataclass
class Witness:
    """Somebody who comes anew each time, trusts what the configuration says, and looks.

    Attributes:
        leaves: The certificates that were shown.
        authorities: The first authority of each bundle, the one that signs.
        refused: Why there was no connection.
    """

    client: kw.Client
    port: int
    leaves: list[bytes] = field(default_factory=list)
    authorities: list[bytes] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def look(self) -> None:
        """Shake hands once, as an API server that has just started."""
        found = await self.client.get(ValidatingWebhookConfiguration, VALIDATING)
        bundle = (found.webhooks[0].client_config.ca_bundle or b"").decode()
        _note(self.authorities, bundle.partition("-----END")[0].encode())
        try:
            context = ssl.create_default_context(cadata=bundle)
            _, writer = await asyncio.open_connection(HOST, self.port, ssl=context)
        except OSError as error:
            self.refused.append(str(error))
            return
        shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        _note(self.leaves, shown or b"")
        writer.close()

    def summary(self) -> str:
        """Return what was seen, as words."""
        return f"{len(self.leaves)} certificates of {len(self.authorities)} authorities seen"


def _note(known: list[bytes], one: bytes) -> None:
    if one not in known:
        known.append(one)


class Front:
    """The address of a Service: each connection goes to one of its endpoints, by chance.

    It is what kube-proxy does, and as little: a connection to an endpoint where nobody listens is
    refused, and one that is open stays where it is when endpoints change.
    """

    def __init__(self, address: str, port: int, endpoints: list[int]) -> None:
        self.endpoints = endpoints
        self._address, self._port = address, port
        self._pick = random.Random()  # no secret

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Listen while the block lasts."""
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._serve(SocketConnection(reader, writer)))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(accept, self._address, self._port)
        try:
            yield
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, client: SocketConnection) -> None:
        try:
            endpoint = await dial(HOST, self._pick.choice(self.endpoints))
            await relay(client, endpoint)
        except OSError:
            client.reset()
        finally:
            await client.close()


@contextmanager
def server_with_services() -> Iterator[RealServer]:
    """Start a real server whose Services have addresses of this machine."""
    with RealServer(apiserver_flags=["--service-cluster-ip-range=127.96.0.0/24"]) as running:
        yield running


@asynccontextmanager
async def new_market(server: RealServer, folder: Path) -> AsyncIterator[kw.Client]:
    """Make an empty namespace, and remove all webhooks at the end; its name is the client's."""
    server.write_kubeconfig(folder / "kubeconfig")
    async with kw.Client(server.config(server.admin), field_owner="customer") as admin:
        made = await admin.create(Namespace(metadata=kw.ObjectMeta(generate_name="market-")))
        config = server.config(server.admin).replace(namespace=made.metadata.name)
        async with kw.Client(config, field_owner="customer") as client:
            try:
                yield client
            finally:
                await remove_webhooks(client)


async def remove_webhooks(client: kw.Client) -> None:
    """Remove what would refuse every write when nobody serves it."""
    for kind, name in (
        (MutatingWebhookConfiguration, MUTATING),
        (ValidatingWebhookConfiguration, VALIDATING),
        (CustomResourceDefinition, CRD),
    ):
        if await client.find(kind, name) is not None:
            await client.delete(kind, name)
            # A CRD goes when its objects have gone; one that is applied before that goes, too.
            await kw.wait_for(client, kind, name, lambda found: found is None)


def with_port(document: Document, port: int) -> Document:
    """Return a configuration that calls *port* of the Service."""
    for hook in document["webhooks"]:
        hook["clientConfig"]["service"]["port"] = port
    return document
