from typing import Any

import pytest

from kubewright.api.meta import ObjectMeta, OwnerReference
from kubewright.api.owners import (
    controller_of,
    is_controlled_by,
    is_owned_by,
    owner_reference,
    owner_references,
    remove_owner_reference,
    set_controller_reference,
    set_owner_reference,
)
from kubewright.api.resource import Resource, resource
from kubewright.api.unstructured import Unstructured
from kubewright.errors import AlreadyOwnedError


@resource(group="example.com", version="v1")
class Shop(Resource):
    """Lives in a namespace."""


@resource(group="example.com", version="v1", scope="Cluster")
class Chain(Resource):
    """Lives in none."""


def shop(name: str = "corner", *, uid: str = "u-1", namespace: str = "town") -> Shop:
    return Shop(metadata=ObjectMeta(name=name, namespace=namespace, uid=uid))


def pod(**metadata: Any) -> Unstructured:
    return Unstructured(apiVersion="v1", kind="Pod", metadata={"name": "web"} | metadata)


def test_a_reference_names_the_owner_and_blocks_its_deletion() -> None:
    """The fields that the garbage collector reads."""
    assert owner_reference(shop()) == OwnerReference(
        api_version="example.com/v1",
        kind="Shop",
        name="corner",
        uid="u-1",
        controller=True,
        block_owner_deletion=True,
    )
    plain = owner_reference(shop(), controller=False, block_owner_deletion=False)
    assert plain.controller is None
    assert plain.block_owner_deletion is None


def test_an_owner_without_a_uid_is_refused() -> None:
    """It does not exist yet; the garbage collector would delete the dependent at once."""
    with pytest.raises(ValueError, match="Shop 'town/corner' cannot own: it has no uid"):
        owner_reference(shop(uid=""))


def test_an_owner_without_a_kind_is_refused() -> None:
    """A reference without a kind cannot be followed."""
    with pytest.raises(ValueError, match="has no apiVersion and kind"):
        owner_reference(Unstructured(metadata={"name": "a", "uid": "u"}))


@pytest.mark.parametrize("dependent", [pod(namespace="town"), shop("branch", uid="u-9")])
def test_a_controller_is_set_once(dependent: Resource | Unstructured) -> None:
    """Typed or not; the second time nothing changes, so nothing is written."""
    assert set_controller_reference(shop(), dependent)
    assert not set_controller_reference(shop(), dependent)
    assert is_controlled_by(dependent, shop())
    assert len(owner_references(dependent)) == 1


def test_an_unstructured_dependent_holds_plain_json() -> None:
    """It is sent as it stands."""
    dependent = pod(namespace="town", labels={"a": "b"})

    set_owner_reference(shop(), dependent)

    assert dependent["metadata"] == {
        "name": "web",
        "namespace": "town",
        "labels": {"a": "b"},
        "ownerReferences": [
            {"apiVersion": "example.com/v1", "kind": "Shop", "name": "corner", "uid": "u-1"}
        ],
    }


def test_a_second_controller_is_refused_and_named() -> None:
    """Two controllers of one object fight for ever."""
    dependent = pod(namespace="town")
    set_controller_reference(shop(), dependent)

    with pytest.raises(AlreadyOwnedError, match="Shop 'corner' controls it already"):
        set_controller_reference(shop("other", uid="u-2"), dependent)

    assert controller_of(dependent) == owner_reference(shop())


def test_many_owners_and_one_controller_go_together() -> None:
    """An object goes away with the last of its owners."""
    dependent = pod(namespace="town")

    set_owner_reference(shop("a", uid="1"), dependent)
    set_owner_reference(shop("b", uid="2"), dependent)
    set_controller_reference(shop("c", uid="3"), dependent)

    assert [one.name for one in owner_references(dependent)] == ["a", "b", "c"]
    assert is_owned_by(dependent, shop("a", uid="1"))
    assert not is_controlled_by(dependent, shop("a", uid="1"))
    assert is_controlled_by(dependent, shop("c", uid="3"))


