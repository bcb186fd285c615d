"""Asking a server what it serves, in both formats, whole or in part."""

import asyncio
import json
from contextlib import suppress

import pytest

from kubewright.api.kind import GroupVersion, GroupVersionResource
from kubewright.client.discovery import Discovery, DiscoveryClient
from kubewright.errors import (
    ConfigError,
    DecodeError,
    LifecycleError,
    NoMatchError,
    NotFoundError,
    ServerError,
    TransportError,
    UnauthorizedError,
)
from tests.unit.client.discovery_server import DiscoveryServer, failure, group, resource

APPS = GroupVersion("apps", "v1")


async def test_two_requests_bring_everything_from_a_current_server() -> None:
    """Startup on a cluster with a hundred groups must not cost a hundred round trips."""
    server = DiscoveryServer()

    found = await DiscoveryClient(server).discover()

    assert sorted(server.asked) == ["/api", "/apis"]
    assert found.groups[0].name == ""
    assert len(found.groups) == 22
    assert len(found.resources) == 23
    assert found.find_resource(GroupVersionResource("", "v1", "pods"))
    assert found.find_resource(GroupVersionResource("apps", "v1", "deployments"))
    assert not found.failures


async def test_aggregated_format_is_asked_for_in_the_order_that_servers_parse() -> None:
    """The server compares the parameters in this very order and ignores any other."""
    server = DiscoveryServer()

    await DiscoveryClient(server).discover()

    assert server.accepted["/apis"] == (
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
        "application/json"
    )


async def test_old_format_gives_the_same_answer() -> None:
    """Which format a server speaks must not change what its users see."""
    new = await DiscoveryClient(DiscoveryServer()).discover()
    old = await DiscoveryClient(DiscoveryServer(old=True)).discover()

    assert old == new


@pytest.mark.parametrize("path", ["/api", "/apis"])
async def test_formats_can_be_mixed(path: str) -> None:
    """During an upgrade behind a load balancer, two requests can reach two versions."""
    server = DiscoveryServer()
    server.old = {path}

    found = await DiscoveryClient(server).discover()

    assert found == await DiscoveryClient(DiscoveryServer()).discover()


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
        "application/json",
        "",
    ],
)
async def test_aggregated_answer_is_known_whatever_a_proxy_does_to_its_type(
    content_type: str,
) -> None:
    """Read as the old format it would be an empty server, and every kind would be missing."""
    server = DiscoveryServer()
    server.content_type = content_type

    found = await DiscoveryClient(server).discover()

    assert APPS in found.resources


async def test_resource_lists_are_fetched_together_but_not_all_at_once() -> None:
    """One by one is slow over a long line; all at once trips the server's rate limits."""
    server = DiscoveryServer(old=True)

    await DiscoveryClient(server, concurrency=5).discover()

    assert server.busiest == 5
    assert len(server.asked) == 2 + 23


async def test_server_without_a_core_group_is_discovered() -> None:
    """An extension API server asked directly answers 404 at /api."""
    server = DiscoveryServer()
    server.errors["/api"] = failure("/api", 404, "NotFound")

    found = await DiscoveryClient(server).discover()

    assert APPS in found.resources
    assert found.find_group("") is None


@pytest.mark.parametrize("path", ["/api", "/apis"])
async def test_refusal_of_an_index_is_raised(path: str) -> None:
    """Without the list of groups there is no partial answer worth having."""
    server = DiscoveryServer()
    server.errors[path] = failure(path, 401, "Unauthorized")

    with pytest.raises(UnauthorizedError, match=f"cannot get {path}: no"):
        await DiscoveryClient(server).discover()


async def test_index_that_is_no_discovery_document_is_raised() -> None:
    """A captive portal answers 200 with a page of its own."""
    server = DiscoveryServer()
    server.bodies["/apis"] = b"<html>Log in</html>"

    with pytest.raises(DecodeError, match="<html>Log in"):
        await DiscoveryClient(server).discover()


@pytest.mark.parametrize(
    "error", [failure("/apis/apps/v1", 503, "ServiceUnavailable"), TransportError("reset")]
)
async def test_one_failing_group_version_leaves_the_rest_whole(error: Exception) -> None:
    """A broken metrics server must not keep an operator from finding its own kinds."""
    server = DiscoveryServer(old=True)
    server.errors["/apis/apps/v1"] = error

    found = await DiscoveryClient(server).discover()

    assert found.failures == {APPS: error}
    assert APPS not in found.resources
    assert GroupVersion("batch", "v1") in found.resources


