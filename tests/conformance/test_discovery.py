"""Discovery: what the server has, under every name that kubectl knows."""

import pytest

from kubewright import kinds
from kubewright._aio import Clock
from kubewright.api.kind import GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource
from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model
from kubewright.api.resource import Resource, resource
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client, wait_for
from kubewright.client.discovery import DiscoveryClient
from kubewright.crd import custom_resource_definition
from kubewright.errors import NoMatchError, NotFoundError
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition


class LateSpec(Model):
    """Nothing much."""

    size: int = 1


@resource(group="late.example.com", version="v1", short_names=["lt"])
class Late(Resource):
    """A kind that is installed while the client runs."""

    spec: LateSpec


@pytest.mark.parametrize(
    "name",
    [
        "deploy",
        "deployment",
        "deployments",
        "Deployment",
        "deployments.apps",
        "deployments.v1.apps",
    ],
)
async def test_a_kind_goes_by_every_name_that_kubectl_takes(client: Client, name: str) -> None:
    """People type what they are used to."""
    found = await client.mapper.resolve(name)

    assert (found.group, found.version, found.plural) == ("apps", "v1", "deployments")
    assert found.namespaced


async def test_the_core_group_comes_first(client: Client) -> None:
    """``events`` is in two groups; kubectl means the core one."""
    assert (await client.mapper.resolve("events")).group == ""
    assert (await client.mapper.resolve("po")).kind == "Pod"


async def test_a_kind_is_found_in_its_preferred_version(client: Client) -> None:
    """Who does not say which version means the one that the server prefers."""
    found = await client.mapper.mapping(GroupKind("rbac.authorization.k8s.io", "Role"))

    assert found.version == "v1"


async def test_a_resource_leads_back_to_its_kind(client: Client) -> None:
    """Owner references and scale targets name kinds, paths name resources."""
    found = await client.mapper.resource(GroupVersionResource("", "v1", "nodes"))

    assert found.kind == "Node"
    assert not found.namespaced


async def test_a_category_stands_for_many_kinds(client: Client) -> None:
    """``kubectl get all`` is made of it."""
    plurals = {mapping.plural for mapping in await client.mapper.expand("all")}

    assert {"pods", "services", "deployments", "jobs"} <= plurals
    assert "secrets" not in plurals


async def test_everything_that_the_server_lists_is_there(client: Client) -> None:
    """Each resource with its verbs; nothing failed."""
    found = await client.discovery.discover()

    assert not found.failures
    pods = found.find_resource(GroupVersionResource("", "v1", "pods"))
    assert pods is not None
    assert {"get", "list", "watch", "create", "deletecollection"} <= set(pods.verbs)
    assert pods.find_subresource("status") is not None
    assert GroupVersion("apps", "v1") in found.group_versions()


async def test_our_classes_agree_with_the_server(client: Client) -> None:
    """Plural and scope of the generated kinds are what this server says, where it has them."""
    found = await client.discovery.discover()
    wrong = []
    compared = 0
    for resources in found.resources.values():
        for one in resources:
            kind = kinds.find(GroupVersionKind(one.group, one.version, one.kind))
            if kind is None:
                continue
            compared += 1
            mapping = kind.__definition__.mapping
            if (mapping.plural, mapping.namespaced) != (one.name, one.namespaced):
                wrong.append((one, mapping))

    assert wrong == []
    assert compared > 40


async def test_a_kind_that_is_installed_later_is_found(client: Client) -> None:
    """A client that runs for months must see new CRDs."""
    with pytest.raises(NoMatchError):
        await client.mapper.mapping(GroupVersionKind("late.example.com", "v1", "Late"))
    crd = Unstructured(custom_resource_definition(Late))

    await client.create(crd)
    await wait_for(client, CustomResourceDefinition, crd.name, _established, timeout=30)
    late = Late(metadata=ObjectMeta(name="a"), spec=LateSpec(size=2))
    await _until_served(client, late)
    client.mapper.reset()
    dynamic = await client.get(GroupVersionKind("late.example.com", "v1", "Late"), "a")

    assert dynamic["spec"] == {"size": 2}
    assert (await client.mapper.resolve("lt")).kind == "Late"


def _established(crd: CustomResourceDefinition | None) -> bool:
    conditions = crd.status.conditions if crd else []
    return any(c.type == "Established" and c.status == "True" for c in conditions)


async def _until_served(client: Client, late: Late) -> None:
    """Create *late*: the handler of a new kind is up a moment after the CRD is established."""
    clock = Clock()
    async with clock.timeout(30):
        while True:
            try:
                await client.create(late)
            except NotFoundError:
                await clock.sleep(0.05)
            else:
                return


async def test_the_server_says_its_version_and_its_schema(client: Client) -> None:
    """Tools ask for both."""
    discovery = DiscoveryClient(client.rest)

    version = await discovery.server_version()
    schema = await discovery.openapi_v2()

    assert version.major == "1"
    assert b"io.k8s.api.core.v1.Pod" in schema