def test_an_owner_that_was_made_anew_replaces_its_old_reference() -> None:
    """Same name, new uid: the old reference would have the dependent deleted."""
    dependent = pod(namespace="town")
    set_controller_reference(shop(uid="old"), dependent)

    assert set_controller_reference(shop(uid="new"), dependent)

    assert [one.uid for one in owner_references(dependent)] == ["new"]
    assert not is_controlled_by(dependent, shop(uid="old"))


def test_an_owner_in_another_version_is_the_same_owner() -> None:
    """A kind that moves from v1beta1 to v1 keeps what it owns."""
    older = Unstructured(
        apiVersion="example.com/v1beta1",
        kind="Shop",
        metadata={"name": "corner", "namespace": "town", "uid": "u-1"},
    )
    dependent = pod(namespace="town")
    set_controller_reference(older, dependent)

    assert set_controller_reference(shop(), dependent)

    assert [one.api_version for one in owner_references(dependent)] == ["example.com/v1"]


def test_an_owner_is_not_recognised_by_an_empty_uid() -> None:
    """Two objects that do not exist yet are not the same object."""
    dependent = pod(
        namespace="town",
        ownerReferences=[
            {"apiVersion": "example.com/v1", "kind": "Shop", "name": "corner", "uid": "",
             "controller": True}
        ],
    )  # fmt: skip

    assert not is_controlled_by(dependent, shop(uid=""))
    assert not is_owned_by(dependent, shop(uid=""))


def test_an_owner_can_be_removed() -> None:
    """Orphaning on purpose; the list does not stay behind empty."""
    dependent = pod(namespace="town")
    set_controller_reference(shop(), dependent)

    assert not remove_owner_reference(shop("other"), dependent)
    assert remove_owner_reference(shop(uid="whatever"), dependent)

    assert dependent["metadata"] == {"name": "web", "namespace": "town"}
    assert controller_of(dependent) is None
    assert not remove_owner_reference(shop(), dependent)


@pytest.mark.parametrize("own", [set_owner_reference, set_controller_reference])
@pytest.mark.parametrize(
    ("owner", "dependent", "problem"),
    [
        (shop(), pod(namespace="city"), "an owner lives in the namespace of what it owns"),
        (shop(), shop("x", namespace="city"), "an owner lives in the namespace"),
        (shop(), Chain(metadata=ObjectMeta(name="c")), "cannot own a cluster-scoped one"),
        (shop(), pod(), r"cluster-scoped one\. .* or set its metadata\.namespace"),
        (shop(), shop("x", namespace=""), "has no namespace yet: set it to 'town'"),
        (shop(namespace=""), pod(namespace="town"), "an owner lives in the namespace"),
    ],
)
def test_an_owner_that_the_garbage_collector_would_not_find_is_refused(
    own: Any, owner: Shop, dependent: Resource | Unstructured, problem: str
) -> None:
    """The dependent would be deleted, without a word, some minutes later."""
    with pytest.raises(ValueError, match=problem):
        own(owner, dependent)

    assert owner_references(dependent) == []


def test_a_cluster_scoped_owner_may_own_anything() -> None:
    """In any namespace or in none."""
    chain = Chain(metadata=ObjectMeta(name="all", uid="u-5"))
    dependents: list[Resource | Unstructured] = [
        shop(), pod(), Chain(metadata=ObjectMeta(name="part"))
    ]  # fmt: skip

    assert all(set_controller_reference(chain, one) for one in dependents)


def test_null_metadata_is_no_obstacle() -> None:
    """Go writes null where it has nothing."""
    dependent = Unstructured(apiVersion="v1", kind="Node", metadata=None)
    chain = Chain(metadata=ObjectMeta(name="all", uid="u-5"))

    assert controller_of(dependent) is None
    assert set_controller_reference(chain, dependent)
    assert is_controlled_by(dependent, chain)
