"""Names of kinds: what kubectl understands by them, and what happens to unknown ones."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.kind import (
    GroupKind,
    GroupVersionKind,
    GroupVersionResource,
    RESTMapping,
)
from kubewright.client.discovery import DiscoveryClient
from kubewright.client.discovery_cache import MemoryDiscoveryCache, cached_discovery
from kubewright.client.mapper import RESTMapper
from kubewright.errors import NoMatchError, ServerError, TransportError
from tests.unit.client.discovery_server import DiscoveryServer, failure, group, resource

ALL = 2  # requests for everything
DEPLOYMENTS = RESTMapping("apps", "v1", "Deployment", "deployments")
AT = GroupVersionKind("cnat.io", "v1", "At")


def mapper_of(server: DiscoveryServer, clock: VirtualClock | None = None) -> RESTMapper:
    """Return a mapper over a memory cache, as a client has it."""
    source = MemoryDiscoveryCache(DiscoveryClient(server))
    return RESTMapper(source, clock=clock or VirtualClock())


def install(server: DiscoveryServer) -> None:
    """Install a custom resource definition."""
    server.named.append(group("cnat.io", v1=[resource("ats", "At", shortNames=["a"])]))


async def test_nothing_is_asked_before_the_first_question() -> None:
    """Making a client must not need a server."""
    server = DiscoveryServer()

    mapper_of(server)
    await asyncio.sleep(0)

    assert server.asked == []


@pytest.mark.parametrize(
    "name",
    [
        "deploy", "deployment", "deployments", "Deployment", "DEPLOY",
        "deploy.apps", "deployments.apps", "Deployment.apps", "deployment.v1.apps",
        "deployments.v1.apps", "deploy.v1.apps", "Deployment.v1.apps", "deployments.v1.",
        "deployments.app",
    ],
)  # fmt: skip
async def test_every_name_of_a_resource_resolves(name: str) -> None:
    """All that kubectl accepts, in any case."""
    assert await mapper_of(DiscoveryServer()).resolve(name) == DEPLOYMENTS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("po", "v1 pods"),
        ("no", "v1 nodes"),
        ("endpoints", "v1 endpoints"),
        ("ep", "v1 endpoints"),
        ("pods.v1.", "v1 pods"),
        ("events", "v1 events"),
        ("ev", "v1 events"),
        ("events.events.k8s.io", "events.k8s.io/v1 events"),
        ("events.v1.events.k8s.io", "events.k8s.io/v1 events"),
        ("hpa", "autoscaling/v2 horizontalpodautoscalers"),
        ("hpa.v1.autoscaling", "autoscaling/v1 horizontalpodautoscalers"),
        ("hpa.autoscal", "autoscaling/v2 horizontalpodautoscalers"),
        ("ing", "networking.k8s.io/v1 ingresses"),
        ("ingresses.networking.k8s.io", "networking.k8s.io/v1 ingresses"),
        ("ingress.v1.networking.k8s.io", "networking.k8s.io/v1 ingresses"),
        ("crd", "apiextensions.k8s.io/v1 customresourcedefinitions"),
    ],
)
async def test_names_of_a_real_server_resolve_as_with_kubectl(name: str, expected: str) -> None:
    """Core first, then the preferred version, unless the name says otherwise."""
    mapping = await mapper_of(DiscoveryServer()).resolve(name)

    assert str(mapping.gvr) == expected


async def test_scope_is_the_servers() -> None:
    """A wrong scope makes wrong paths."""
    mapper = mapper_of(DiscoveryServer())

    assert (await mapper.resolve("pods")).namespaced
    assert not (await mapper.resolve("nodes")).namespaced


async def test_subresources_are_no_resources() -> None:
    """A log or a scale lives inside of something else."""
    mapper = mapper_of(DiscoveryServer())

    for name in ("pods/log", "log", "scale", "Scale"):
        with pytest.raises(NoMatchError):
            await mapper.resolve(name)


async def test_old_format_resolves_the_same() -> None:
    """There subresources are listed among the resources."""
    mapper = mapper_of(DiscoveryServer(old=True))

    assert await mapper.resolve("deploy") == DEPLOYMENTS
    with pytest.raises(NoMatchError):
        await mapper.resolve("pods/log")


@pytest.mark.parametrize("name", ["things", "thing", "th", "Thing"])
async def test_ambiguous_name_goes_to_the_first_group(name: str) -> None:
    """The server's order of groups is its order of importance."""
    thing = resource("things", "Thing", shortNames=["th"])
    server = DiscoveryServer([group("z.io", v1=[thing]), group("a.io", v2=[thing], v1=[thing])])
    mapper = mapper_of(server)

    assert (await mapper.resolve(name)).group == "z.io"
    assert (await mapper.resolve(f"{name}.a.io")).version == "v2"
    assert (await mapper.resolve(f"{name}.v1.a.io")).version == "v1"


