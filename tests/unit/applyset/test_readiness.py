"""Waiting until a workload runs, and finding out why it does not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.applyset import ApplySet, Listener, ObjectName, Unready, find_unready, members_of
from kubewright.client import Client
from kubewright.testing import EmbeddedCluster
from tests.unit.applyset.objects import deployment, named

NAMES = [one.name for one in members_of([deployment(where="default")])]


class Ear(Listener):
    """Notes how far things are."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def progress(self, name: ObjectName, text: str) -> None:
        self.said.append(text)


@asynccontextmanager
async def cluster() -> AsyncIterator[tuple[VirtualClock, Client]]:
    """A cluster whose containers are pretended."""
    clock = VirtualClock()
    async with EmbeddedCluster(clock=clock) as started, started.client() as client:
        yield clock, client


def simulated(behaviour: str, image: str = "b") -> dict[str, Any]:
    """Return a Deployment whose containers behave so."""
    made = deployment(where="default")
    template = made["spec"]["template"]
    template["metadata"]["annotations"] = {"kubewright.dev/simulate": behaviour}
    container = template["spec"]["containers"][0]
    container["image"] = image
    # One that ends at once is never ready.
    container["readinessProbe"] = {"httpGet": {"port": 80}, "initialDelaySeconds": 5}
    return made


async def unready_of(document: dict[str, Any], *, timeout: float = 20.0) -> list[Unready]:
    """Apply a Deployment on a new cluster, and wait for it."""
    async with cluster() as (clock, client):
        await clock.run(ApplySet(client, None).apply([document]))
        return await clock.run(find_unready(client, NAMES, timeout=timeout))


async def test_what_runs_is_ready_and_what_is_done_meanwhile_is_heard() -> None:
    """A person sees that something goes on."""
    ear = Ear()
    async with cluster() as (clock, client):
        await clock.run(ApplySet(client, None).apply([simulated("run")]))

        unready = await clock.run(find_unready(client, NAMES, timeout=60, listener=ear))

        assert unready == []
        assert ear.said


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("pull=error", "container a: "),
        ("exit=3", "container a ended with status 3"),
        ("readiness=fail", "Unhealthy: Readiness probe failed"),
        ("log='no database' exit=3", "    no database"),
    ],
)
async def test_the_reason_is_that_of_its_pods(behaviour: str, said: str) -> None:
    """The image, the crash with its last words, or the probe."""
    (unready,) = await unready_of(simulated(behaviour))

    assert unready.text.startswith("0 of 1 replicas ready")
    assert str(unready).startswith("deployment.apps/shop in default: 0 of 1 replicas ready")
    assert said in str(unready)
    assert unready.reasons


async def test_pods_of_before_are_not_blamed() -> None:
    """They were fine, or are on their way out; what is wrong is what was applied last."""
    async with cluster() as (clock, client):
        one = ApplySet(client, None)
        await clock.run(one.apply([simulated("pull=error", "old")]))
        await clock.run(find_unready(client, NAMES, timeout=5))
        await clock.run(one.apply([simulated("exit=3", "new")]))

        (unready,) = await clock.run(find_unready(client, NAMES, timeout=20))

        assert "ended with status 3" in unready.reasons[0]
        assert len(unready.reasons) == 1


async def test_a_quota_is_the_reason_if_there_are_no_pods() -> None:
    """The Deployment says what refused them."""
    quota = named("v1", "ResourceQuota", "small", namespace="default", spec={"hard": {"pods": "0"}})
    async with cluster() as (clock, client):
        await clock.run(ApplySet(client, None).apply([quota, simulated("run")]))

        (unready,) = await clock.run(find_unready(client, NAMES, timeout=20))

        assert "exceeded quota: small" in unready.reasons[0]


async def test_a_controller_that_gives_up_ends_the_wait() -> None:
    """After progressDeadlineSeconds, nothing will change."""
    document = simulated("pull=error")
    document["spec"]["progressDeadlineSeconds"] = 10

    (unready,) = await unready_of(document, timeout=600)

    assert "its controller has given up waiting" in unready.reasons


async def test_one_that_is_deleted_meanwhile_is_gone() -> None:
    """Waiting for it would take for ever."""
    async with cluster() as (clock, client):
        (unready,) = await clock.run(find_unready(client, NAMES, timeout=60))

        assert unready.text == "it is gone"
