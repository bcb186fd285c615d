import copy

import pytest

from kubewright import _json
from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.meta import ObjectMeta
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


def test_what_is_changed_in_its_metadata_is_changed_in_the_object() -> None:
    """What is sent is the dict: a label that was set on the typed metadata must be in it."""
    shop = Unstructured.read(RAW)

    shop.metadata.labels["x"] = "z"
    shop.metadata.finalizers.append("example.com/x")

    assert shop["metadata"]["labels"] == {"x": "z"}
    assert shop["metadata"]["finalizers"] == ["example.com/x"]


def test_its_metadata_can_be_replaced() -> None:
    """As that of an object with a class."""
    shop = Unstructured.read(RAW)

    shop.metadata = ObjectMeta(name="b")

    assert shop["metadata"] == {"name": "b"}


@pytest.mark.parametrize("status", [{}, {"status": None}])
def test_a_status_that_is_not_there_comes_with_its_first_entry(status: dict[str, None]) -> None:
    """To look at it must not change what is sent; to write into it must."""
    shop = Unstructured(kind="Shop", **status)
    before = dict(shop)

    assert shop.status.get("phase") is None
    assert shop == before
    shop.status["phase"] = "Open"
    shop.status.setdefault("conditions", []).append({"type": "Ready"})

    assert shop["status"] == {"phase": "Open", "conditions": [{"type": "Ready"}]}
    assert shop.status is shop["status"]


def test_spec_and_status_that_are_there_are_the_object_s_own() -> None:
    """They are no copies."""
    shop = Unstructured(spec={"size": 1}, status={"phase": "Open"})

    shop.spec["size"] = 2
    shop.status["phase"] = "Closed"

    assert shop == {"spec": {"size": 2}, "status": {"phase": "Closed"}}


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
