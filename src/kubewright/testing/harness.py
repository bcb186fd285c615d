"""`operator_test`: a running operator on its own cluster, for one test."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from kubewright._aio import Clock, VirtualClock
from kubewright._serve.messages import Answer, Request
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.application import Application
from kubewright.client import Client
from kubewright.client.witness import as_operator
from kubewright.cluster import Cluster
from kubewright.manager import Manager
from kubewright.runs import Runs
from kubewright.testing.embedded import EmbeddedServer
from kubewright.testing.embedded_cluster import EmbeddedCluster
from kubewright.testing.restriction import restricted_client
from kubewright.webhook.routes import Routes
from kubewright.webhook.serving import WebhookServing

__all__ = ["OperatorTest", "operator_test"]

_AUTHORITY = "webhooks.in-process:443"
_IN_PROCESS = WebhookServing(url=f"https://{_AUTHORITY}")


@dataclass(frozen=True, slots=True)
class OperatorTest:
    """A running operator.

    Attributes:
        client: An administrator's client, with which the test acts as the user.
        clock: The clock of everything here.
        server: The API server, or the cluster.
        manager: What runs the operator.
    """

    client: Client
    clock: VirtualClock
    server: EmbeddedServer
    manager: Manager

    @property
    def runs(self) -> Runs:
        """What the operator did: each call of a reconciler, recorded from the start."""
        return self.manager.runs

    async def settle(self) -> None:
        """Wait until nothing is left to do at the current time."""
        await self.clock.settle()

    async def settled(self) -> None:
        """Let as much time pass as the operator needs for what it has to do now.

        Reconciles that sleep come to their end, unlike in `settle`; retries and ``requeue_after``
        are not waited for. See `Manager.settled`.
        """
        await self.clock.run(self.manager.settled())

    async def advance(self, seconds: float) -> None:
        """Let *seconds* pass, and everything run that is due on the way."""
        await self.clock.advance(seconds)


@asynccontextmanager
async def operator_test(
    operator: Application,
    *,
    cluster: bool = False,
    rbac: bool = False,
    objects: Iterable[Resource | Unstructured] = (),
    clock: VirtualClock | None = None,
    server: EmbeddedServer | None = None,
) -> AsyncIterator[OperatorTest]:
    """Run *operator* on a server of its own during a block, in virtual time.

    Its CRDs are installed, and the server calls its webhooks, without a network: conversions from
    the beginning, admission from when the operator starts. Time passes only in
    `OperatorTest.advance`, also for ``asyncio.sleep`` and the time-outs of the operator's own code.
    An error of the operator comes out of the block.

    Args:
        operator: The operator, or another application.
        cluster: Whether there are controllers, a scheduler and a simulated node, too; otherwise a
            Deployment gets no pods.
        rbac: Whether the operator has the rights that it declares, and no others: what it does
            beyond these fails with a `ForbiddenError`. Otherwise it may do everything.
        objects: Objects to create before the operator starts.
        clock: The clock, if the test has one already.
        server: A server to use instead of a new one; its clock must be virtual.

    Raises:
        ValueError: The server has another clock than the test.

    Example:
        async with operator_test(operator) as test:
            await test.client.create(Shop(metadata=kw.ObjectMeta(name="corner")))
            await test.settle()
    """
    server = server if server is not None else _server(clock or VirtualClock(), cluster=cluster)
    time = _clock_of(server, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(server)
        client = await stack.enter_async_context(server.client())
        await time.run(operator.install_crds(client, serve_webhooks=_IN_PROCESS))
        own = client
        if rbac:
            own = await time.run(restricted_client(server, operator, client))
            await stack.enter_async_context(own)
        home = Cluster(own)
        server.api.in_process_webhooks[_AUTHORITY] = _Own(operator.webhooks.routes(home))
        for obj in objects:
            await time.run(client.create(obj))
        await time.run(_register(operator, client))
        manager = Manager(home)
        manager.runs.record()
        operator.add_to(manager, serve_webhooks=None)
        await manager.__aenter__()
        # A reconcile may be asleep; the grace period that it gets must pass, too.
        stack.push_async_exit(lambda *error: time.run(manager.__aexit__(*error)))
        await time.settle()
        yield OperatorTest(client, time, server, manager)


class _Own:
    """The webhooks of the operator, called by a server in the task of whoever sent a request."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    async def handle(self, request: Request) -> Answer:
        with as_operator():
            return await self._routes.handle(request)


async def _register(operator: Application, client: Client) -> None:
    if operator.webhooks.admissions:
        from kubewright.webhook.registration import Registration

        registration = Registration(client, operator.webhooks, _IN_PROCESS, owner=operator.name)
        await registration.install()


def _server(clock: VirtualClock, *, cluster: bool) -> EmbeddedServer:
    return EmbeddedCluster(clock=clock) if cluster else EmbeddedServer(clock=clock)


def _clock_of(server: EmbeddedServer, clock: VirtualClock | None) -> VirtualClock:
    found: Clock | None = server.clock
    if not isinstance(found, VirtualClock) or (clock is not None and clock is not found):
        raise ValueError(
            "operator_test needs a server in its own virtual time: make it with"
            " clock=VirtualClock(), and give that clock to nobody else"
        )
    return found
