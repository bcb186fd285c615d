"""The cache, read by those who work in one namespace."""

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from tests.unit.cluster.clusters import lab


def config_map(name: str, namespace: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace), data={"of": namespace})


async def test_its_namespace_is_meant_where_none_is_named() -> None:
    """Of two tenants, each gets what is its own; a kind without namespaces is for both."""
    async with lab() as made:
        await made.other.create(Namespace(metadata=ObjectMeta(name="tenant")))
        for namespace in ("default", "tenant"):
            await made.other.create(config_map("a", namespace))
        made.cluster.cache.informer(
            ConfigMap, indexes={"of": lambda one: [one.data.get("of", ""), "any"]}
        )
        made.cluster.cache.informer(Namespace)
        await made.start()

        view = made.cluster.cache.in_namespace("tenant")

        assert view.get(ConfigMap, "a").data == {"of": "tenant"}
        assert view.find(ConfigMap, "a", namespace="default") == view.get(ConfigMap, "default/a")
        assert view.get(Namespace, "tenant").metadata.name == "tenant"
        assert len(view.list(Namespace)) > 1
        assert [len(view.list(ConfigMap, index="of", value=one)) for one in ("any", "default")] == [
            1,
            0,
        ]
        assert len(view.list(ConfigMap, namespace="", index="of", value="any")) == 2
        assert len(view.list(ConfigMap, index="namespace", value="default")) == 1


async def test_without_a_namespace_one_object_must_name_its_own() -> None:
    """To guess one would read whatever happens to be there; a list is of all."""
    async with lab() as made:
        await made.other.create(config_map("a", "default"))
        made.cluster.cache.informer(ConfigMap)
        await made.start()
        view = made.cluster.cache.in_namespace("")

        with pytest.raises(ValueError, match="configmaps live in namespaces"):
            view.find(ConfigMap, "a")

        assert view.find(ConfigMap, ObjectKey("default", "a")) is not None
        assert len(view.list(ConfigMap)) == 1
