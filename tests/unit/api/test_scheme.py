import pytest

from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import Resource, raw_of, resource
from kubewright.api.scheme import Scheme
from kubewright.api.unstructured import Unstructured
from kubewright.errors import DecodeError, SchemeError


@resource(group="example.com", version="v1")
class Shop(Resource):
    size: int = 1


@resource(group="example.com", version="v1", kind="Shop")
class OtherShop(Resource):
    pass


@resource(group="example.com", version="v2", kind="Shop")
class NewShop(Resource):
    pass


class Undeclared(Resource):
    pass


SHOP = GroupVersionKind("example.com", "v1", "Shop")
RAW = b'{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"a"},"size":3,"new":1}'


def test_a_registered_class_is_found_by_its_kind() -> None:
    """And registering it again is harmless, as modules are imported from many places."""
    scheme = Scheme([Shop])

    assert scheme.register(Shop) is Shop
    assert scheme.get(SHOP) is scheme.find(SHOP) is Shop
    assert list(scheme) == [Shop]
    assert len(scheme) == 1
    assert SHOP in scheme
    assert Shop in scheme
    assert OtherShop not in scheme


def test_versions_of_a_kind_live_side_by_side() -> None:
    """A conversion webhook needs all of them."""
    scheme = Scheme([Shop, NewShop])

    assert scheme.get(GroupVersionKind("example.com", "v2", "Shop")) is NewShop
    assert scheme.get(SHOP) is Shop


def test_two_classes_for_one_kind_are_refused_with_both_names() -> None:
    """Which of them decoded an object would depend on the order of imports."""
    scheme = Scheme([Shop])

    with pytest.raises(SchemeError, match=r"OtherShop for example\.com/v1 Shop: .*Shop is regist"):
        scheme.register(OtherShop)

    assert scheme.get(SHOP) is Shop


def test_a_class_without_a_kind_is_refused() -> None:
    """The decorator was forgotten, and the message says so."""
    with pytest.raises(SchemeError, match=r"decorate it with @kw\.resource"):
        Scheme([Undeclared])


def test_an_unknown_kind_is_none_or_an_error_that_says_what_to_do() -> None:
    """The usual mistake is another version, so those that are there are named."""
    scheme = Scheme([Shop])
    wrong = GroupVersionKind("example.com", "v3", "Shop")

    assert scheme.find(wrong) is None
    assert wrong not in scheme
    with pytest.raises(SchemeError) as caught:
        scheme.get(wrong)
    assert str(caught.value) == (
        "no class stands for example.com/v3 Shop: import the module that declares it and register"
        " it with scheme.register(Shop), or use kw.Unstructured. Registered are: example.com/v1"
        " Shop."
    )


def test_a_finder_is_asked_once_and_only_for_what_is_not_registered() -> None:
    """Built-in kinds are imported when the first of their objects turns up."""
    asked: list[GroupVersionKind] = []

    def find(gvk: GroupVersionKind) -> type[Resource] | None:
        asked.append(gvk)
        return NewShop if gvk.version == "v2" else None

    scheme = Scheme([Shop])
    scheme.add_finder(find)
    newer = GroupVersionKind("example.com", "v2", "Shop")

    assert scheme.find(SHOP) is Shop
    assert scheme.get(newer) is scheme.get(newer) is NewShop
    assert asked == [newer]


def test_finders_are_asked_in_turn() -> None:
    """The first that knows the kind wins."""
    scheme = Scheme(finders=[lambda gvk: None, lambda gvk: Shop, lambda gvk: OtherShop])

    assert scheme.get(SHOP) is Shop


def test_an_object_is_decoded_as_its_class_and_remembers_its_document() -> None:
    """Unknown fields are in the raw document, from which an update restores them."""
    shop = Scheme([Shop]).decode(RAW)

    assert isinstance(shop, Shop)
    assert shop.size == 3
    assert raw_of(shop) == RAW


def test_a_dict_is_decoded_like_its_json() -> None:
    """A manifest read from YAML."""
    shop = Scheme([Shop]).decode({"apiVersion": "example.com/v1", "kind": "Shop", "new": 1})

    assert isinstance(shop, Shop)
    assert raw_of(shop) == b'{"apiVersion":"example.com/v1","kind":"Shop","new":1}'


def test_an_object_of_an_unknown_kind_is_unstructured() -> None:
    """With all of its fields."""
    found = Scheme().decode(RAW)

    assert isinstance(found, Unstructured)
    assert found["new"] == 1
    assert found.gvk == SHOP
    assert found.raw == RAW


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"{}", "without apiVersion and kind"),
        (b'{"apiVersion":null,"kind":"Shop"}', "without apiVersion and kind"),
        (b'{"apiVersion":"example.com/v1"}', "without apiVersion and kind"),
        (b'{"apiVersion":"a/b/c","kind":"Shop"}', "cannot decode a Shop: not an apiVersion"),
        (b"[]", "expected `object`, got `array`"),
        (b"not json", "It begins with b'not json'"),
        (b"", "cannot decode"),
        (b'{"apiVersion":"example.com/v1","kind":"Shop","size":"x"}', "at size: expected `int`"),
        (b'{"apiVersion":"v1","kind":5}', "at kind"),
    ],
)
def test_what_cannot_be_decoded_says_why(raw: bytes, problem: str) -> None:
    """Broken manifests are read by people."""
    with pytest.raises(DecodeError, match=problem):
        Scheme([Shop]).decode(raw)
