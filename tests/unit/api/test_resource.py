import copy
import pickle

import pytest

from kubewright import _json
from kubewright.api.definition import Column
from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model, field
from kubewright.api.resource import (
    Resource,
    builtin,
    definition_of,
    document,
    gvk_of,
    mapping_of,
    raw_of,
    read,
    resource,
    to_json,
)
from kubewright.errors import DecodeError, SchemeError


class ShopSpec(Model):
    size: int = 1
    note: str | None = None


class ShopStatus(Model):
    phase: str | None = None


@resource(
    group="example.com",
    version="v1",
    short_names=["sh"],
    columns=[Column("Size", ".spec.size", type="integer")],
    deprecated="use v2",
)
class Shop(Resource):
    """Sells things."""

    spec: ShopSpec = field(default_factory=ShopSpec)
    status: ShopStatus = field(default_factory=ShopStatus)


@resource(group="example.com", version="v1", scope="Cluster", kind="Policy", plural="rules")
class ShopPolicy(Resource):
    pass


@builtin("", "v1", "Pod", "pods")
class Pod(Resource):
    pass


RAW = (
    b'{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"a","namespace":"b"},'
    b'"spec":{"size":3,"new":true}}'
)


def test_an_object_says_what_it_is_by_itself() -> None:
    """Also one that came as an item of a list, which lacks both fields."""
    shop = Shop(metadata=ObjectMeta(name="a", namespace="b"))

    assert (shop.api_version, shop.kind) == ("example.com/v1", "Shop")
    assert shop.key == ObjectKey("b", "a")
    assert read(b'{"metadata":{"name":"x"}}', Shop).kind == "Shop"
    assert read(b'{"metadata":{"name":"x"}}', Pod).api_version == "v1"


def test_a_declaration_fills_in_what_kubernetes_would_guess() -> None:
    """Names that nobody wants to type, and all that was typed."""
    definition = definition_of(Shop)

    assert mapping_of(Shop).plural == "shops"
    assert mapping_of(Shop).namespaced
    assert (definition.singular, definition.list_kind) == ("shop", "ShopList")
    assert definition.short_names == ("sh",)
    assert [column.name for column in definition.columns] == ["Size"]
    assert definition.deprecated
    assert definition.deprecation_warning == "use v2"
    assert not definition.builtin


def test_a_declaration_may_say_all_names() -> None:
    """Class names and kinds differ where two kinds share a word."""
    mapping = mapping_of(ShopPolicy)

    assert gvk_of(ShopPolicy) == GroupVersionKind("example.com", "v1", "Policy")
    assert mapping.plural == "rules"
    assert not mapping.namespaced
    assert definition_of(Pod).builtin


def test_a_class_that_is_no_resource_is_refused() -> None:
    """With what to write instead."""
    with pytest.raises(SchemeError, match=r"make it a subclass of kw\.Resource"):
        resource(group="example.com", version="v1")(ShopSpec)  # type: ignore[type-var]  # that is the point


def test_a_class_that_was_not_declared_is_refused() -> None:
    """The decorator was forgotten."""

    class Forgotten(Resource):
        pass

    with pytest.raises(SchemeError, match=r"Forgotten has no group and version: decorate it"):
        gvk_of(Forgotten)


def test_an_object_remembers_what_it_was_read_from() -> None:
    """Not as a field: it is neither sent, nor compared, nor shown."""
    shop = read(RAW, Shop)
    same = Shop(metadata=ObjectMeta(name="a", namespace="b"), spec=ShopSpec(size=3))

    assert raw_of(shop) == RAW
    assert raw_of(same) is None
    assert shop == same
    assert "_raw" not in repr(shop)
    assert b"_raw" not in to_json(shop)


@pytest.mark.parametrize(
    "twin_of", [copy.copy, copy.deepcopy, lambda shop: pickle.loads(pickle.dumps(shop))]
)
def test_a_copy_remembers_too(twin_of: object) -> None:
    """An update from a copy must keep unknown fields as well."""
    shop = read(RAW, Shop)

    twin = twin_of(shop)  # type: ignore[operator]  # one of three functions

    assert twin == shop
    assert twin is not shop
    assert raw_of(twin) == RAW


def test_a_deep_copy_shares_nothing() -> None:
    """And a shallow one shares its parts, as copy promises."""
    shop = read(RAW, Shop)

    deep, shallow = copy.deepcopy(shop), copy.copy(shop)
    deep.spec.size = 9
    deep.metadata.labels["a"] = "b"

    assert shop.spec.size == 3
    assert shop.metadata.labels == {}
    assert shallow.spec is shop.spec


def test_an_empty_status_is_not_sent() -> None:
    """It is never None in Python, and the server should not see ``status: {}``."""
    shop = Shop(metadata=ObjectMeta(name="a"))

    sent = {
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        "metadata": {"name": "a"},
        "spec": {"size": 1},
    }
    assert document(shop) == sent
    assert _json.loads(to_json(shop)) == sent
    shop.status.phase = "DONE"
    assert document(shop)["status"] == {"phase": "DONE"}
    assert _json.loads(to_json(shop)) == document(shop)


def test_text_that_looks_like_an_empty_object_is_sent() -> None:
    """The quick look for one must not be fooled."""
    shop = Shop(metadata=ObjectMeta(name="a"), spec=ShopSpec(note='":{}'))

    assert _json.loads(to_json(shop))["spec"]["note"] == '":{}'


def test_an_object_that_does_not_fit_names_the_field() -> None:
    """On the first day everybody writes a number as text."""
    with pytest.raises(DecodeError, match=r"cannot decode a Shop at spec\.size: expected `int`"):
        read(b'{"spec":{"size":"3"}}', Shop)
