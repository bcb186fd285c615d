"""Who the children of an object are."""

import pytest

import kubewright as kw
from kubewright import _json
from kubewright.client.transport import Response
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.operator.child import Child
from kubewright.operator.children import Family
from tests.unit.operator.world import Shop, World, config, shop, world


async def family(w: World) -> tuple[Family, Shop]:
    """Return a family of config maps, and a parent that has one of two."""
    made = Family(w.cluster.client, {ConfigMap: w.cluster.cache.informer(ConfigMap)})
    parent = await w.other.create(shop())
    for name in ("first", "second"):
        child = config(name)
        child.metadata.namespace = "default"
        kw.set_controller_reference(parent, child)
        await w.other.create(child)
    await w.other.create(config("stranger"))
    owned = config("friend")
    owned.metadata.namespace = "default"
    kw.set_owner_reference(parent, owned)
    await w.other.create(owned)
    return made, parent


async def names(w: World) -> set[str]:
    found = await w.other.list(ConfigMap, namespace="default")
    return {one.metadata.name for one in found}


async def test_children_are_those_that_the_object_controls() -> None:
    """Not all that it owns: those have another controller, or none."""
    async with world() as w:
        made, parent = await family(w)
        async with kw.Manager(w.cluster, clock=w.clock):
            found = made.children(ConfigMap, parent.metadata.uid)

            assert [one.metadata.name for one in found] == ["first", "second"]
            assert made.children(ConfigMap, "another") == []


async def test_pruning_deletes_children_that_are_not_wanted_and_nothing_else() -> None:
    """Whoever else's objects stay."""
    async with world() as w:
        made, parent = await family(w)
        first = Child("", "ConfigMap", "default", "first")
        async with kw.Manager(w.cluster, clock=w.clock):
            deleted = await made.prune((), parent.metadata.uid, {first})
            again = await made.prune((), parent.metadata.uid, {first})

            assert [child.name for child in deleted] == ["second"]
            assert again == []
            assert await names(w) == {"first", "stranger", "friend"}


async def test_a_child_that_is_being_deleted_is_not_deleted_again() -> None:
    """Its finalizer may take hours, and each reconcile would ask once more."""
    async with world() as w:
        made, parent = await family(w)
        await w.other.patch(ConfigMap, "first", {"metadata": {"finalizers": ["other.com/a"]}})
        async with kw.Manager(w.cluster, clock=w.clock):
            await made.prune((), parent.metadata.uid, set())

            assert await made.prune((), parent.metadata.uid, set()) == []
            assert w.take_writes() == ["delete configmaps first", "delete configmaps second"]


async def test_an_object_that_took_the_name_of_a_child_is_not_deleted() -> None:
    """The cache may lag behind."""
    async with world() as w:
        made, parent = await family(w)
        async with kw.Manager(w.cluster, clock=w.clock):
            await w.other.delete(ConfigMap, "second")
            await w.other.create(config("second", theirs="x"))

            deleted = await made.prune((ConfigMap,), parent.metadata.uid, set())

            assert [child.name for child in deleted] == ["first"]
            assert "second" in await names(w)


async def test_a_child_that_the_server_does_not_let_go_now_is_no_success() -> None:
    """A run that went well would not come again, and the child would stay."""
    conflict = {"status": "Failure", "reason": "Conflict", "code": 409, "message": "not now"}
    answer = Response(409, (("content-type", "application/json"),), _json.encode(conflict))
    async with world() as w:
        made, parent = await family(w)
        async with kw.Manager(w.cluster, clock=w.clock):
            w.transport.intercept = lambda request: answer if request.method == "DELETE" else None

            with pytest.raises(kw.ConflictError, match="not now"):
                await made.prune((), parent.metadata.uid, set())

            w.transport.intercept = None
            await made.prune((), parent.metadata.uid, set())
            assert await names(w) >= {"stranger", "friend"}
            assert not await names(w) & {"first", "second"}


async def test_a_kind_that_was_not_declared_is_said() -> None:
    """Nothing starts an informer behind the user's back."""
    async with world() as w:
        made, parent = await family(w)

        with pytest.raises(kw.SchemeError, match=r"Secret is not among .*write owns=\[Secret\]"):
            made.children(Secret, parent.metadata.uid)


async def test_what_is_not_known_yet_is_not_taken_for_nothing() -> None:
    """A parent without children would make them all again."""
    async with world() as w:
        made, parent = await family(w)

        with pytest.raises(kw.CacheNotSyncedError, match="which ConfigMap objects there are"):
            made.children(ConfigMap, parent.metadata.uid)
        assert made.find(config("first")) is None


async def test_objects_of_which_only_metadata_is_kept_are_not_found() -> None:
    """They would be taken for empty ones."""
    async with world() as w:
        informer = w.cluster.cache.informer(ConfigMap, metadata_only=True)
        made = Family(w.cluster.client, {ConfigMap: informer})
        await w.other.create(config("first", a="1"))
        async with kw.Manager(w.cluster, clock=w.clock):
            wanted = config("first")
            wanted.metadata.namespace = "default"

            assert made.find(wanted) is None
