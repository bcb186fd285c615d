import copy
import pickle
from typing import Any

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


def test_a_field_that_a_kind_does_not_have_cannot_be_assigned() -> None:
    """A status that goes nowhere is found after hours."""
    shop = Shop()

    with pytest.raises(AttributeError, match="Shop has no field 'statuz': did you mean 'status'"):
        shop.statuz = None  # type: ignore[attr-defined]  # the mistake
    with pytest.raises(AttributeError, match="did you mean 'api_version'"):
        shop.apiVersion = "v2"  # type: ignore[attr-defined]  # the name in JSON
    with pytest.raises(AttributeError, match="it has api_version, kind, metadata, "):
        shop.x = 1  # type: ignore[attr-defined]  # near nothing


def test_what_a_class_has_besides_fields_can_be_assigned() -> None:
    """Properties and private names are the business of whoever wrote the class."""

    class Named(Shop):
        @property
        def title(self) -> str:
            return self.metadata.name

        @title.setter
        def title(self, text: str) -> None:
            self.metadata.name = text

    named = Named()
    named.title = "corner"
    named._seen = True  # type: ignore[attr-defined]  # it is remembered like the bytes

    assert named.metadata.name == "corner"
    assert named._seen  # type: ignore[attr-defined]  # see above


def test_the_decorator_without_parentheses_says_what_to_write() -> None:
    """Everybody writes it once."""
    decorate: Any = resource

    with pytest.raises(SchemeError, match=r"write @kw\.resource\(group=\.\.\., version=\.\.\.\)"):

        @decorate
        class Kiosk(Resource):
            """Not declared."""


def test_a_part_of_an_object_is_no_kind() -> None:
    """Whoever asks a server for pod specs gets told what a pod spec is."""
    part: Any = ObjectMeta

    with pytest.raises(SchemeError, match="ObjectMeta is a Model, a part of an object: give a Res"):
        mapping_of(part)


@pytest.mark.parametrize(
    ("kind", "told"), [(int, "int is not a kind"), ("po", "'po' is not a class")]
)
def test_what_is_no_class_of_ours_has_no_definition(kind: Any, told: str) -> None:
    """A wrong argument must not end in an AttributeError about our own attributes."""
    with pytest.raises(SchemeError, match=told):
        definition_of(kind)
