"""Quotas hold, whoever writes what at the same time."""

import asyncio
from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, MAPS, MERGE, PODS, ask, make, named, pod, settled

Obj = dict[str, Any]
QUOTAS = f"{CORE}/resourcequotas"
CLAIMS = f"{CORE}/persistentvolumeclaims"


async def limit(server: APIServer, name: str = "q", **hard: str) -> None:
    await make(server, QUOTAS, {**named(name), "spec": {"hard": hard}})
    await settled()


async def used(server: APIServer, name: str = "q") -> Obj:
    found: Obj = (await ask(server, "GET", f"{QUOTAS}/{name}")).obj["status"]["used"]
    return found


async def test_what_is_more_than_the_quota_is_refused(server: APIServer) -> None:
    """With numbers: what was asked for, what is taken, and what there is."""
    await limit(server, pods="1")
    await make(server, PODS, pod("a"))

    refused = await ask(server, "POST", PODS, pod("b"))

    assert (refused.status, refused.obj["reason"]) == (403, "Forbidden")
    assert refused.message == (
        'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
    )
    assert await used(server) == {"pods": "1"}


async def test_two_cannot_both_take_the_last_place(server: APIServer) -> None:
    """However many ask at once."""
    await limit(server, **{"count/configmaps": "5"})

    answers = await asyncio.gather(
        *(ask(server, "POST", MAPS, named(f"m{index}")) for index in range(20))
    )

    assert sorted(answer.status for answer in answers) == [201] * 5 + [403] * 15
    assert await used(server) == {"count/configmaps": "5"}


async def test_a_write_that_fails_costs_nothing(server: APIServer) -> None:
    """Neither does a dry run, and nothing but the quota is in its way."""
    await limit(server, configmaps="2")
    await make(server, MAPS, "a")

    again = await ask(server, "POST", MAPS, named("a"))
    dry = await ask(server, "POST", f"{MAPS}?dryRun=All", named("b"))

    assert (again.status, dry.status) == (409, 201)
    assert await used(server) == {"configmaps": "1"}


async def test_a_quota_is_in_force_when_its_limits_are_in_its_status() -> None:
    """Its controller copies them there; without one, as on a real server, nothing is limited."""
    async with APIServer(controllers=False) as server:
        await limit(server, configmaps="0")

        answer = await ask(server, "POST", MAPS, named("a"))

    assert answer.status == 201


async def test_limits_without_a_count_refuse() -> None:
    """As a real server does until its controller manager has counted."""
    async with APIServer(controllers=False) as server:
        await limit(server, configmaps="2")
        status = {"status": {"hard": {"configmaps": "2"}}}
        await ask(server, "PATCH", f"{QUOTAS}/q/status", status, media=MERGE)

        refused = await ask(server, "POST", MAPS, named("a"))

    assert refused.message.endswith("status unknown for quota: q, resources: configmaps")


async def test_what_must_be_said_is_asked_for(server: APIServer) -> None:
    """A pod that asks for no memory cannot be counted."""
    await limit(server, memory="1Gi")

    refused = await ask(server, "POST", PODS, pod("a"))

    assert refused.message == ('pods "a" is forbidden: failed quota: q: must specify memory for: c')


async def test_amounts_are_summed(server: APIServer) -> None:
    """The storage of claims, in whatever unit it is asked for."""
    await limit(server, **{"requests.storage": "3Gi"})
    answers = []
    for name, size in (("a", "2Gi"), ("b", "1024Mi"), ("c", "1")):
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}

        answers.append(await ask(server, "POST", CLAIMS, {**named(name), "spec": spec}))

    assert [answer.status for answer in answers] == [201, 201, 403]
    assert answers[2].message.endswith(
        "exceeded quota: q, requested: requests.storage=1, used: requests.storage=3Gi,"
        " limited: requests.storage=3Gi"
    )


@pytest.mark.parametrize(("kind", "status"), [("NodePort", 403), ("ClusterIP", 200)])
async def test_a_service_that_changes_its_type_is_charged(
    server: APIServer, kind: str, status: int
) -> None:
    """By what it takes more than before."""
    await limit(server, **{"services.nodeports": "0"})
    path = f"{CORE}/services"
    await make(server, path, {**named("a"), "spec": {"ports": [{"port": 80}]}})

    changed = await ask(server, "PATCH", f"{path}/a", {"spec": {"type": kind}}, media=MERGE)

    assert changed.status == status