async def test_full_name_beats_a_short_name_of_a_more_important_group() -> None:
    """Nobody can take over "ats" by declaring it as a short name."""
    thief = resource("thieves", "Thief", shortNames=["ats", "at"])
    server = DiscoveryServer([group("a.io", v1=[thief]), group("b.io", v1=[resource("ats", "At")])])
    mapper = mapper_of(server)

    assert (await mapper.resolve("ats")).kind == "At"
    assert (await mapper.resolve("at")).kind == "At"
    assert (await mapper.resolve("at.a.io")).kind == "Thief"


async def test_exact_group_beats_one_that_only_begins_so() -> None:
    """The beginning of a group's name is a convenience, never a trap."""
    thing = resource("things", "Thing")
    server = DiscoveryServer([group("a.io.more", v1=[thing]), group("a.io", v1=[thing])])

    mapping = await mapper_of(server).resolve("things.a.io")

    assert mapping.group == "a.io"


async def test_kind_whose_singular_is_another_word_is_found() -> None:
    """People read the kind in manifests, so they type it."""
    server = DiscoveryServer([group("a.io", v1=[resource("people", "Human", "person")])])
    mapper = mapper_of(server)

    for name in ("people", "person", "Human", "human.a.io", "Human.v1.a.io"):
        assert (await mapper.resolve(name)).plural == "people"


async def test_missing_singular_is_the_kind_in_lower_case() -> None:
    """Old servers list no singular forms."""
    server = DiscoveryServer([group("a.io", v1=[resource("ats", "At", "")])])

    assert (await mapper_of(server).resolve("at")).kind == "At"


async def test_kind_of_two_resources_is_the_last_one_as_in_client_go() -> None:
    """OpenShift's processedtemplates are Templates, too, but only templates can be read."""
    both = [resource("processedtemplates", "Template", ""), resource("templates", "Template", "")]
    mapper = mapper_of(DiscoveryServer([group("t.io", v1=both)]))

    assert (await mapper.mapping(GroupKind("t.io", "Template"))).plural == "templates"
    assert (await mapper.resolve("template")).plural == "templates"
    assert (await mapper.resolve("processedtemplates")).plural == "processedtemplates"


@pytest.mark.parametrize("name", ["", ".", ".apps"])
async def test_empty_name_is_refused_without_asking(name: str) -> None:
    """An unset variable is a mistake of the caller, not a missing CRD."""
    server = DiscoveryServer()

    with pytest.raises(ValueError, match="not the name of a resource"):
        await mapper_of(server).resolve(name)

    assert server.asked == []


async def test_kind_with_a_version_means_that_version() -> None:
    """An object is sent to the version that it is written in."""
    mapper = mapper_of(DiscoveryServer())
    hpa = GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler")

    assert (await mapper.mapping(hpa)).version == "v1"
    with pytest.raises(NoMatchError, match="in version v9"):
        await mapper.mapping(GroupVersionKind("autoscaling", "v9", "HorizontalPodAutoscaler"))


async def test_kind_without_a_version_means_the_preferred_one() -> None:
    """Or the first of the versions that the caller can live with."""
    mapper = mapper_of(DiscoveryServer())
    hpa = GroupKind("autoscaling", "HorizontalPodAutoscaler")

    assert (await mapper.mapping(hpa)).version == "v2"
    assert (await mapper.mapping(hpa, "v2beta2", "v1")).version == "v1"
    with pytest.raises(NoMatchError, match="in version v7 or v8"):
        await mapper.mapping(hpa, "v7", "v8")