async def test_unreadable_resource_list_is_a_failure_of_its_group_version_only() -> None:
    """An extension server with a bug is no reason to fail, either."""
    server = DiscoveryServer(old=True)
    server.bodies["/apis/apps/v1"] = b'{"kind":"APIResourceList"'

    found = await DiscoveryClient(server).discover()

    assert isinstance(found.failures[APPS], DecodeError)
    assert GroupVersion("batch", "v1") in found.resources


async def test_group_that_vanishes_meanwhile_is_looked_for_once_more() -> None:
    """A CRD deleted between two requests leaves no failure behind."""
    server = DiscoveryServer([group("a.io", v1=[resource("as", "A")])], old=True)
    without = json.dumps({"kind": "APIGroupList", "groups": []}).encode()

    def vanish(target: str) -> None:
        if target == "/apis/a.io/v1":
            server.bodies["/apis"] = without
            server.errors[target] = failure(target, 404, "NotFound")

    server.on_ask = vanish

    found = await DiscoveryClient(server).discover()

    assert not found.failures
    assert [each.name for each in found.groups] == [""]


async def test_group_version_that_stays_missing_is_a_failure_not_a_loop() -> None:
    """A group that is listed but answers 404 for ever must not be asked for ever."""
    server = DiscoveryServer([group("a.io", v1=[])], old=True)
    server.errors["/apis/a.io/v1"] = failure("/apis/a.io/v1", 404, "NotFound")

    found = await DiscoveryClient(server).discover()

    assert isinstance(found.failures[GroupVersion("a.io", "v1")], NotFoundError)
    assert server.asked.count("/apis/a.io/v1") == 2


async def test_stale_group_is_reported_and_the_rest_is_whole() -> None:
    """In the aggregated format the server itself says which of its extensions are down."""
    server = DiscoveryServer()
    server.named.append(group("metrics.k8s.io", v1beta1=[]))
    server.named[-1]["versions"][0]["freshness"] = "Stale"

    found = await DiscoveryClient(server).discover()

    assert list(found.failures) == [GroupVersion("metrics.k8s.io", "v1beta1")]
    with pytest.raises(ServerError, match="does not answer; see `kubectl get apiservices`"):
        raise found.failures[GroupVersion("metrics.k8s.io", "v1beta1")]


@pytest.mark.parametrize("old", [False, True])
async def test_cancelled_discovery_leaves_no_request_under_way(old: bool) -> None:
    """Who starts a request waits for it, also when nobody wants the answer any more."""
    server = DiscoveryServer(old=old)
    server.gate.clear()
    task = asyncio.create_task(DiscoveryClient(server).discover())
    await server.until_asked(2)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert server.busy == 0


async def test_resources_of_one_group_version_cost_one_request() -> None:
    """A retry of what failed need not read the whole server again."""
    server = DiscoveryServer(old=True)

    found = await DiscoveryClient(server).resources(GroupVersion("", "v1"))

    assert server.asked == ["/api/v1"]
    assert "pods" in {each.name for each in found}


async def test_client_remembers_nothing() -> None:
    """Caching is somebody else's job, so every answer is of now."""
    server = DiscoveryServer()
    client = DiscoveryClient(server)

    client.invalidate()
    await client.discover()
    await client.discover()

    assert client.fresh
    assert len(server.asked) == 4


async def test_server_version_is_read() -> None:
    """Unknown fields of newer servers do not matter."""
    server = DiscoveryServer()
    server.bodies["/version"] = b'{"major":"1","minor":"37+","gitVersion":"v1.37.0","new":1}'

    version = await DiscoveryClient(server).server_version()

    assert (version.major, version.minor, str(version)) == ("1", "37+", "v1.37.0")


async def test_openapi_v2_is_given_as_it_came() -> None:
    """It has megabytes; who needs a part of it decodes that part."""
    server = DiscoveryServer()
    server.bodies["/openapi/v2"] = b'{"swagger":"2.0"}'

    assert await DiscoveryClient(server).openapi_v2() == b'{"swagger":"2.0"}'


