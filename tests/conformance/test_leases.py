"""Leases: two that compete for one on a real server, and what others read of it."""

import asyncio
import re

from kubewright._aio import VirtualClock
from kubewright.api.kind import ObjectKey
from kubewright.client import Client, LeaseLock
from kubewright.kinds.coordination.v1 import Lease
from kubewright.testing import Server, probe

MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def lock(client: Client, identity: str, clock: VirtualClock) -> LeaseLock:
    key = ObjectKey(client.namespace, "lock")
    return LeaseLock(client, key, identity, duration=15, clock=clock)


async def test_one_of_two_holds_it_until_it_falls_silent(client: Client) -> None:
    """Only time that passes on our own clock counts, so the test need not wait."""
    clock = VirtualClock()
    a, b = lock(client, "a", clock), lock(client, "b", clock)

    for _ in range(3):
        assert await a.try_acquire()
        assert not await b.try_acquire()
        await clock.advance(10)
    await clock.advance(5)

    assert await b.try_acquire()
    assert not await a.try_acquire()
    assert not a.is_held
    assert b.is_held


async def test_of_many_that_start_at_once_one_wins(client: Client) -> None:
    """The server's resource version is the referee."""
    clock = VirtualClock()
    locks = [lock(client, f"replica-{i}", clock) for i in range(8)]

    for _ in range(3):
        await asyncio.gather(*(one.try_acquire() for one in locks))

        (winner,) = [one for one in locks if one.is_held]
        lease = await client.get(Lease, "lock")
        assert lease.spec.holder_identity == winner.identity
        await clock.advance(15)


async def test_a_released_lease_is_free_at_once(client: Client) -> None:
    """A rolling update hands over without a pause."""
    clock = VirtualClock()
    a, b = lock(client, "a", clock), lock(client, "b", clock)
    await a.try_acquire()
    assert not await b.try_acquire()

    assert await a.release()

    assert await b.try_acquire()
    lease = await client.get(Lease, "lock")
    assert lease.spec.lease_transitions == 1


async def test_a_renewal_that_others_disturb_succeeds(client: Client) -> None:
    """A label is added between two renewals; the version has changed, the holder has not."""
    a = lock(client, "a", VirtualClock())
    await a.try_acquire()
    await client.patch(Lease, "lock", {"metadata": {"labels": {"x": "y"}}})

    assert await a.try_acquire()

    lease = await client.get(Lease, "lock")
    assert lease.metadata.labels == {"x": "y"}


async def test_a_deleted_lease_is_made_again(client: Client) -> None:
    """That is how people reset an election."""
    a = lock(client, "a", VirtualClock())
    await a.try_acquire()
    await client.delete(Lease, "lock")

    assert await a.try_acquire()

    assert (await client.get(Lease, "lock")).spec.holder_identity == "a"


async def test_other_clients_can_read_the_record(client: Client, server: Server) -> None:
    """A Go replica and kubectl read these very fields, times with six digits."""
    a = lock(client, "a", VirtualClock())
    await a.try_acquire()
    await a.try_acquire()

    path = f"/apis/coordination.k8s.io/v1/namespaces/{client.namespace}/leases/lock"
    spec = probe.ask(server, "GET", path).json()["spec"]

    assert MICRO_TIME.fullmatch(spec.pop("acquireTime"))
    assert MICRO_TIME.fullmatch(spec.pop("renewTime"))
    assert spec == {"holderIdentity": "a", "leaseDurationSeconds": 15, "leaseTransitions": 0}


async def test_a_record_that_go_wrote_is_respected_and_taken_over(
    client: Client, server: Server
) -> None:
    """A Go and a Python replica may compete for one lease."""
    clock = VirtualClock()
    path = f"/apis/coordination.k8s.io/v1/namespaces/{client.namespace}/leases"
    spec = {
        "holderIdentity": "go_1234",
        "leaseDurationSeconds": 15,
        "acquireTime": "2020-01-01T00:00:00.000000Z",
        "renewTime": "2020-01-01T00:00:00.123456Z",
        "leaseTransitions": 4,
    }
    made = probe.ask(server, "POST", path, body={"metadata": {"name": "lock"}, "spec": spec})
    a = lock(client, "a", clock)

    assert made.status == 201
    assert not await a.try_acquire()
    assert a.holder == "go_1234"
    await clock.advance(15)

    assert await a.try_acquire()
    lease = await client.get(Lease, "lock")
    assert lease.spec.lease_transitions == 5