async def test_kind_is_found_in_its_own_group_only() -> None:
    """There are two kinds Event; the one of the core group is another one."""
    mapper = mapper_of(DiscoveryServer())

    assert (await mapper.mapping(GroupKind("events.k8s.io", "Event"))).group == "events.k8s.io"
    assert (await mapper.mapping(GroupKind("", "Event"))).group == ""
    with pytest.raises(NoMatchError):
        await mapper.mapping(GroupKind("", "Deployment"))


async def test_kinds_that_differ_in_case_alone_are_told_apart() -> None:
    """Lower case is accepted as client-go does, but the right case wins."""
    both = [resource("ids", "Id", "id"), resource("theids", "ID", "theid")]
    mapper = mapper_of(DiscoveryServer([group("a.io", v1=both)]))

    assert (await mapper.mapping(GroupKind("a.io", "Id"))).plural == "ids"
    assert (await mapper.mapping(GroupKind("a.io", "ID"))).plural == "theids"
    assert (await mapper.mapping(GroupKind("a.io", "id"))).kind in {"Id", "ID"}


async def test_resource_gives_its_kind() -> None:
    """The way back, for owner references and scale."""
    mapper = mapper_of(DiscoveryServer())
    exact = GroupVersionResource("apps", "v1", "deployments")

    assert await mapper.resource(exact) == DEPLOYMENTS
    assert await mapper.resource(GroupVersionResource("apps", "", "deployments")) == DEPLOYMENTS
    for wrong in (("apps", "v2", "deployments"), ("", "v1", "deployments"),
                  ("apps", "v1", "deployment")):  # fmt: skip
        with pytest.raises(NoMatchError):
            await mapper.resource(GroupVersionResource(*wrong))


async def test_category_expands_to_each_resource_once() -> None:
    """In the preferred version, core group first, as ``kubectl get all`` shows them."""
    found = await mapper_of(DiscoveryServer()).expand("all")

    names = [mapping.plural for mapping in found]
    assert names[:2] == ["pods", "replicationcontrollers"]
    assert {"services", "deployments", "jobs", "horizontalpodautoscalers"} <= set(names)
    assert len(names) == len(set(names))
    assert [each.version for each in found if each.group == "autoscaling"] == ["v2"]


async def test_unknown_category_is_no_match() -> None:
    """An empty list would look like a cluster without anything in it."""
    with pytest.raises(NoMatchError, match=r"category 'al'.* Did you mean the category all"):
        await mapper_of(DiscoveryServer()).expand("al")


async def test_crd_installed_at_run_time_is_found() -> None:
    """An operator often starts before its CRDs are there."""
    server = DiscoveryServer()
    mapper = mapper_of(server)
    await mapper.resolve("pods")

    install(server)
    found = await mapper.mapping(AT)

    assert found.plural == "ats"
    assert len(server.asked) == 2 * ALL


async def test_known_names_cost_no_request() -> None:
    """The mapper stands in front of every call of the client."""
    server = DiscoveryServer()
    mapper = mapper_of(server)

    for name in ("pods", "deploy", "nodes"):
        await mapper.resolve(name)

    assert len(server.asked) == ALL


async def test_miss_right_after_the_first_answer_does_not_ask_twice() -> None:
    """Nobody knows better than the answer of just now."""
    server = DiscoveryServer()

    with pytest.raises(NoMatchError):
        await mapper_of(server).resolve("ats")

    assert len(server.asked) == ALL


async def test_miss_after_an_old_answer_of_the_shared_cache_asks_the_server() -> None:
    """Somebody else may have filled the cache hours ago."""
    server = DiscoveryServer()
    cache = MemoryDiscoveryCache(DiscoveryClient(server))
    await cache.discover()
    install(server)

    assert (await RESTMapper(cache).resolve("ats")).kind == "At"


async def test_miss_in_old_files_asks_the_server(tmp_path: Path) -> None:
    """Kubectl wrote the files before the CRD was installed."""
    server = DiscoveryServer()
    await cached_discovery(server, host="h", cache_dir=tmp_path).discover()
    install(server)
    server.asked.clear()
    mapper = RESTMapper(cached_discovery(server, host="h", cache_dir=tmp_path))

    pods = await mapper.resolve("pods")
    before = list(server.asked)
    ats = await mapper.resolve("ats")

    assert (pods.kind, before) == ("Pod", [])
    assert ats.kind == "At"


