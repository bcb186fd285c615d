"""Changes of typed metadata, and of collections, arrive in the document they were taken from."""

import copy
import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.api.live import LiveDict, LiveList, LiveMeta
from kubewright.api.meta import ObjectMeta, OwnerReference


def document(**metadata: Any) -> dict[str, Any]:
    """Return an object with *metadata*."""
    return {"kind": "Shop", "metadata": {"name": "corner", "unheardOf": 1, **metadata}}


def owner(name: str) -> OwnerReference:
    """Return a reference to a Mall."""
    return OwnerReference(api_version="example.com/v1", kind="Mall", name=name, uid="u")


@pytest.mark.parametrize(
    "change",
    [
        lambda labels: labels.__setitem__("b", "2"),
        lambda labels: labels.update(b="2"),
        lambda labels: labels.__ior__({"b": "2"}),
        lambda labels: labels.setdefault("b", "2"),
        lambda labels: labels.pop("a"),
        lambda labels: labels.popitem(),
        lambda labels: labels.__delitem__("a"),
        lambda labels: labels.clear(),
    ],
)
def test_every_change_of_a_dict_is_told(change: Callable[[dict[str, str]], object]) -> None:
    """One that is not would be lost without a word."""
    told: list[dict[str, str]] = []
    labels = LiveDict({"a": "1"}, lambda new: told.append(dict(new)))

    change(labels)

    assert told == [dict(labels)]
    assert told != [{"a": "1"}]


@pytest.mark.parametrize(
    "change",
    [
        lambda items: items.append("d"),
        lambda items: items.extend(["d"]),
        lambda items: items.insert(0, "d"),
        lambda items: items.__iadd__(["d"]),
        lambda items: items.__imul__(2),
        lambda items: items.remove("a"),
        lambda items: items.pop(),
        lambda items: items.clear(),
        lambda items: items.sort(),
        lambda items: items.reverse(),
        lambda items: items.__setitem__(0, "d"),
        lambda items: items.__setitem__(slice(0, 1), []),
        lambda items: items.__delitem__(0),
    ],
)
def test_every_change_of_a_list_is_told(change: Callable[[list[str]], object]) -> None:
    """One that is not would be lost without a word."""
    told: list[list[str]] = []
    items = LiveList(["c", "a", "b"], lambda new: told.append(list(new)))

    change(items)

    assert told == [list(items)]
    assert told != [["c", "a", "b"]]


@pytest.mark.parametrize(
    ("name", "value", "wire", "written"),
    [
        ("name", "market", "name", "market"),
        ("generate_name", "shop-", "generateName", "shop-"),
        ("labels", {"a": "b"}, "labels", {"a": "b"}),
        ("deletion_timestamp", datetime(2026, 1, 1, tzinfo=UTC), "deletionTimestamp",
         "2026-01-01T00:00:00Z"),
        ("owner_references", [owner("big")], "ownerReferences",
         [{"apiVersion": "example.com/v1", "kind": "Mall", "name": "big", "uid": "u"}]),
    ],
)  # fmt: skip
def test_what_is_assigned_is_in_the_document(
    name: str, value: object, wire: str, written: object
) -> None:
    """In the names and forms of JSON."""
    shop = document()

    setattr(LiveMeta.of(shop), name, value)

    assert shop["metadata"][wire] == written
    assert getattr(LiveMeta.of(shop), name) == value


def test_what_becomes_empty_is_not_sent() -> None:
    """An empty list of finalizers is none, as in the metadata of a class."""
    shop = document(finalizers=["a/b"], labels={"a": "b"}, uid="u", deletionGracePeriodSeconds=3)
    metadata = LiveMeta.of(shop)

    metadata.finalizers.remove("a/b")
    metadata.labels = {}
    metadata.uid = ""
    metadata.deletion_grace_period_seconds = None

    assert shop["metadata"] == {"name": "corner", "unheardOf": 1}


def test_a_collection_that_was_assigned_is_live_too() -> None:
    """Whoever replaces the labels goes on to add some."""
    shop = document()
    metadata = LiveMeta.of(shop)

    metadata.labels = {"a": "b"}
    metadata.labels["c"] = "d"
    metadata.owner_references.append(owner("big"))

    assert shop["metadata"]["labels"] == {"a": "b", "c": "d"}
    assert [one["name"] for one in shop["metadata"]["ownerReferences"]] == ["big"]


def test_metadata_that_is_not_there_comes_with_its_first_field() -> None:
    """An object that is about to be created may have none."""
    shop: dict[str, Any] = {"kind": "Shop", "metadata": None}

    LiveMeta.of(shop).labels["a"] = "b"

    assert shop["metadata"] == {"labels": {"a": "b"}}


@pytest.mark.parametrize(
    "twin", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))]
)  # fmt: skip
def test_a_copy_is_a_value_of_its_own(twin: Callable[[ObjectMeta], ObjectMeta]) -> None:
    """Who keeps a copy and changes it must not change the object."""
    shop = document(labels={"a": "b"})
    metadata = LiveMeta.of(shop)

    copied = twin(metadata)
    copied.labels["c"] = "d"
    copied.name = "other"

    assert type(copied) is ObjectMeta
    assert shop["metadata"] == {"name": "corner", "unheardOf": 1, "labels": {"a": "b"}}


def test_it_equals_metadata_that_says_the_same() -> None:
    """Whichever of them it is."""
    metadata = LiveMeta.of(document(labels={"a": "b"}))
    same = ObjectMeta(name="corner", labels={"a": "b"})

    assert metadata == same
    assert same == metadata
    assert metadata != ObjectMeta(name="corner")
    assert metadata != "corner"
