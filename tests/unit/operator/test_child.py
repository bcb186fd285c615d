"""Where a child is put, and by whom it is owned."""

import pytest

import kubewright as kw
from kubewright.api.resource import mapping_of
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from kubewright.operator.child import Child, check_controller, child_of, mapping_for
from tests.unit.operator.world import Mall, Shop, config, shop, world

PARENT = shop()
PARENT.metadata.namespace, PARENT.metadata.uid = "here", "u1"
MALL = Mall(metadata=kw.ObjectMeta(name="north", uid="u2"))
CONFIG_MAPS = mapping_of(ConfigMap)


def test_it_is_put_beside_its_parent_and_controlled_by_it() -> None:
    """So it goes away with it."""
    wanted = config()

    child = child_of(PARENT, wanted, CONFIG_MAPS, owner=True)

    assert child.metadata.namespace == "here"
    assert [one.uid for one in child.metadata.owner_references] == ["u1"]
    assert wanted == config()


def test_an_unstructured_child_is_treated_alike() -> None:
    """A kind without a class can be a child, too."""
    wanted = kw.Unstructured(apiVersion="v1", kind="ConfigMap", metadata={"name": "a"})

    child = child_of(PARENT, wanted, CONFIG_MAPS, owner=True)

    assert child.namespace == "here"
    assert child["metadata"]["ownerReferences"][0]["uid"] == "u1"
    assert wanted == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


def test_without_owner_it_is_only_placed() -> None:
    """What several share is no one's child."""
    child = child_of(PARENT, config(), CONFIG_MAPS, owner=False)

    assert child.metadata.owner_references == []
    assert child.metadata.namespace == "here"


def test_a_child_elsewhere_is_refused_unless_it_is_not_owned() -> None:
    """The garbage collector would delete it at once."""
    wanted = config()
    wanted.metadata.namespace = "there"

    with pytest.raises(ValueError, match="an owner lives in the namespace of what it owns"):
        child_of(PARENT, wanted, CONFIG_MAPS, owner=True)

    assert child_of(PARENT, wanted, CONFIG_MAPS, owner=False).metadata.namespace == "there"


def test_a_cluster_scoped_child_of_a_namespaced_parent_is_refused() -> None:
    """It cannot be owned; a finalizer is the way."""
    wanted = Namespace(metadata=kw.ObjectMeta(name="a"))

    with pytest.raises(ValueError, match="Clean it up with a finalizer"):
        child_of(PARENT, wanted, mapping_of(Namespace), owner=True)


def test_a_parent_in_no_namespace_cannot_say_where() -> None:
    """Rather than to put it anywhere."""
    with pytest.raises(ValueError, match="'corner' has no namespace, and Mall 'north' is in none"):
        child_of(MALL, config(), CONFIG_MAPS, owner=True)


def test_it_needs_a_name() -> None:
    """An apply cannot make one up."""
    with pytest.raises(ValueError, match="a ConfigMap without a name"):
        child_of(PARENT, ConfigMap(), CONFIG_MAPS, owner=True)


def test_a_child_of_another_is_not_taken_over() -> None:
    """Two parents would fight about it for ever."""
    theirs = kw.OwnerReference(
        api_version="example.com/v1", kind="Shop", name="other", uid="x", controller=True
    )
    earlier = kw.OwnerReference(
        api_version="example.com/v1", kind="Shop", name="corner", uid="x", controller=True
    )

    check_controller(PARENT, config(), (earlier,))
    with pytest.raises(kw.AlreadyOwnedError, match="Shop 'other' controls it already"):
        check_controller(PARENT, config(), (theirs,))


async def test_where_a_kind_lives_is_asked_only_without_a_class() -> None:
    """A question to the server for each apply would cost more than the apply."""
    async with world() as w:
        unknown = kw.Unstructured(apiVersion="example.com/v1", kind="Mall", metadata={"name": "a"})

        assert not (await mapping_for(w.other, unknown)).namespaced
        assert await mapping_for(w.other, shop()) is mapping_of(Shop)


def test_a_child_is_the_same_in_every_version() -> None:
    """It is one object."""
    child = Child.of(PARENT)

    assert child == ("example.com", "Shop", "here", "corner")


def test_a_child_reads_like_a_line_of_kubectl() -> None:
    """With its kind: two children may have one name."""
    assert str(Child("", "ConfigMap", "default", "prices")) == "ConfigMap default/prices"
    assert str(Child("example.com", "Mall", "", "north")) == "Mall north"
