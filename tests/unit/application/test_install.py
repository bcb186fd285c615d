"""CRDs on the server."""

import pytest

import kubewright as kw
from kubewright.application.install import install_crds
from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition
from kubewright.kinds.core.v1 import Pod
from tests.unit.operator.world import Shop, shop, world


async def test_the_kinds_can_be_used_when_it_returns() -> None:
    """Built-in ones need nothing; installing again changes nothing."""
    async with world(crds=()) as w:
        names = await w.clock.run(install_crds(w.other, [Shop, Pod]))
        first = await w.other.get(CustomResourceDefinition, "shops.example.com")
        await w.other.create(shop())

        await w.clock.run(install_crds(w.other, [Shop]))

        again = await w.other.get(CustomResourceDefinition, "shops.example.com")
        assert names == ["shops.example.com"]
        assert first.metadata.generation == again.metadata.generation


async def test_a_crd_whose_names_are_taken_is_said() -> None:
    """The server accepts it and never serves it."""

    @kw.resource(group="example.com", version="v1", kind="Store", plural="stores", singular="shop")
    class Store(kw.Resource): ...

    async with world(crds=(Shop,)) as w:
        with pytest.raises(kw.ConfigError, match=r"cannot install stores.example.com: .* in use"):
            await w.clock.run(install_crds(w.other, [Store], timeout=5.0))


async def test_nothing_to_install_is_fine() -> None:
    """An operator may look after built-in kinds only."""
    async with world(crds=()) as w:
        assert await install_crds(w.other, [Pod]) == []
