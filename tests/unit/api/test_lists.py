"""Lists of any kind, and what they say of themselves."""

import pytest

from kubewright import _json
from kubewright.api.lists import ResourceList, list_of
from kubewright.api.resource import Resource, resource
from kubewright.errors import DecodeError, SchemeError
from kubewright.kinds.core.v1 import Pod, PodList


def test_list_of_makes_the_list_of_any_kind() -> None:
    """The client lists custom resources, for which no list class is generated."""

    @resource(group="example.com", version="v1", list_kind="Shops")
    class Shop(Resource):
        size: int = 1

    found = _json.decode(b'{"items": [{"size": 3}], "metadata": null}', list_of(Shop))

    assert (found.api_version, found.kind) == ("example.com/v1", "Shops")
    assert found.items == [Shop(size=3)]
    assert list_of(Shop) is list_of(Shop)


def test_generated_lists_are_like_those_of_list_of() -> None:
    """One name and version, whichever way the class was made."""
    made = list_of(Pod)()

    assert (made.api_version, made.kind) == (PodList().api_version, PodList().kind)
    assert issubclass(PodList, ResourceList)


def test_a_bad_item_is_named_by_its_place() -> None:
    """One broken object among thousands must be found."""
    raw = b'{"items": [{}, {"spec": {"hostname": 1}}]}'

    with pytest.raises(DecodeError, match=r"items\[1\]\.spec\.hostname"):
        _json.decode(raw, list_of(Pod))


def test_a_class_without_a_kind_has_no_list() -> None:
    """The message says which decorator is missing."""

    class Shop(Resource):
        size: int = 1

    with pytest.raises(SchemeError, match="decorate it"):
        list_of(Shop)
