"""Registers a node, and reports that it is alive: its Node object, and its Lease."""

import asyncio
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from datetime import timedelta
from typing import TypeAlias

from kubewright._aio import Backoff, Clock
from kubewright._json import MicroTime
from kubewright.api.meta import ObjectMeta, OwnerReference
from kubewright.client import Client
from kubewright.embedded.node.registration import (
    NodeFacts,
    node_events,
    node_labels,
    node_object,
    node_patch,
    node_status,
)
from kubewright.errors import (
    AlreadyExistsError,
    KubewrightError,
    NotFoundError,
)
from kubewright.kinds.coordination.v1 import Lease, LeaseSpec
from kubewright.kinds.core.v1 import Namespace, Node
from kubewright.log import get_logger

__all__ = ["LEASES", "Heartbeat"]

LEASES: str = "kube-node-lease"
"""The namespace of the Leases of nodes."""
DURATION: int = 40
RENEW_EVERY: float = DURATION / 4

Report: TypeAlias = Callable[[Node, str, str], None]

_log = get_logger(__name__)


class Heartbeat:
    """Registers a node, and keeps its Lease and its status fresh.

    Args:
        facts: The facts about the node.
        client: Where.
        clock: Where time comes from.
        report: Writes an Event about the node: its reason and message.
    """

    def __init__(self, facts: NodeFacts, *, client: Client, clock: Clock, report: Report) -> None:
        self.registered: asyncio.Event = asyncio.Event()
        """Set once the Node object is there."""
        self._facts = facts
        self._client = client
        self._clock = clock
        self._write_event = report
        self._node: Node | None = None
        self._lease: Lease | None = None
        self._refused: AbstractSet[str] = set()

    async def run(self) -> None:
        """Register, and report that the node is alive until cancelled."""
        backoff = Backoff(base=0.2, cap=7.0, clock=self._clock)
        while True:
            try:
                await self._report()
            except KubewrightError as error:
                _log.warning(
                    "node could not report, will retry", name=self._facts.name, error=str(error)
                )
                await backoff.wait()
                continue
            self.registered.set()
            await self._clock.sleep(RENEW_EVERY)

    async def _report(self) -> None:
        """Bring the Node and its Lease up to date; the Node first, since it owns the Lease."""
        node = self._node or await self._register()
        now = self._clock.now()
        wanted = node_status(self._facts, node.status, now=now)
        patch = node_patch(wanted, node.status, now=now)
        if patch.keys() - self._refused:
            changed = node_events(node.status, wanted)
            try:
                node = self._node = await self._client.status.patch(
                    Node, self._facts.name, {"status": patch}, patch_type="strategic"
                )
            except NotFoundError:
                self._node = self._lease = None  # somebody has deleted it: register again
                raise
            self._tell(node, changed)
            # An old server drops what it does not know; sending it again would not help.
            self._refused = node_patch(wanted, node.status, now=now).keys() - {"conditions"}
        await self._renew(node)

    async def _register(self) -> Node:
        fresh = node_object(self._facts, now=self._clock.now())
        changed: list[str] = []
        try:
            self._node = await self._client.create(fresh)
            changed = node_events(None, fresh.status)
        except AlreadyExistsError:
            self._node = await self._client.get(Node, self._facts.name)
            labels = node_labels(self._facts)
            if not labels.items() <= self._node.metadata.labels.items():
                self._node = await self._client.patch(
                    Node, self._facts.name, {"metadata": {"labels": labels}}
                )
        _log.info("node registered", name=self._facts.name)
        if not self.registered.is_set():
            self._write_event(self._node, "Starting", "Starting kubelet.")
        self._tell(self._node, changed)
        return self._node

    def _tell(self, node: Node, states: Iterable[str]) -> None:
        for state in states:
            self._write_event(node, state, f"Node {self._facts.name} status is now: {state}")

    async def _renew(self, node: Node) -> None:
        lease = self._lease or await self._client.find(Lease, self._facts.name, namespace=LEASES)
        stamp = MicroTime.of(self._clock.now())
        if lease is None:
            await self._make_lease(node, stamp)
            return
        renewed = lease.spec.renew_time
        if renewed is not None and stamp - renewed < timedelta(seconds=RENEW_EVERY / 2):
            self._lease = lease
            return
        spec = {"renewTime": stamp, "holderIdentity": self._facts.name}
        try:
            self._lease = await self._client.patch(
                Lease,
                self._facts.name,
                {"spec": {**spec, "leaseDurationSeconds": DURATION}},
                namespace=LEASES,
            )
        except NotFoundError:
            # The Lease is deleted with its Node, so most likely that one is gone, too.
            self._node = self._lease = None
            raise

    async def _make_lease(self, node: Node, stamp: MicroTime) -> None:
        owner = OwnerReference(
            api_version="v1", kind="Node", name=self._facts.name, uid=node.metadata.uid or ""
        )
        metadata = ObjectMeta(name=self._facts.name, namespace=LEASES, owner_references=[owner])
        spec = LeaseSpec(
            holder_identity=self._facts.name, lease_duration_seconds=DURATION, renew_time=stamp
        )
        try:
            self._lease = await self._client.create(Lease(metadata=metadata, spec=spec))
        except NotFoundError:
            # On a server without controllers, nobody has created the namespace.
            await self._client.create(Namespace(metadata=ObjectMeta(name=LEASES)))
            self._lease = await self._client.create(Lease(metadata=metadata, spec=spec))
