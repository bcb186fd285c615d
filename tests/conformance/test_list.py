"""Lists: selectors, pages of one snapshot, versions."""

from typing import Any

import pytest

from kubewright.api.meta import LabelSelector, LabelSelectorRequirement
from kubewright.client import Client
from kubewright.errors import BadRequestError, GoneError
from kubewright.kinds.core.v1 import ConfigMap
from tests.conformance.objects import config_map
from tests.conformance.wire import OwnServer


async def names(client: Client, **options: Any) -> list[str]:
    """Return the sorted names of the ConfigMaps that this test made."""
    found = await client.list(ConfigMap, namespace=client.namespace, **options)
    return sorted(one.metadata.name for one in found if one.metadata.name != "kube-root-ca.crt")


async def fill(client: Client, count: int) -> list[str]:
    """Create *count* ConfigMaps with labels, and return their names."""
    made = [f"a{n:02}" for n in range(count)]
    for n, name in enumerate(made):
        await client.create(config_map(name, labels={"app": "x", "odd": str(n % 2), "n": str(n)}))
    return made


async def test_pages_of_any_size_make_the_same_list(client: Client) -> None:
    """Paging is the server's matter, not the caller's."""
    made = await fill(client, 7)

    for size in (1, 2, 3, 7, 500, 0):
        found = await client.list(
            ConfigMap, namespace=client.namespace, labels="app=x", page_size=size
        )
        assert [one.metadata.name for one in found] == made


async def test_pages_show_one_moment(client: Client) -> None:
    """What is written while a list is read belongs to the next one."""
    made = await fill(client, 6)
    seen = []

    async for one in client.list(
        ConfigMap, namespace=client.namespace, labels="app=x", page_size=2
    ):
        seen.append(one.metadata.name)
        if len(seen) == 2:
            await client.delete(ConfigMap, made[-1])
            await client.create(config_map("a99", labels={"app": "x"}))

    assert seen == made


async def test_a_snapshot_that_is_gone_is_read_again_whole(
    client: Client, own_server: OwnServer
) -> None:
    """``await`` still returns one consistent list; ``async for`` says what happened."""
    made = await fill(client, 6)
    listing = client.list(ConfigMap, namespace=client.namespace, labels="app=x", page_size=2)
    pages = aiter(listing.pages())
    await anext(pages)
    await client.create(config_map("a98", labels={"app": "x"}))
    await client.create(config_map("a99", labels={"app": "x"}))
    own_server.compact()

    with pytest.raises(GoneError):
        await anext(pages)

    assert [one.metadata.name for one in await listing] == [*made, "a98", "a99"]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("odd=1", ["a01", "a03"]),
        ("odd!=1,app", ["a00", "a02"]),
        ("n in (0,3)", ["a00", "a03"]),
        ("app,n notin (0,3)", ["a01", "a02"]),
        ("missing", []),
        ("!missing,app=x", ["a00", "a01", "a02", "a03"]),
    ],
)
async def test_label_selectors_select_on_the_server(
    client: Client, selector: str, expected: list[str]
) -> None:
    """All forms that kubectl knows."""
    await fill(client, 4)

    assert await names(client, labels=selector) == expected


async def test_a_label_selector_of_the_api_is_understood(client: Client) -> None:
    """As it stands in a Deployment, it can be given to list."""
    await fill(client, 4)
    selector = LabelSelector(
        match_labels={"app": "x"},
        match_expressions=[LabelSelectorRequirement(key="n", operator="NotIn", values=["0", "1"])],
    )

    found = await client.list(ConfigMap, namespace=client.namespace, labels=selector)

    assert [one.metadata.name for one in found] == ["a02", "a03"]


async def test_field_selectors_select_on_the_server(client: Client) -> None:
    """Every kind can be selected by name."""
    await fill(client, 3)

    assert await names(client, fields="metadata.name=a01") == ["a01"]
    assert "a01" not in await names(client, fields="metadata.name!=a01")


async def test_a_field_that_cannot_be_selected_by_is_refused(client: Client) -> None:
    """It must not select everything."""
    with pytest.raises(BadRequestError):
        await client.list(ConfigMap, fields={"data.k": "v"})


async def test_a_list_is_at_least_as_new_as_the_last_write(client: Client) -> None:
    """Without a version a list is the latest state."""
    made = await client.create(config_map("a"))

    listed = await client.list(ConfigMap, namespace=client.namespace)

    assert int(listed.resource_version) >= int(made.metadata.resource_version)


async def test_an_exact_version_shows_that_moment(client: Client) -> None:
    """A later write is not in it."""
    await client.create(config_map("a"))
    listed = await client.list(ConfigMap, namespace=client.namespace)
    await client.create(config_map("b"))

    then = await names(
        client, resource_version=listed.resource_version, resource_version_match="Exact"
    )

    assert then == ["a"]


async def test_a_dynamic_list_needs_no_class(client: Client) -> None:
    """Objects come as dicts that say what they are."""
    await fill(client, 2)

    found = await client.list("cm", namespace=client.namespace, labels="app=x")

    assert [one.name for one in found] == ["a00", "a01"]
    assert {(one.api_version, one.kind) for one in found} == {("v1", "ConfigMap")}
