import copy

import pytest

from kubewright import _json
from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.unstructured import Unstructured
from kubewright.errors import DecodeError

RAW = (
    b'{"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"a","namespace":"b",'
    b'"resourceVersion":"7","labels":{"x":"y"}},"spec":{"size":null}}'
)


def test_an_unstructured_object_has_the_handles_of_a_typed_one() -> None:
    """Code that asks for names and versions need not know which it has."""
    shop = Unstructured.read(RAW)

    assert shop.gvk == GroupVersionKind("example.com", "v1", "Shop")
    assert (shop.api_version, shop.kind) == ("example.com/v1", "Shop")
    assert shop.key == ObjectKey("b", "a")
    assert (shop.name, shop.namespace, shop.resource_version) == ("a", "b", "7")
    assert shop.metadata.labels == {"x": "y"}


def test_it_is_the_json_that_was_read() -> None:
    """Nothing is interpreted; nulls stay."""
    shop = Unstructured.read(RAW)

    assert _json.encode(shop) == RAW
    assert shop["spec"] == {"size": None}
    assert shop.raw == RAW
    assert Unstructured(a=1).raw is None


@pytest.mark.parametrize("metadata", [None, {}, {"name": None}])
def test_absent_fields_are_empty_texts(metadata: object) -> None:
    """An object that is about to be created has few of them."""
    thing = Unstructured(metadata=metadata)

    assert (thing.api_version, thing.kind, thing.name, thing.namespace) == ("", "", "", "")
    assert thing.metadata.name == ""
    assert Unstructured().key == ObjectKey("", "")
    with pytest.raises(ValueError, match="not an apiVersion"):
        str(thing.gvk)


def test_its_metadata_is_a_copy() -> None:
    """Changes go into the dict, which is what is sent."""
    shop = Unstructured.read(RAW)

    shop.metadata.labels["x"] = "z"

    assert shop["metadata"]["labels"] == {"x": "y"}


def test_a_copy_is_unstructured_and_remembers() -> None:
    """Copying must not turn it into a plain dict, nor forget what was read."""
    shop = Unstructured.read(RAW)

    twin = copy.deepcopy(shop)
    twin["spec"]["size"] = 1

    assert isinstance(twin, Unstructured)
    assert twin.raw == RAW
    assert shop["spec"] == {"size": None}


@pytest.mark.parametrize("raw", [b"[]", b"1", b"null", b"", b"{"])
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    """A list of objects is not an object."""
    with pytest.raises(DecodeError):
        Unstructured.read(raw)
