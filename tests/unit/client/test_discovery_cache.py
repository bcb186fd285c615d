"""Caches of discovery: what they keep, what they never keep, and what they share with kubectl."""

import asyncio
import json
import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.kind import GroupVersion
from kubewright.client.discovery import DiscoveryClient
from kubewright.client.discovery_cache import (
    DiskDiscoveryCache,
    MemoryDiscoveryCache,
    cached_discovery,
    discovery_folder,
    kubectl_cache_dir,
)
from kubewright.errors import ForbiddenError, NotFoundError, ServerError, TransportError
from tests.unit.client.discovery_server import DiscoveryServer, failure, group, resource

APPS = GroupVersion("apps", "v1")
APPS_PATH = "/apis/apps/v1"
ALL = 2  # requests for everything


def memory(server: DiscoveryServer) -> MemoryDiscoveryCache:
    """Return a memory cache in front of *server*."""
    return MemoryDiscoveryCache(DiscoveryClient(server))


def disk(
    server: DiscoveryServer, folder: Path, clock: VirtualClock | None = None
) -> DiskDiscoveryCache:
    """Return a disk cache in front of *server*, as a new process would make it."""
    return DiskDiscoveryCache(DiscoveryClient(server), folder, clock=clock or VirtualClock())


def files(folder: Path) -> set[str]:
    """Return the files in *folder*, by their path within it."""
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


async def test_one_refresh_fills_everything() -> None:
    """A thousand lookups cost two requests."""
    server = DiscoveryServer()
    cache = memory(server)

    found = await cache.discover()
    again = await cache.discover()
    apps = await cache.resources(APPS)

    assert again == found
    assert apps == found.resources[APPS]
    assert len(server.asked) == ALL


async def test_those_who_ask_at_once_share_one_refresh() -> None:
    """Twenty controllers that start together must not send twenty discoveries."""
    server = DiscoveryServer()
    cache = memory(server)

    answers = await asyncio.gather(*(cache.discover() for _ in range(20)))

    assert len(server.asked) == ALL
    assert all(answer is answers[0] for answer in answers)


async def test_those_who_ask_at_once_share_the_failure_too() -> None:
    """With a server that hangs, the twentieth would otherwise wait twenty timeouts."""
    server = DiscoveryServer()
    server.errors["/apis"] = TransportError("timeout")
    cache = memory(server)

    answers = await asyncio.gather(*(cache.discover() for _ in range(20)), return_exceptions=True)

    assert len(server.asked) == ALL
    assert {str(answer) for answer in answers} == {"timeout"}
    assert len({id(answer) for answer in answers}) == 20


async def test_failed_refresh_is_not_remembered() -> None:
    """The next question asks again."""
    server = DiscoveryServer()
    server.errors["/apis"] = TransportError("timeout")
    cache = memory(server)
    with pytest.raises(TransportError):
        await cache.discover()
    assert not cache.fresh

    server.errors.clear()

    assert APPS in (await cache.discover()).resources
    assert cache.fresh


async def test_cancelling_who_refreshes_does_not_disturb_who_waits() -> None:
    """One reconcile that runs into its deadline must not fail all the others."""
    server = DiscoveryServer()
    server.gate.clear()
    cache = memory(server)
    first = asyncio.create_task(cache.discover())
    second = asyncio.create_task(cache.discover())
    await server.until_asked(ALL)

    first.cancel()
    server.gate.set()
    with suppress(asyncio.CancelledError):
        await first

    assert first.cancelled()
    assert APPS in (await second).resources


async def test_invalidate_forgets_everything() -> None:
    """After a CRD was installed, the old answer is wrong."""
    server = DiscoveryServer()
    cache = memory(server)
    await cache.discover()

    cache.invalidate()
    server.named.append(group("a.io", v1=[resource("as", "A")]))

    assert not cache.fresh
    assert GroupVersion("a.io", "v1") in (await cache.discover()).resources


async def test_answer_on_its_way_during_invalidate_is_not_remembered() -> None:
    """It was made before, so it may lack just what the caller is waiting for."""
    server = DiscoveryServer()
    server.gate.clear()
    cache = memory(server)
    early = asyncio.create_task(cache.discover())
    await server.until_asked(ALL)

    cache.invalidate()
    late = asyncio.create_task(cache.discover())
    await server.until_asked(2 * ALL)
    server.gate.set()
    await asyncio.gather(early, late)

    assert len(server.asked) == 2 * ALL
    assert await cache.discover() is await late


