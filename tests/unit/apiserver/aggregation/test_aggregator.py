"""Versions that other servers answer."""

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.aggregation.orchard import (
    APPLES,
    GROUP,
    NAME,
    NEWER,
    ROOT,
    SERVICES,
    VERSION,
    Orchard,
    api_service,
    condition,
    register,
)
from tests.unit.apiserver.asking import CRDS, ask, definition, make

DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


async def test_a_registered_version_is_answered_by_its_server(
    server: APIServer, other: Orchard
) -> None:
    """The user asks one server, and another one answers."""
    await register(server, other)
    await condition(server, reason="Passed")

    found = await ask(server, "POST", f"{APPLES}?dryRun=All", b"{}", content_type="x/y")

    assert (found.status, found.obj) == (200, {"path": APPLES, "body": "{}"})
    assert other.last().query == "dryRun=All"
    assert other.last().headers["content-type"] == "x/y"


async def test_discovery_has_what_the_other_server_serves(
    server: APIServer, other: Orchard
) -> None:
    """`kubectl get apples` finds the way, in either format of discovery."""
    await register(server, other)
    await condition(server, reason="Passed")

    groups = (await ask(server, "GET", "/apis")).obj["groups"]
    group = (await ask(server, "GET", f"/apis/{GROUP}")).obj
    newer = (await ask(server, "GET", "/apis", accept=DISCOVERY)).obj["items"]
    older = (await ask(server, "GET", ROOT)).obj

    assert GROUP in [one["name"] for one in groups]
    assert group["preferredVersion"]["groupVersion"] == f"{GROUP}/{VERSION}"
    assert older["kind"] == "APIResourceList"
    (versions,) = (one["versions"] for one in newer if one["metadata"].get("name") == GROUP)
    assert versions == [{"version": VERSION, "resources": [NEWER], "freshness": "Current"}]


async def test_schemas_of_the_other_server_are_among_ours(
    server: APIServer, other: Orchard
) -> None:
    """`kubectl explain` and validation on the client's side need them."""
    await register(server, other)
    await condition(server, reason="Passed")

    old = (await ask(server, "GET", "/openapi/v2")).obj
    index = (await ask(server, "GET", "/openapi/v3")).obj["paths"]
    new = await ask(server, "GET", index[ROOT.removeprefix("/")]["serverRelativeURL"])

    assert f"{ROOT}/apples" in old["paths"]
    assert old["definitions"]["Apple"]["type"] == "object"
    assert "Unused" not in old["definitions"]
    assert new.obj["path"] == f"/openapi/v3{ROOT}"


async def test_a_version_that_is_deleted_is_gone(server: APIServer, other: Orchard) -> None:
    """Neither its paths nor its documents stay."""
    await register(server, other)
    await condition(server, reason="Passed")

    await ask(server, "DELETE", f"{SERVICES}/{NAME}")

    assert (await ask(server, "GET", APPLES)).status == 404
    groups = (await ask(server, "GET", "/apis")).obj["groups"]
    assert GROUP not in [one["name"] for one in groups]
    assert f"{ROOT}/apples" not in (await ask(server, "GET", "/openapi/v2")).obj["paths"]


async def test_a_server_that_never_answered_is_unavailable_and_stale(
    server: APIServer, other: Orchard
) -> None:
    """Clients see that something is missing here, not that there is nothing."""
    await make(server, SERVICES, api_service(other))
    await condition(server, reason="ServiceNotFound")

    refused = await ask(server, "GET", APPLES)
    newer = (await ask(server, "GET", "/apis", accept=DISCOVERY)).obj["items"]
    groups = (await ask(server, "GET", "/apis")).obj["groups"]

    assert (refused.status, refused.body) == (503, b"service unavailable\n")
    (versions,) = (one["versions"] for one in newer if one["metadata"].get("name") == GROUP)
    assert versions == [{"version": VERSION, "freshness": "Stale"}]
    assert GROUP not in [one["name"] for one in groups]


async def test_what_is_built_in_cannot_be_taken_away(server: APIServer, other: Orchard) -> None:
    """Whoever may write API services cannot answer for the Deployments of others."""
    wanted = api_service(other, group="apps", version="v1")
    await make(server, SERVICES, {**wanted, "metadata": {"name": "v1.apps"}})

    found = await ask(server, "GET", "/apis/apps/v1/deployments")

    assert (found.status, found.obj["kind"]) == (200, "DeploymentList")


async def test_versions_of_a_group_may_be_here_and_there(server: APIServer, other: Orchard) -> None:
    """A CRD of the group is served as before, behind the version with the higher priority."""
    custom = definition(group=GROUP)
    custom["metadata"]["name"] = f"foos.{GROUP}"
    custom["spec"]["versions"][0]["name"] = "v1beta1"
    await make(server, CRDS, custom)
    await register(server, other, versionPriority=200)
    await condition(server, reason="Passed")

    group = (await ask(server, "GET", f"/apis/{GROUP}")).obj

    assert [one["version"] for one in group["versions"]] == ["v1", "v1beta1"]
