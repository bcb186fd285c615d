"""CRDs of kinds whose objects are releases."""

from pathlib import Path

import pytest

from kubewright.application.definitions import (
    definition_for,
    definitions_below,
    install_definitions,
)
from kubewright.errors import ConfigError
from kubewright.testing import EmbeddedServer
from tests.unit.helm.charts import Shop, shop


async def test_simple_definition_takes_any_values() -> None:
    """The chart decides what fits."""
    async with EmbeddedServer() as server, server.client() as client:
        names = await install_definitions(client, [definition_for(Shop)], timeout=10)

        made = await client.create(shop(deep={"list": [1, "two"]}))
        assert names == ["shops.example.com"]
        assert made.spec == {"deep": {"list": [1, "two"]}}


async def test_definition_that_is_not_served_is_named() -> None:
    """Its names may be taken by another one."""
    other = definition_for(Shop)
    other["spec"]["names"]["plural"] = "stores"
    other["metadata"]["name"] = "stores.example.com"
    async with EmbeddedServer() as server, server.client() as client:
        await install_definitions(client, [definition_for(Shop)], timeout=10)

        with pytest.raises(ConfigError, match=r"cannot install stores\.example\.com"):
            await install_definitions(client, [other], timeout=0.2)


def test_folder_of_a_project_is_read(tmp_path: Path) -> None:
    """What is not a CRD there is left out, and what is not YAML is named."""
    assert definitions_below(tmp_path) == []
    bases = tmp_path / "config" / "crd" / "bases"
    bases.mkdir(parents=True)
    (bases / "a.yaml").write_text("kind: CustomResourceDefinition\n---\nkind: Other\n")
    assert definitions_below(tmp_path) == [{"kind": "CustomResourceDefinition"}]

    (bases / "b.yaml").write_text("a: [\n")
    with pytest.raises(ConfigError, match=r"b\.yaml:2"):
        definitions_below(tmp_path)
