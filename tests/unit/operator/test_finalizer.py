"""The finalizer on the server."""

import pytest

import kubewright as kw
from kubewright.kinds.core.v1 import Node
from kubewright.operator.finalizer import add_finalizer, finalizer_for, remove_finalizer
from tests.unit.operator.world import Shop, shop, world


def test_it_is_named_after_the_group_and_the_operator() -> None:
    """Two operators for one kind do not clean up for one another."""
    assert finalizer_for(Shop, "shops") == "example.com/shops"
    assert finalizer_for(Node, "nodes") == "core/nodes"


async def test_it_leaves_those_of_others_alone() -> None:
    """Each one waits for its own."""
    async with world() as w:
        made = shop()
        made.metadata.finalizers = ["other.com/a"]
        made = await w.other.create(made)

        held = await add_finalizer(w.other, made, "example.com/shops")
        await remove_finalizer(w.other, held, "example.com/shops")

        assert held.metadata.finalizers == ["other.com/a", "example.com/shops"]
        assert (await w.shop()).metadata.finalizers == ["other.com/a"]


async def test_an_object_that_changed_meanwhile_is_not_written() -> None:
    """The list of finalizers is written whole, and others may have added theirs."""
    async with world() as w:
        made = await w.other.create(shop())
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})

        with pytest.raises(kw.ConflictError):
            await add_finalizer(w.other, made, "example.com/shops")


async def test_another_object_of_the_same_name_is_neither_held_nor_released() -> None:
    """It would wait for a clean-up that nobody owes it, or go without the one that it is owed."""
    async with world() as w:
        made = await w.other.create(shop())
        await w.other.delete(made)
        namesake = shop()
        namesake.metadata.finalizers = ["example.com/shops"]
        namesake = await w.other.create(namesake)

        with pytest.raises(kw.ConflictError) as held:
            await add_finalizer(w.other, made, "example.com/other")
        with pytest.raises(kw.ConflictError) as released:
            await remove_finalizer(w.other, made, "example.com/shops")

        assert held.value.is_about_identity
        assert released.value.is_about_identity
        assert await w.shop() == namesake


async def test_nothing_else_of_the_object_is_written() -> None:
    """A reconciler may have changed it in memory."""
    async with world() as w:
        made = await w.other.create(shop())
        made.spec.size = 5

        await add_finalizer(w.other, made, "example.com/shops")

        assert (await w.shop()).spec.size == 1
