"""Discovery: what the shipped data says, and what definitions add."""

from typing import Any

import msgspec
import pytest

from kubewright.apiserver.aggregation.remote import Remotes
from kubewright.apiserver.meta.names import version_rank
from kubewright.apiserver.registry.discovery import Discovery
from kubewright.apiserver.registry.registry import DATA, Registry
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CRDS, ask, define, settled

decode = msgspec.json.decode
AGGREGATED = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io"


def plain(items: list[Any]) -> dict[str, Any]:
    """Return all that is served by group, version and name, in any order."""
    return {
        item["metadata"].get("name", ""): {
            version["version"]: {one["resource"]: resource(one) for one in version["resources"]}
            for version in item["versions"]
        }
        for item in items
    }


def resource(found: Any) -> Any:
    """Return an entry; the real server leaves the group and version of the kind to the reader."""
    subresources = [
        (one["subresource"], tuple(sorted(one["verbs"]))) for one in found.get("subresources", ())
    ]
    return {
        **found,
        "responseKind": found["responseKind"]["kind"],
        "verbs": sorted(found["verbs"]),
        "subresources": sorted(subresources),
    }


@pytest.mark.parametrize("core", [True, False])
def test_the_newer_format_is_that_of_a_real_server(core: bool) -> None:
    """The data was taken from one: every resource, verb and short name."""
    name = "discovery-api.json" if core else "discovery-apis.json"

    found = decode(Discovery(Registry(), Remotes()).aggregated(core=core, version="v2"))

    assert plain(found["items"]) == plain(decode(DATA.joinpath(name).read_bytes())["items"])
    assert found["apiVersion"] == "apidiscovery.k8s.io/v2"


def test_both_formats_tell_the_same() -> None:
    """Older clients ask for one version at a time."""
    discovery = Discovery(Registry(), Remotes())
    items = decode(discovery.aggregated(core=False, version="v2"))["items"]

    groups = decode(discovery.groups())["groups"]

    assert [group["name"] for group in groups] == [item["metadata"]["name"] for item in items]
    for item in items:
        name = item["metadata"]["name"]
        alone = decode(discovery.group(name))
        wanted = [version["version"] for version in item["versions"]]
        assert [version["version"] for version in alone["versions"]] == wanted
        assert alone["preferredVersion"]["version"] == wanted[0]
        for version in item["versions"]:
            listed = decode(discovery.resources(name, version["version"]))["resources"]
            found = {one["name"]: one["verbs"] for one in listed if "/" not in one["name"]}
            assert found == {one["resource"]: one["verbs"] for one in version["resources"]}


def test_versions_are_ordered_by_maturity_then_by_number() -> None:
    """The first one is preferred by clients."""
    names = ["v1alpha1", "foo", "v1", "v2beta1", "v10", "v1beta2", "v2", "bar", "v1beta10"]

    assert sorted(names, key=version_rank, reverse=True) == [
        *("v10", "v2", "v1", "v2beta1", "v1beta10", "v1beta2", "v1alpha1", "bar", "foo")
    ]


async def test_definitions_are_discovered_at_once_and_forgotten_at_once(server: APIServer) -> None:
    """In both formats, with all that they say about their names."""
    names = {"plural": "foos", "kind": "Foo", "shortNames": ["fs"], "categories": ["all"]}
    await define(server, names={**names, "singular": "foo"})

    old = (await ask(server, "GET", "/apis/example.com/v1")).obj["resources"]
    new = (await ask(server, "GET", "/apis", accept=AGGREGATED)).obj["items"]
    await ask(server, "DELETE", f"{CRDS}/foos.example.com")
    await settled()

    assert [one["name"] for one in old] == ["foos", "foos/status"]
    assert (old[0]["shortNames"], old[0]["categories"], old[0]["singularName"]) == (
        ["fs"],
        ["all"],
        "foo",
    )
    (group,) = [item for item in new if item["metadata"]["name"] == "example.com"]
    assert group["versions"][0]["resources"][0]["responseKind"]["kind"] == "Foo"
    for path in ("/apis/example.com", "/apis/example.com/v1"):
        assert (await ask(server, "GET", path)).status == 404
