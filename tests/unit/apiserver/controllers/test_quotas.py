"""The status of quotas is the truth."""

from typing import Any

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    CORE,
    FOOS,
    MAPS,
    MERGE,
    PODS,
    ask,
    define,
    foo,
    make,
    named,
    pod,
    settled,
)

Obj = dict[str, Any]
QUOTAS = f"{CORE}/resourcequotas"


async def limit(server: APIServer, **hard: str) -> None:
    await make(server, QUOTAS, {**named("q"), "spec": {"hard": hard}})


async def state(server: APIServer) -> Obj:
    await settled()
    found: Obj = (await ask(server, "GET", f"{QUOTAS}/q")).obj["status"]
    return found


async def test_what_is_there_already_is_counted(server: APIServer) -> None:
    """A quota may come late, and for custom objects, too."""
    await define(server)
    await make(server, FOOS, foo("a"))
    await make(server, PODS, pod("a"))
    hard = {"pods": "1", "count/foos.example.com": "3", "resourcequotas": "2"}

    await limit(server, **hard)

    counted = {"pods": "1", "count/foos.example.com": "1", "resourcequotas": "1"}
    assert await state(server) == {"hard": hard, "used": counted}


async def test_what_is_deleted_is_given_back(server: APIServer) -> None:
    """And can be taken again."""
    await limit(server, configmaps="1")
    await settled()
    await make(server, MAPS, "a")

    await ask(server, "DELETE", f"{MAPS}/a")

    assert (await state(server))["used"] == {"configmaps": "0"}
    await make(server, MAPS, "b")


async def test_a_pod_that_has_ended_gives_back(server: APIServer) -> None:
    """Its place in the storage it keeps."""
    await limit(server, pods="1", **{"count/pods": "2"})
    await settled()
    await make(server, PODS, pod("a"))

    ended = {"status": {"phase": "Succeeded"}}
    await ask(server, "PATCH", f"{PODS}/a/status", ended, media=MERGE)

    assert (await state(server))["used"] == {"pods": "0", "count/pods": "1"}


async def test_a_changed_quota_is_counted_anew(server: APIServer) -> None:
    """What is no longer limited is no longer counted."""
    await make(server, MAPS, "a")
    await limit(server, pods="1")
    await settled()

    change = {"spec": {"hard": {"pods": None, "configmaps": "5"}}}
    await ask(server, "PATCH", f"{QUOTAS}/q", change, media=MERGE)

    assert await state(server) == {"hard": {"configmaps": "5"}, "used": {"configmaps": "1"}}


async def test_a_status_that_others_wrote_is_put_right(server: APIServer) -> None:
    """At the next occasion: when something is given back."""
    await limit(server, configmaps="5")
    await settled()
    await make(server, MAPS, "a")
    wrong = {"status": {"used": {"configmaps": "4"}}}
    await ask(server, "PATCH", f"{QUOTAS}/q/status", wrong, media=MERGE)

    await make(server, MAPS, "b")
    await ask(server, "DELETE", f"{MAPS}/a")

    assert (await state(server))["used"] == {"configmaps": "1"}
