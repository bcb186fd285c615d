from typing import Any

import pytest

import kubewright as kw
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.cache.entry import Event
from kubewright.controller.mapping import (
    is_async,
    owner_requests,
    request_for,
    requests_for,
    versions,
)
from kubewright.controller.request import Request
from tests.unit.controller.world import changed, entry

SHOPS = RESTMapping("example.com", "v1", "Shop", "shops")
CITIES = RESTMapping("example.com", "v1", "City", "cities", namespaced=False)


def reference(kind: str, name: str, *, group: str = "example.com", controller: bool = True) -> Any:
    """Return an owner reference, in another version than ours."""
    return kw.OwnerReference(
        api_version=f"{group}/v1beta1", kind=kind, name=name, uid="u", controller=controller
    )


def test_owners_are_found_by_group_and_kind_in_any_version() -> None:
    """An object that was made before an upgrade names the old version for ever."""
    owners = (
        reference("Shop", "ours"),
        reference("Shop", "theirs", group="example.org"),
        reference("Pod", "other"),
    )

    assert list(owner_requests(entry(owners=owners), SHOPS)) == [Request("default", "ours")]


def test_only_the_controlling_owner_counts_unless_all_are_asked_for() -> None:
    """The others do not manage the object."""
    owned = entry(owners=(reference("Shop", "a", controller=False), reference("Shop", "b")))

    one = list(owner_requests(owned, SHOPS))
    every = list(owner_requests(owned, SHOPS, every_owner=True, cluster="east"))

    assert one == [Request("default", "b")]
    assert every == [Request("default", "a", "east"), Request("default", "b", "east")]


def test_a_cluster_scoped_owner_has_no_namespace() -> None:
    """Otherwise the request would name an object that cannot exist."""
    owned = entry(owners=(reference("City", "york"),))

    assert list(owner_requests(owned, CITIES)) == [Request("", "york")]


def test_a_change_is_about_both_states() -> None:
    """Who was concerned before has to hear that this is over."""
    old, new = entry(), entry(version="2")

    assert versions(changed(old, new)) == (new, old)
    assert versions(Event(None, new)) == (new,)
    assert versions(Event(old, None)) == (old,)


@pytest.mark.parametrize(
    ("target", "request_"),
    [
        ("shop/a", Request("shop", "a", "east")),
        ("a", Request("home", "a", "east")),
        (ObjectKey("shop", "a"), Request("shop", "a", "east")),
        (ObjectKey("", "node"), Request("", "node", "east")),
        (Request("shop", "a"), Request("shop", "a", "east")),
        (Request("shop", "a", "west"), Request("shop", "a", "west")),
    ],
)
def test_targets_are_read_as_people_write_them(target: Any, request_: Request) -> None:
    """A name alone is in the namespace at hand; a key is taken by its word."""
    assert request_for(target, namespace="home", cluster="east") == request_


@pytest.mark.parametrize("wrong", [5, None, ("shop", "a")])
def test_what_names_no_object_is_refused(wrong: Any) -> None:
    """The message says what would."""
    with pytest.raises(TypeError, match="an ObjectKey, a text"):
        request_for(wrong)


@pytest.mark.parametrize("wrong", ["shop/a", Request("a", "b"), 5, None])
def test_one_target_instead_of_a_list_is_refused(wrong: Any) -> None:
    """The letters of a text would each be a request."""
    with pytest.raises(TypeError, match="returns a list"):
        requests_for(wrong)


def test_each_request_is_there_once_and_in_order() -> None:
    """A map function need not care."""
    assert requests_for(["n/b", "n/a", ObjectKey("n", "b")]) == [
        Request("n", "b"),
        Request("n", "a"),
    ]


def test_async_functions_and_objects_are_told_apart_from_others() -> None:
    """Both are given as map functions and reconcilers."""

    async def coroutine() -> None: ...

    class Callable:
        async def __call__(self) -> None: ...

    assert is_async(coroutine)
    assert is_async(Callable())
    assert not is_async(print)