async def test_concurrent_misses_share_one_refresh() -> None:
    """Fifty reconciles of a kind whose CRD is gone are one question to the server."""
    server = DiscoveryServer()
    mapper = mapper_of(server)
    await mapper.resolve("pods")

    names = [f"unknown{number}" for number in range(50)]
    answers = await asyncio.gather(*map(mapper.resolve, names), return_exceptions=True)

    assert all(isinstance(answer, NoMatchError) for answer in answers)
    assert len(server.asked) == 2 * ALL


async def test_cancelling_who_refreshes_does_not_disturb_the_others() -> None:
    """One deadline must not turn into everybody's failure."""
    server = DiscoveryServer()
    mapper = mapper_of(server)
    await mapper.resolve("pods")
    install(server)
    server.gate.clear()
    first, second = (asyncio.create_task(mapper.resolve("ats")) for _ in range(2))
    await server.until_asked(2 * ALL)

    first.cancel()
    server.gate.set()
    with suppress(asyncio.CancelledError):
        await first

    assert (await second).kind == "At"


async def test_same_miss_within_a_second_does_not_ask_again() -> None:
    """A loop that waits for its CRD must not hammer the server."""
    server, clock = DiscoveryServer(), VirtualClock()
    mapper = mapper_of(server, clock)
    await mapper.resolve("pods")

    for _ in range(20):  # two seconds of asking ten times a second
        with pytest.raises(NoMatchError):
            await mapper.resolve("ats")
        await clock.advance(0.1)

    assert len(server.asked) <= ALL + 3 * ALL


async def test_miss_is_looked_for_again_after_a_second() -> None:
    """Asking all the time does not put the next look off for ever."""
    server, clock = DiscoveryServer(), VirtualClock()
    mapper = mapper_of(server, clock)
    with pytest.raises(NoMatchError):
        await mapper.resolve("ats")
    install(server)
    await clock.advance(0.6)
    with pytest.raises(NoMatchError):
        await mapper.resolve("ats")

    await clock.advance(0.5)

    assert (await mapper.resolve("ats")).kind == "At"


async def test_another_name_is_looked_for_at_once() -> None:
    """A miss a moment ago says nothing about a CRD that was installed since."""
    server = DiscoveryServer()
    mapper = mapper_of(server)
    with pytest.raises(NoMatchError):
        await mapper.resolve("unknown")

    install(server)

    assert (await mapper.resolve("ats")).kind == "At"


async def test_misses_are_forgotten() -> None:
    """Names come from users; remembering each for ever would be a leak."""
    server, clock = DiscoveryServer(), VirtualClock()
    mapper = mapper_of(server, clock)

    for number in range(10):
        with pytest.raises(NoMatchError):
            await mapper.resolve(f"unknown{number}")
        await clock.advance(2)

    assert len(mapper._missed) == 1


async def test_failed_refresh_is_told_and_what_was_known_stays() -> None:
    """To say "no match" would be a guess; and pods are still pods while the server is away."""
    server = DiscoveryServer()
    mapper = mapper_of(server)
    await mapper.resolve("pods")
    server.errors["/apis"] = TransportError("connection refused")

    with pytest.raises(TransportError, match="connection refused"):
        await mapper.resolve("ats")

    assert (await mapper.resolve("pods")).kind == "Pod"


def with_stale_metrics() -> DiscoveryServer:
    """Return a server whose metrics extension is down."""
    server = DiscoveryServer()
    server.named.append(group("metrics.k8s.io", v1beta1=[]))
    server.named[-1]["versions"][0]["freshness"] = "Stale"
    return server


