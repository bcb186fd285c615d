"""Claims and volumes go when they are deleted and nobody uses them."""

from pathlib import Path
from typing import Any

import pytest

from kubewright.apiserver.controllers.protection import uses
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, MERGE, PODS, Obj, ask, make, named, pod, settled

CLAIMS = f"{CORE}/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"


def claim(name: str = "data", **meta: Any) -> Obj:
    storage = {"requests": {"storage": "1Gi"}}
    return {**named(name, **meta), "spec": {"accessModes": ["ReadWriteOnce"], "resources": storage}}


def volume(claim_uid: str = "") -> Obj:
    spec: Obj = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/data"},
    }
    if claim_uid:
        spec["claimRef"] = {"namespace": "default", "name": "data", "uid": claim_uid}
    return {**named("disk"), "spec": spec}


def user_of(name: str, *, node: str = "node-1") -> Obj:
    """Return a pod that mounts a claim."""
    made = pod("user")
    made["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    if node:
        made["spec"]["nodeName"] = node
    return made


async def delete(server: APIServer, path: str) -> int:
    """Delete something, let controllers work, and return how a look at it ends."""
    await ask(server, "DELETE", path)
    await settled(200)
    return (await ask(server, "GET", path)).status


async def test_a_claim_that_nobody_uses_goes_at_once(server: APIServer) -> None:
    """Its finalizer is the server's own, so somebody here has to take it off."""
    made = await make(server, CLAIMS, claim())

    left = await delete(server, f"{CLAIMS}/data")

    assert made["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert left == 404


async def test_a_claim_stays_as_long_as_a_pod_on_a_node_names_it(server: APIServer) -> None:
    """Its files must not go while a process writes to them."""
    await make(server, CLAIMS, claim())
    await make(server, PODS, user_of("data"))

    held = await delete(server, f"{CLAIMS}/data")
    await ask(server, "DELETE", f"{PODS}/user?gracePeriodSeconds=0")
    await settled(200)

    assert held == 200
    assert (await ask(server, "GET", f"{CLAIMS}/data")).status == 404


@pytest.mark.parametrize("user", [user_of("data", node=""), user_of("other")])
async def test_other_pods_do_not_hold_a_claim(server: APIServer, user: Obj) -> None:
    """One that no node has begun with, or that uses another one."""
    await make(server, CLAIMS, claim())
    await make(server, PODS, user)

    assert await delete(server, f"{CLAIMS}/data") == 404


async def test_finalizers_of_others_stay_on(server: APIServer) -> None:
    """They are theirs to take off."""
    await make(server, CLAIMS, claim(finalizers=["x.io/y"]))

    await delete(server, f"{CLAIMS}/data")

    left = (await ask(server, "GET", f"{CLAIMS}/data")).obj["metadata"]["finalizers"]
    assert left == ["x.io/y"]


async def test_a_namespace_with_claims_goes(server: APIServer) -> None:
    """People delete namespaces, not claims."""
    await make(server, "/api/v1/namespaces", "n")
    await make(server, CLAIMS.replace("default", "n"), claim())

    await ask(server, "DELETE", "/api/v1/namespaces/n")
    await settled(400)

    assert (await ask(server, "GET", "/api/v1/namespaces/n")).status == 404


async def test_a_volume_goes_unless_it_is_bound(server: APIServer) -> None:
    """Nobody but a user of the API binds volumes here; most stay available."""
    await make(server, VOLUMES, volume())

    assert await delete(server, f"{VOLUMES}/disk") == 404


async def test_a_bound_volume_goes_after_its_claim(server: APIServer) -> None:
    """Nothing here makes it Released, so the claim itself decides."""
    made = await make(server, CLAIMS, claim())
    await make(server, VOLUMES, volume(made["metadata"]["uid"]))
    bound = {"status": {"phase": "Bound"}}
    await ask(server, "PATCH", f"{VOLUMES}/disk/status", bound, media=MERGE)

    held = await delete(server, f"{VOLUMES}/disk")
    await delete(server, f"{CLAIMS}/data")

    assert held == 200
    assert (await ask(server, "GET", f"{VOLUMES}/disk")).status == 404


async def test_a_released_volume_goes(server: APIServer) -> None:
    """Whoever binds volumes says so in the phase."""
    made = await make(server, CLAIMS, claim())
    await make(server, VOLUMES, volume(made["metadata"]["uid"]))
    for phase in ("Bound", "Released"):
        status = {"status": {"phase": phase}}
        await ask(server, "PATCH", f"{VOLUMES}/disk/status", status, media=MERGE)

    assert await delete(server, f"{VOLUMES}/disk") == 404


async def test_what_was_deleted_before_a_start_goes(tmp_path: Path) -> None:
    """A folder may be from a server that had nobody to let claims go."""
    async with APIServer(data_dir=tmp_path, controllers=False) as before:
        await make(before, CLAIMS, claim())
        held = await delete(before, f"{CLAIMS}/data")

    async with APIServer(data_dir=tmp_path) as server:
        await settled(200)
        left = (await ask(server, "GET", f"{CLAIMS}/data")).status

    assert held == 200
    assert left == 404


def ephemeral(claim_owner: str, *, grace: int | None = None) -> bool:
    """Return whether a pod uses the claim that was made for its ephemeral volume."""
    meta: Obj = {"name": "user", "uid": "u"}
    if grace is not None:
        meta["deletionGracePeriodSeconds"] = grace
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {}}}]
    owner = {"controller": True, "uid": claim_owner}
    return uses(
        {"metadata": meta, "spec": {"nodeName": "node-1", "volumes": volumes}},
        claim("user-scratch", ownerReferences=[owner]),
    )


def test_a_claim_of_an_ephemeral_volume_is_used_by_its_own_pod_until_that_is_shut_down() -> None:
    """A finalizer of the pod may wait for the claim; then both would wait for ever."""
    assert ephemeral("u")
    assert ephemeral("u", grace=30)
    assert not ephemeral("u", grace=0)
    assert not ephemeral("somebody else")
