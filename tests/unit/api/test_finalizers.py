from typing import Any

import pytest

from kubewright.api.finalizers import (
    add_finalizer,
    check_finalizer,
    has_finalizer,
    remove_finalizer,
)
from kubewright.api.meta import ObjectMeta
from kubewright.api.resource import Resource, resource
from kubewright.api.unstructured import Unstructured

BACKUP = "example.com/backup"


@resource(group="example.com", version="v1")
class Shop(Resource):
    """Has finalizers like anything else."""


def objects(*finalizers: str) -> list[Any]:
    return [
        Shop(metadata=ObjectMeta(name="a", finalizers=list(finalizers))),
        Unstructured(
            apiVersion="v1", kind="Pod", metadata={"name": "a", "finalizers": list(finalizers)}
        ),
    ]


@pytest.mark.parametrize("obj", objects("example.com/other"))
def test_adding_twice_changes_once(obj: Any) -> None:
    """The answer says whether a write is needed."""
    assert add_finalizer(obj, BACKUP)
    assert not add_finalizer(obj, BACKUP)
    assert obj.metadata.finalizers == ["example.com/other", BACKUP]
    assert has_finalizer(obj, BACKUP)


@pytest.mark.parametrize("obj", objects(BACKUP, "example.com/other", BACKUP))
def test_removing_twice_changes_once(obj: Any) -> None:
    """Every occurrence goes, the others stay."""
    assert remove_finalizer(obj, BACKUP)
    assert not remove_finalizer(obj, BACKUP)
    assert obj.metadata.finalizers == ["example.com/other"]
    assert not has_finalizer(obj, BACKUP)


def test_the_last_one_leaves_no_empty_list_behind() -> None:
    """In plain JSON an empty list would be sent."""
    pod = Unstructured(apiVersion="v1", kind="Pod", metadata={"finalizers": [BACKUP]})

    remove_finalizer(pod, BACKUP)

    assert pod["metadata"] == {}


@pytest.mark.parametrize("metadata", [None, {}, {"finalizers": None}])
def test_absent_metadata_is_no_obstacle(metadata: Any) -> None:
    """Go writes null where it has nothing."""
    pod = Unstructured(apiVersion="v1", kind="Pod", metadata=metadata)

    assert not has_finalizer(pod, BACKUP)
    assert not remove_finalizer(pod, BACKUP)
    assert add_finalizer(pod, BACKUP)
    assert pod["metadata"]["finalizers"] == [BACKUP]


def test_a_list_that_somebody_else_holds_is_not_changed() -> None:
    """A new list is stored; the one that was read may be compared with it later."""
    [shop, pod] = objects("example.com/other")
    held = shop.metadata.finalizers, pod["metadata"]["finalizers"]

    add_finalizer(shop, BACKUP)
    add_finalizer(pod, BACKUP)

    assert held == (["example.com/other"], ["example.com/other"])


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("backup", "'backup' has no domain; write 'example.com/backup'"),
        ("", "it is empty"),
        ("Example.com/backup", "prefix"),
        ("a/b/c", "not a finalizer"),
        ("example.com/", "it is empty"),
        ("example.com/ü", "not a finalizer"),
    ],
)
def test_a_name_that_the_server_refuses_is_refused(name: str, problem: str) -> None:
    """A name without a domain belongs to Kubernetes itself."""
    [shop, _] = objects()

    with pytest.raises(ValueError, match=problem):
        add_finalizer(shop, name)

    assert shop.metadata.finalizers == []


@pytest.mark.parametrize(
    "name", ["foregroundDeletion", "orphan", "kubernetes", "kubewright.io/a_b"]
)
def test_the_finalizers_of_kubernetes_are_valid(name: str) -> None:
    """They are older than the rule."""
    check_finalizer(name)
