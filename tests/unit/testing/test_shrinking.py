"""An object that shows a fault becomes smaller, as long as it shows it."""

from copy import deepcopy
from typing import Any

from kubewright.testing.shrinking import Document, shrunk

SHOP: Document = {
    "kind": "Shop",
    "spec": {
        "size": 1,
        "shelves": [{"name": "a", "depth": 1}, {"name": "b", "depth": 2}, {"name": "c"}],
        "tags": {"door": "blue", "wall": "white"},
    },
}


def depths(document: Document) -> list[Any]:
    """Return the depths of all shelves."""
    return [one.get("depth") for one in document.get("spec", {}).get("shelves", [])]


def test_members_and_items_that_do_not_matter_are_left_out() -> None:
    """What is left is what the author has to look at."""
    found = shrunk(SHOP, lambda smaller: 2 in depths(smaller))

    assert found == {"spec": {"shelves": [{"depth": 2}]}}


def test_what_is_needed_together_stays_together() -> None:
    """Some faults show only when two fields meet."""
    found = shrunk(SHOP, lambda smaller: {1, 2} <= set(depths(smaller)))

    assert found == {"spec": {"shelves": [{"depth": 1}, {"depth": 2}]}}


def test_of_what_shows_itself_in_nothing_nothing_is_left() -> None:
    """A function that always raises needs no fields at all."""
    assert shrunk(SHOP, lambda _: True) == {}


def test_an_object_in_which_everything_matters_stays_as_it_is() -> None:
    """It is shown as it was found."""
    assert shrunk(SHOP, lambda _: False) == SHOP


def test_the_object_that_was_given_is_not_changed() -> None:
    """Its owner may want to convert it again."""
    given = deepcopy(SHOP)

    shrunk(given, lambda smaller: 2 in depths(smaller))

    assert given == SHOP


def test_large_parts_are_tried_before_small_ones() -> None:
    """One try for a whole list is cheaper than one for each of its items."""
    tried: list[Document] = []

    def note(smaller: Document) -> bool:
        tried.append(smaller)
        return False

    shrunk({"a": {"b": [1]}, "c": 2}, note)

    assert tried == [{"c": 2}, {"a": {"b": [1]}}, {"a": {}, "c": 2}, {"a": {"b": []}, "c": 2}]


def test_after_many_tries_what_was_found_until_then_is_good_enough() -> None:
    """A huge object must not turn a failure into a test that does not end."""
    tries = 0

    def counted(smaller: Document) -> bool:
        nonlocal tries
        tries += 1
        return "items" in smaller

    found = shrunk({"items": list(range(2500))}, counted)

    assert tries == 2000
    assert 0 < len(found["items"]) < 2500
