"""Objects by a value."""

import logging
from collections.abc import Iterable
from typing import Any

import pytest

from kubewright.cache.index import Index, OwnerIndex
from tests.unit.cache.objects import entry, key, owner


def by_tags(obj: dict[str, Any]) -> Iterable[str]:
    tags: Iterable[str] = obj["tags"]
    return tags


def test_an_object_is_found_under_each_of_its_values() -> None:
    """And under the new ones once they change; the old ones are forgotten."""
    index: Index[dict[str, Any]] = Index("tags", by_tags)

    index.change(key("a"), {"tags": ["red", "blue", "red"]})
    index.change(key("b"), {"tags": ["red"]})
    index.change(key("a"), {"tags": ["green"]})

    assert list(index.keys("red")) == [key("b")]
    assert list(index.keys("green")) == [key("a")]
    assert sorted(index.values()) == ["green", "red"]


def test_an_object_that_is_gone_is_found_no_more() -> None:
    """Whatever the function would say of it now."""
    index: Index[dict[str, Any]] = Index("tags", by_tags)
    index.change(key("a"), {"tags": ["red"]})

    index.change(key("a"), None)

    assert not index.keys("red")
    assert index.values() == []


@pytest.mark.parametrize("count", [1, 8, 9, 50])
def test_few_and_many_under_one_value_behave_alike(count: int) -> None:
    """They are kept in different ways, to save memory; nobody may notice."""
    index: Index[dict[str, Any]] = Index("tags", by_tags)
    names = [f"n{number}" for number in range(count)]

    for name in names * 2:
        index.change(key(name), {"tags": ["red"]})
    found = list(index.keys("red"))
    for name in names[1:]:
        index.change(key(name), None)

    assert found == [key(name) for name in names]
    assert list(index.keys("red")) == [key("n0")]


@pytest.mark.parametrize("wrong", [{}, {"tags": 7}, {"tags": "red"}, {"tags": [["unhashable"]]}])
def test_an_object_for_which_the_function_fails_is_logged_and_left_out(
    wrong: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A text instead of a list of texts is such a failure, too: its letters are no values."""
    index: Index[dict[str, Any]] = Index("tags", by_tags)
    index.change(key("a"), {"tags": ["red"]})

    with caplog.at_level(logging.ERROR):
        index.change(key("a"), wrong)

    assert index.values() == []
    assert "index function failed" in caplog.text
    assert "'x/a'" in caplog.text


def test_owners_are_found_by_uid() -> None:
    """A name may be taken again by somebody else."""
    index: OwnerIndex[Any] = OwnerIndex()
    old, new = entry(ownerReferences=[owner("o"), owner("p")]), entry(ownerReferences=[owner("p")])

    index.change(None, old)
    index.change(old, new)

    assert list(index.keys("p")) == [key()]
    assert not index.keys("o")


def test_an_owner_of_nothing_takes_no_memory() -> None:
    """Owners come and go for as long as the process runs."""
    index: OwnerIndex[Any] = OwnerIndex()
    for number in range(20):
        one = entry(ownerReferences=[owner(f"o-{number}")])
        index.change(None, one)
        index.change(one, None)

    assert not index._buckets._keys
