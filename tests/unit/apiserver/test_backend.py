"""One request on its way through the endpoints."""

import threading
from datetime import UTC, datetime

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.authentication.user import NOBODY
from kubewright.apiserver.backend import LARGE, Call, SlowLane
from kubewright.apiserver.effort import LIGHT, Effort
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request
from kubewright.apiserver.wire.route import parse_route


def called(path: str, **headers: str) -> Call:
    server = APIServer(clock=VirtualClock(datetime(2026, 1, 1, 12, tzinfo=UTC)))
    route = parse_route("GET", path, {})
    resource = server.registry.find(route.group, route.version, route.resource)
    assert resource is not None
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request("GET", path, headers=named)
    return Call(server.backend, request, route, {}, NOBODY, resource, resource)


def test_a_call_knows_where_its_object_is() -> None:
    """A namespace is inside itself for access rules, and nowhere for storage."""
    pod, namespace = called("/api/v1/namespaces/a/pods/b/status"), called("/api/v1/namespaces/a")

    assert (pod.namespace, pod.name, pod.subresource) == ("a", "b", "status")
    assert (namespace.namespace, namespace.name) == ("", "a")
    assert pod.collection is pod.backend.store.collection(pod.storage)
    assert pod.details(uid="") == {"name": "b", "kind": "pods"}


def test_warnings_are_given_once() -> None:
    """However often the same is found."""
    call = called("/api/v1/pods")

    for text in ("a", "", "b", "a"):
        call.warn(text)

    assert call.warnings == ["a", "b"]


def test_strategies_are_told_the_circumstances() -> None:
    """Time comes from the clock, and a dry run is known as one."""
    write = called("/api/v1/pods").write(dry_run=True)

    assert (write.now, write.dry_run, write.user) == ("2026-01-01T12:00:00Z", True, NOBODY)


def test_the_manager_is_who_says_so_or_the_program() -> None:
    """Up to the first slash of the user agent."""
    call = called("/api/v1/pods", user_agent="kubectl/v1.37 (linux)")

    assert (call.manager(""), call.manager("me")) == ("kubectl", "me")


async def test_small_work_is_done_at_once_and_large_in_a_thread() -> None:
    """Most requests would lose more than they gain."""
    lane = SlowLane()

    assert await lane.run(LARGE - 1, threading.get_ident) == threading.get_ident()
    assert await lane.run(LARGE, threading.get_ident) != threading.get_ident()


async def test_what_turns_out_to_be_much_is_done_again_in_a_thread() -> None:
    """A small object can be a lot of work, which only the work itself finds out."""
    seen: list[bool] = []

    def check(effort: Effort) -> int:
        seen.append(effort.light)
        effort.spend(LIGHT + 1)
        return threading.get_ident()

    assert await SlowLane().judge(0, check) != threading.get_ident()
    assert seen == [True, False]