@pytest.mark.parametrize(
    "error",
    [
        failure(APPS_PATH, 503, "ServiceUnavailable"),
        failure(APPS_PATH, 429, "TooManyRequests"),
        TransportError("reset"),
    ],
)
async def test_failure_that_may_have_passed_is_tried_again_on_the_next_read(
    error: Exception,
) -> None:
    """An extension server that starts late is found without reading all the rest again."""
    server = DiscoveryServer(old=True)
    server.errors[APPS_PATH] = error
    cache = memory(server)
    await cache.discover()
    server.errors.clear()
    server.asked.clear()

    apps = await cache.resources(APPS)
    found = await cache.discover()

    assert server.asked == [APPS_PATH]
    assert found.resources[APPS] == apps
    assert not found.failures


async def test_failure_that_stays_is_raised_each_time_from_one_shared_request() -> None:
    """Those who read at once share the retry; it is not hidden as an empty list."""
    server = DiscoveryServer(old=True)
    server.errors[APPS_PATH] = failure(APPS_PATH, 503, "ServiceUnavailable")
    cache = memory(server)
    await cache.discover()
    server.asked.clear()

    answers = await asyncio.gather(*(cache.resources(APPS) for _ in range(3)),
                                   return_exceptions=True)  # fmt: skip

    assert server.asked == [APPS_PATH]
    assert all(isinstance(answer, ServerError) for answer in answers)
    with pytest.raises(ServerError):
        await cache.resources(APPS)


async def test_failure_that_cannot_pass_is_not_tried_again() -> None:
    """A 403 stays one until somebody changes the rules and invalidates."""
    server = DiscoveryServer(old=True)
    server.errors[APPS_PATH] = failure(APPS_PATH, 403, "Forbidden")
    cache = memory(server)
    await cache.discover()
    server.asked.clear()

    with pytest.raises(ForbiddenError):
        await cache.resources(APPS)

    assert server.asked == []


async def test_unknown_group_version_is_not_found_without_asking() -> None:
    """The list of groups says already that it is not there."""
    server = DiscoveryServer()
    cache = memory(server)

    with pytest.raises(NotFoundError, match=r"does not serve a\.io/v1; see `kubectl api-versions`"):
        await cache.resources(GroupVersion("a.io", "v1"))

    assert len(server.asked) == ALL


async def test_next_process_reads_from_disk_alone(tmp_path: Path) -> None:
    """That is what the cache is for: a command line that starts without a round trip."""
    server = DiscoveryServer()
    live = await disk(server, tmp_path).discover()
    server.asked.clear()
    later = disk(server, tmp_path)

    found = await later.discover()
    apps = await later.resources(APPS)

    assert found == live
    assert apps == live.resources[APPS]
    assert server.asked == []
    assert not later.fresh


async def test_files_are_where_kubectl_looks_for_them(tmp_path: Path) -> None:
    """One list of groups, and one list of resources in the folder of each group version."""
    await disk(DiscoveryServer(), tmp_path).discover()

    found = files(tmp_path)

    assert {"servergroups.json", "v1/serverresources.json"} <= found
    assert "autoscaling/v2/serverresources.json" in found
    assert len(found) == 1 + 23
    assert (tmp_path / "servergroups.json").stat().st_mode & 0o777 == 0o660
    assert (tmp_path / "apps").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "apps/v1").stat().st_mode & 0o777 == 0o750


async def test_files_that_kubectl_wrote_are_believed(tmp_path: Path) -> None:
    """Sharing goes both ways; kubectl writes nulls and fields that we do not know."""
    clock = VirtualClock()
    version = {"groupVersion": "v1", "version": "v1"}
    groups = [{"name": "", "versions": [version], "preferredVersion": version,
               "serverAddressByClientCIDRs": None}]  # fmt: skip
    pods = {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod",
            "verbs": ["get"], "shortNames": ["po"], "storageVersionHash": "x="}  # fmt: skip
    write(tmp_path / "servergroups.json", clock, kind="APIGroupList", groups=groups)
    write(tmp_path / "v1" / "serverresources.json", clock,
          kind="APIResourceList", groupVersion="v1", resources=[pods])  # fmt: skip
    server = DiscoveryServer()

    found = await disk(server, tmp_path, clock).discover()

    assert [each.name for each in found.resources[GroupVersion("", "v1")]] == ["pods"]
    assert server.asked == []