@pytest.mark.parametrize("prefix", ["", "/k8s/clusters/c-1"])
async def test_openapi_v3_document_is_fetched_by_its_hash_and_without_a_prefix(
    prefix: str,
) -> None:
    """The transport adds a proxy's prefix, so one in the URL would be there twice."""
    url = "/openapi/v3/apis/apps/v1?hash=AB"
    index = {"paths": {"apis/apps/v1": {"serverRelativeURL": prefix + url}}}
    server = DiscoveryServer()
    server.bodies = {"/openapi/v3": json.dumps(index).encode(), url: b'{"openapi":"3.0.0"}'}
    client = DiscoveryClient(server)

    document = await client.openapi_v3("apis/apps/v1")

    assert document == b'{"openapi":"3.0.0"}'
    assert await client.openapi_v3_paths() == {"apis/apps/v1": prefix + url}


async def test_unknown_openapi_path_names_the_nearest() -> None:
    """The leading slash or the word "apis" is easily forgotten."""
    index = {"paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1"}}}
    server = DiscoveryServer()
    server.bodies["/openapi/v3"] = json.dumps(index).encode()

    with pytest.raises(NoMatchError, match=r"for 'apps/v1'; nearest: apis/apps/v1"):
        await DiscoveryClient(server).openapi_v3("apps/v1")


def test_nothing_is_discovered_in_an_empty_answer() -> None:
    """Lookups in an empty result say so instead of failing."""
    nothing = Discovery()

    assert nothing.find_group("apps") is None
    assert nothing.find_resource(GroupVersionResource("", "v1", "pods")) is None
    assert nothing.group_versions() == []


@pytest.mark.parametrize("error", [ConfigError("no plugin"), LifecycleError("closed")])
@pytest.mark.parametrize("old", [True, False])
async def test_an_error_that_is_nobodys_answer_comes_out_as_it_is(
    error: Exception, old: bool
) -> None:
    """Whoever catches `KubewrightError` would not catch a group of one."""
    server = DiscoveryServer(old=old)
    server.errors["/apis/apps/v1" if old else "/apis"] = error

    with pytest.raises(type(error)) as caught:
        await DiscoveryClient(server).discover()

    assert caught.value is error


@pytest.mark.parametrize("name", ["..", "a/b", "bad group", "é", "a" * 300, "%2e%2e", "A"])
@pytest.mark.parametrize("old", [True, False])
async def test_a_group_that_is_no_name_is_a_failure_and_never_asked_for(
    name: str, old: bool
) -> None:
    """Requests are built from it: an extension must not say where they go."""
    server = DiscoveryServer([group(name, v1=[resource("es", "E")])], old=old)

    found = await DiscoveryClient(server).discover()

    assert isinstance(found.failures[GroupVersion(name, "v1")], DecodeError)
    assert [each.name for each in found.groups] == [""]
    assert list(found.resources) == [GroupVersion("", "v1")]
    assert set(server.asked) <= {"/api", "/apis", "/api/v1"}


@pytest.mark.parametrize("plural", ["..", ".", "../../../api/v1/secrets", "a b", "a?b", "", "é"])
async def test_a_resource_that_is_no_name_fails_its_group_version(plural: str) -> None:
    """Its path would be somebody else's."""
    evil = group("evil.io", v1=[resource(plural, "E")], v2=[resource("es", "E")])

    found = await DiscoveryClient(DiscoveryServer([evil])).discover()

    assert isinstance(found.failures[GroupVersion("evil.io", "v1")], DecodeError)
    assert GroupVersion("evil.io", "v1") not in found.resources
    assert GroupVersion("evil.io", "v2") in found.resources


async def test_names_of_metrics_are_accepted() -> None:
    """The metrics APIs list metrics as resources, and those have names of all kinds."""
    names = ["http_requests", "datadogmetric@default:x", "s0-rabbitmq-queueName", "a|b"]
    metrics = group("external.metrics.k8s.io", v1beta1=[resource(each, "E") for each in names])

    found = await DiscoveryClient(DiscoveryServer([metrics])).discover()

    listed = found.resources[GroupVersion("external.metrics.k8s.io", "v1beta1")]
    assert [each.name for each in listed] == names


@pytest.mark.parametrize("old", [True, False])
async def test_nobody_among_the_named_groups_replaces_the_core_group(old: bool) -> None:
    """Pods would be looked for where an extension says."""
    server = DiscoveryServer([group("", v1=[resource("evils", "Pod")])])
    server.old = {"/apis"} if old else set()

    found = await DiscoveryClient(server).discover()

    assert found.find_resource(GroupVersionResource("", "v1", "pods"))
    assert not found.find_resource(GroupVersionResource("", "v1", "evils"))
    assert [each.name for each in found.groups] == [""]
