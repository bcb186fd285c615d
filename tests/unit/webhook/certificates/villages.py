"""Replicas that share a Secret on a server in this process, in virtual time, and who calls them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta

from kubewright._aio import VirtualClock
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request
from kubewright.client import Client
from kubewright.kinds.admissionregistration.v1 import (
    MutatingWebhook,
    MutatingWebhookConfiguration,
    ServiceReference,
    WebhookClientConfig,
)
from kubewright.kinds.core.v1 import Secret
from kubewright.testing.embedded import EmbeddedServer
from kubewright.testing.faults import Fault
from kubewright.webhook.certificates import Lifetimes, ManagedCertificate, Targets, service_hosts
from tests.unit._pki.handshakes import Connection

SECRET, HOOKS = "shop-webhook", "shops"
HOST = "shop.default.svc"
TARGETS = Targets(mutating=(HOOKS,))
SHORT = Lifetimes(
    authority=timedelta(hours=9), leaf=timedelta(hours=3), overlap=timedelta(minutes=10)
)


class Wire:
    """Counts the requests of one replica by method and resource, and breaks what it is told to."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.fault: Fault | None = None
        self.words: tuple[str, ...] = ()

    def cut(self, fault: Fault | None, *words: str) -> None:
        """Let requests fail of which the method and path contain all *words*."""
        self.fault, self.words = fault, words

    def choose(self, request: Request) -> Fault | None:
        said = f"{request.method} {request.target}"
        self.sent.append(said)
        return self.fault if all(word in said for word in self.words) else None

    def take(self, method: str = "") -> list[str]:
        """Return what was sent since the last call."""
        sent, self.sent = self.sent, []
        return [one for one in sent if one.startswith(method)]


class Replica:
    """One process with a certificate."""

    def __init__(
        self,
        client: Client,
        wire: Wire,
        clock: VirtualClock,
        hosts: Iterable[str],
        lifetimes: Lifetimes,
    ) -> None:
        self.clock, self.client, self.wire = clock, client, wire
        self.certificate = ManagedCertificate(
            client, secret=SECRET, namespace="default", hosts=hosts, targets=TARGETS,
            lifetimes=lifetimes, clock=clock,
        )  # fmt: skip
        self.context: ssl.SSLContext | None = None
        self.task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve until cancelled."""
        self.context = await self.certificate.load()
        await self.certificate.keep()

    def start(self) -> None:
        self.task = asyncio.create_task(self.run())

    async def stop(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])
            if not self.task.cancelled() and (error := self.task.exception()):
                raise error


class Village:
    """A server with webhooks of ours, and the replicas."""

    def __init__(self, server: EmbeddedServer, clock: VirtualClock, client: Client) -> None:
        self.server, self.clock, self.client = server, clock, client
        self.replicas: list[Replica] = []
        self.calls = 0

    def make(
        self,
        hosts: Iterable[str] = (),
        lifetimes: Lifetimes = SHORT,
        clock: VirtualClock | None = None,
    ) -> Replica:
        """Return a replica that does not run yet; *clock* may be one that is wrong."""
        wire = Wire()
        hosts = tuple(hosts) or service_hosts("shop", "default")
        replica = Replica(
            self.server.client(faults=wire), wire, clock or self.clock, hosts, lifetimes
        )
        self.replicas.append(replica)
        return replica

    async def start(self, count: int = 1, **options: object) -> list[Replica]:
        made = [self.make(**options) for _ in range(count)]  # type: ignore[arg-type]
        for replica in made:
            replica.start()
        await self.clock.advance(1)
        return made

    async def secret(self) -> Secret:
        return await self.client.get(Secret, SECRET)

    async def bundle(self, index: int = 0) -> bytes:
        hooks = await self.client.get(MutatingWebhookConfiguration, HOOKS)
        return hooks.webhooks[index].client_config.ca_bundle or b""

    async def overwrite(self, bundle: bytes | None, index: int = 0) -> None:
        """Do what ``kubectl apply`` does with a manifest that knows no bundle."""
        hooks = await self.client.get(MutatingWebhookConfiguration, HOOKS)
        hooks.webhooks[index].client_config.ca_bundle = bundle
        await self.client.update(hooks)

    async def call(self, host: str = HOST) -> None:
        """Call every replica that serves, as an API server does; raises if one is refused."""
        bundle = await self.bundle()
        for replica in self.replicas:
            if replica.context is not None:
                self.calls += 1
                shaken = Connection(replica.context, bundle, host, self.clock.now())
                assert shaken.say(b"review") == b"review"

    async def live(self, duration: timedelta, every: float = 5.0) -> None:
        """Let time pass, and call all replicas all the time."""
        end = self.clock.now() + duration
        while self.clock.now() < end:
            await self.clock.advance(every)
            await self.call()


def hook(name: str, service: str) -> MutatingWebhook:
    """Return a webhook that is called by way of *service*."""
    where = ServiceReference(name=service, namespace="default", path="/mutate")
    return MutatingWebhook(
        name=name, admission_review_versions=["v1"], side_effects="None",
        client_config=WebhookClientConfig(service=where),
    )  # fmt: skip


@asynccontextmanager
async def village(*, hooks: bool = True) -> AsyncIterator[Village]:
    """Start a server with a webhook of ours and one of somebody else's."""
    clock = VirtualClock()
    async with (
        EmbeddedServer(clock=clock, controllers=False) as server,
        server.client() as client,
    ):
        made = Village(server, clock, client)
        if hooks:
            await install(made)
        try:
            yield made
        finally:
            for replica in made.replicas:
                replica.wire.cut(None)
                await replica.stop()
                await replica.client.close()


async def install(village: Village) -> None:
    """Make the configuration with a webhook of ours and one of somebody else's."""
    both = [hook("a.shop.example.com", "shop"), hook("b.bank.example.com", "bank")]
    metadata = ObjectMeta(name=HOOKS)
    await village.client.create(MutatingWebhookConfiguration(metadata=metadata, webhooks=both))