def write(path: Path, clock: VirtualClock, **document: object) -> None:
    """Write a file of kubectl's, dated by *clock*."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"apiVersion": "v1", **document}) + "\n")
    os.utime(path, (clock.now().timestamp(),) * 2)


async def test_file_is_believed_for_six_hours(tmp_path: Path) -> None:
    """Kubectl's number; after that a removed CRD must be noticed."""
    server, clock = DiscoveryServer(), VirtualClock()
    await disk(server, tmp_path, clock).discover()
    server.asked.clear()

    await clock.advance(timedelta(hours=6).total_seconds())
    await disk(server, tmp_path, clock).discover()
    at_six_hours = list(server.asked)
    await clock.advance(1)
    await disk(server, tmp_path, clock).discover()

    assert at_six_hours == []
    assert sorted(server.asked) == ["/api", "/apis"]


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"\xff\xfe", b'{"kind":"Status"}'])
@pytest.mark.parametrize("name", ["servergroups.json", "apps/v1/serverresources.json"])
async def test_broken_file_is_ignored_and_written_anew(
    tmp_path: Path, name: str, content: bytes
) -> None:
    """A full disk or a crash leaves such files; nobody should have to delete them by hand."""
    server, clock = DiscoveryServer(), VirtualClock()
    live = await disk(server, tmp_path, clock).discover()
    (tmp_path / name).write_bytes(content)
    os.utime(tmp_path / name, (clock.now().timestamp(),) * 2)

    found = await disk(server, tmp_path, clock).discover()
    server.asked.clear()
    again = await disk(server, tmp_path, clock).discover()

    assert found == again == live
    assert server.asked == []


async def test_folder_in_the_place_of_a_file_is_survived(tmp_path: Path) -> None:
    """What can be neither read nor replaced costs requests, not the answer."""
    (tmp_path / "servergroups.json" / "x").mkdir(parents=True)
    server = DiscoveryServer()

    found = await disk(server, tmp_path).discover()

    assert APPS in found.resources
    assert "servergroups.json" not in files(tmp_path)
    assert not [name for name in files(tmp_path) if "json." in name]


async def test_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    """Containers often have a home that is read-only, or none."""
    (tmp_path / "home").write_text("a file, so that no folder can be made below it")

    found = await disk(DiscoveryServer(), tmp_path / "home" / "cache").discover()

    assert APPS in found.resources


async def test_failures_and_empty_lists_are_not_kept(tmp_path: Path) -> None:
    """Kept for six hours, a hiccup of a second would hide a group for six hours."""
    server = DiscoveryServer([group("a.io", v1=[]), group("b.io", v1=[resource("bs", "B")])])
    server.old = {"/apis"}
    server.errors["/apis/b.io/v1"] = failure("/apis/b.io/v1", 503, "ServiceUnavailable")
    first = await disk(server, tmp_path).discover()
    kept = files(tmp_path)
    server.errors.clear()
    server.asked.clear()

    found = await disk(server, tmp_path).discover()

    assert list(first.failures) == [GroupVersion("b.io", "v1")]
    assert kept == {"servergroups.json", "v1/serverresources.json"}
    assert server.asked == ["/apis/a.io/v1", "/apis/b.io/v1"]
    assert not found.failures
    assert files(tmp_path) == kept | {"b.io/v1/serverresources.json"}


async def test_group_version_that_still_fails_leaves_the_rest_whole(tmp_path: Path) -> None:
    """The files know the rest, and the failure is told as it is without them."""
    server = DiscoveryServer(old=True)
    server.errors[APPS_PATH] = failure(APPS_PATH, 503, "ServiceUnavailable")
    await disk(server, tmp_path).discover()

    found = await disk(server, tmp_path).discover()

    assert isinstance(found.failures[APPS], ServerError)
    assert len(found.resources) == 22


async def test_server_without_groups_is_not_kept(tmp_path: Path) -> None:
    """An empty answer is more likely a server that is starting than one that serves nothing."""
    server = DiscoveryServer([])
    server.core = []

    await disk(server, tmp_path).discover()

    assert files(tmp_path) == set()