@pytest.mark.parametrize(
    "ask",
    [
        lambda mapper: mapper.mapping(GroupVersionKind("metrics.k8s.io", "v1beta1", "PodMetrics")),
        lambda mapper: mapper.mapping(GroupKind("metrics.k8s.io", "PodMetrics")),
        lambda mapper: mapper.resource(GroupVersionResource("metrics.k8s.io", "v1beta1", "pods")),
        lambda mapper: mapper.resolve("pods.metrics.k8s.io"),
        lambda mapper: mapper.resolve("pods.v1beta1.metrics.k8s.io"),
    ],
)
async def test_kind_of_a_group_that_cannot_be_read_is_a_failure_not_a_miss(ask: Any) -> None:
    """The caller must retry instead of believing that the kind does not exist."""
    with pytest.raises(ServerError, match=r"metrics\.k8s\.io/v1beta1 does not answer"):
        await ask(mapper_of(with_stale_metrics()))


async def test_failing_group_does_not_hide_others() -> None:
    """Another version or group was read well, so there the kind is surely missing."""
    mapper = mapper_of(with_stale_metrics())

    assert (await mapper.resolve("pods")).group == ""
    with pytest.raises(NoMatchError):
        await mapper.mapping(GroupVersionKind("metrics.k8s.io", "v1", "PodMetrics"))
    with pytest.raises(NoMatchError, match=r"may also be in metrics\.k8s\.io/v1beta1, which"):
        await mapper.resolve("podmetrics")


async def test_message_says_what_was_asked_what_is_close_and_what_to_do() -> None:
    """Most misses are typing errors or a forgotten CRD."""
    with pytest.raises(NoMatchError) as caught:
        await mapper_of(DiscoveryServer()).resolve("deploymnet")

    assert str(caught.value) == (
        "cannot find resource or kind 'deploymnet': the server serves nothing of that name."
        " Did you mean deployments.apps?\n"
        "If it is a custom resource, install its CustomResourceDefinition first;"
        " `kubectl api-resources` lists what is there."
    )


@pytest.mark.parametrize(
    "name", ["ポッド", "a" * 100_000, "pods pods", "x..", "\x00", "pods.v1", "%2e"]
)
async def test_strange_names_are_no_match(name: str) -> None:
    """Whatever a user types, the answer is a sentence."""
    with pytest.raises(NoMatchError, match="cannot find resource or kind"):
        await mapper_of(DiscoveryServer()).resolve(name)


async def test_reset_forgets_everything() -> None:
    """After a 404 for a known kind, the client wants to know what is there now."""
    server = DiscoveryServer()
    install(server)
    mapper = mapper_of(server)
    await mapper.mapping(AT)
    server.named.pop()

    mapper.reset()

    with pytest.raises(NoMatchError):
        await mapper.mapping(AT)


async def test_answer_on_its_way_during_reset_is_not_kept() -> None:
    """It was made before the reset, so it may be what the reset was to get rid of."""
    server = DiscoveryServer()
    server.gate.clear()
    mapper = mapper_of(server)
    early = asyncio.create_task(mapper.resolve("pods"))
    await server.until_asked(ALL)

    mapper.reset()
    server.gate.set()
    await early
    await mapper.resolve("pods")

    assert len(server.asked) == 2 * ALL


async def test_core_group_that_failed_is_a_failure_for_its_kinds() -> None:
    """Without /api/v1 there are no pods to be found, but there surely are pods."""
    server = DiscoveryServer(old=True)
    server.errors["/api/v1"] = failure("/api/v1", 503, "ServiceUnavailable")

    with pytest.raises(ServerError):
        await mapper_of(server).mapping(GroupVersionKind("", "v1", "Pod"))


async def test_thousands_of_custom_resources_are_indexed() -> None:
    """Crossplane installs that many."""
    many = [group(f"g{n}.io", v1=[resource(f"k{n}s", f"K{n}")]) for n in range(3000)]
    server = DiscoveryServer(json.loads(json.dumps(many)))

    assert (await mapper_of(server).resolve("k2999")).group == "g2999.io"


async def test_a_message_shows_no_control_characters_of_the_server() -> None:
    """They would clear the terminal, or worse."""
    server = DiscoveryServer([group("\x1b[2J", v1=[resource("es", "E")])])

    with pytest.raises(NoMatchError) as caught:
        await RESTMapper(DiscoveryClient(server)).resolve("nothing")

    assert "could not be read" in str(caught.value)
    assert "\x1b" not in str(caught.value)