async def test_many_missing_files_cost_two_requests_not_many(tmp_path: Path) -> None:
    """Somebody deleted half of the folder."""
    server = DiscoveryServer()
    await disk(server, tmp_path).discover()
    for name in ("apps", "batch", "policy"):
        (tmp_path / name / "v1" / "serverresources.json").unlink()
    server.asked.clear()

    found = await disk(server, tmp_path).discover()

    assert sorted(server.asked) == ["/api", "/apis"]
    assert APPS in found.resources


async def test_after_invalidate_only_our_own_files_count(tmp_path: Path) -> None:
    """Kubectl's file may be five hours old, and we were just told that old is wrong."""
    server = DiscoveryServer()
    await disk(server, tmp_path).discover()
    cache = disk(server, tmp_path)
    await cache.discover()
    server.asked.clear()

    cache.invalidate()
    await cache.discover()
    await cache.discover()
    await cache.resources(APPS)

    assert sorted(server.asked) == ["/api", "/apis"]
    assert cache.fresh


async def test_file_written_from_an_answer_before_invalidate_does_not_count(
    tmp_path: Path,
) -> None:
    """The file is new but the answer in it is old."""
    server = DiscoveryServer()
    server.gate.clear()
    cache = disk(server, tmp_path)
    early = asyncio.create_task(cache.discover())
    await server.until_asked(ALL)
    cache.invalidate()
    server.gate.set()
    await early
    server.asked.clear()

    await cache.discover()

    assert sorted(server.asked) == ["/api", "/apis"]


@pytest.mark.parametrize("name", ["..", "../../evil", "a/b", "", ".hidden", "a\x00b"])
async def test_names_from_the_server_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    """A group is named by whoever runs the server; our home is not theirs."""
    folder = tmp_path / "a" / "b"
    server = DiscoveryServer([group("evil.io", v1=[resource("es", "E")])])
    server.named[0]["versions"][0]["version"] = name

    found = await disk(server, folder).discover()

    assert GroupVersion("evil.io", name) in found.failures
    assert files(tmp_path) == {"a/b/servergroups.json", "a/b/v1/serverresources.json"}


@pytest.mark.parametrize(
    ("host", "folder"),
    [
        ("https://10.0.0.1:6443", "10.0.0.1_6443"),
        ("http://localhost:8080", "localhost_8080"),
        ("https://rancher.example/k8s/clusters/c-m-x1/", "rancher.example/k8s/clusters/c_m_x1"),
        ("https://[::1]:6443", "___1__6443"),
        ("my_host(1)", "my_host(1)"),
        ("https://büro.example", "b_ro.example"),
        ("https://h/../../../tmp/x", "h/__/__/__/tmp/x"),
        ("https://h/./a..b/...", "h/_/a..b/..."),
        ("..", "__"),
    ],
)  # fmt: skip
def test_host_folder_is_named_as_kubectl_names_it(host: str, folder: str) -> None:
    """Another name would mean another cache."""
    assert discovery_folder(Path("/c"), host) == Path("/c/discovery") / folder


def test_cache_folder_is_kubectls(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable is kubectl's own way to move it."""
    monkeypatch.setenv("HOME", "/home/ada")

    assert kubectl_cache_dir({}) == Path("/home/ada/.kube/cache")
    assert kubectl_cache_dir({"KUBECACHEDIR": "/var/k"}) == Path("/var/k")


async def test_nothing_is_written_unless_a_folder_is_given(tmp_path: Path) -> None:
    """An operator in a container wants no files; a command line does."""
    server = DiscoveryServer()

    await cached_discovery(server).discover()
    before = files(tmp_path)
    await cached_discovery(server, host="https://h:1", cache_dir=tmp_path).discover()

    assert before == set()
    assert "discovery/h_1/servergroups.json" in files(tmp_path)


async def test_folder_without_a_host_is_refused(tmp_path: Path) -> None:
    """Two servers in one folder would lend each other their kinds."""
    with pytest.raises(ValueError, match="Give the server's host"):
        cached_discovery(DiscoveryServer(), cache_dir=tmp_path)


async def test_memory_over_old_files_is_not_fresh(tmp_path: Path) -> None:
    """Who misses a kind must know that asking the server could still find it."""
    server = DiscoveryServer()
    await cached_discovery(server, host="h", cache_dir=tmp_path).discover()
    cache = cached_discovery(server, host="h", cache_dir=tmp_path)

    await cache.discover()
    before = cache.fresh
    cache.invalidate()
    await cache.discover()

    assert not before
    assert cache.fresh
