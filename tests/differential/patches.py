"""Random patches."""

from typing import Any

from hypothesis import strategies as st

from tests.differential.known import PLAIN_MAPS
from tests.differential.values import ANYTHING, Strategy, mostly


def json_patches(pointers: list[str]) -> Strategy:
    """Return JSON patches about *pointers*; a test first, now and then."""
    path = st.sampled_from(pointers)
    valued = st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "add", "replace", "test"]), "path": path, "value": ANYTHING}
    )
    removed = st.fixed_dictionaries({"op": st.just("remove"), "path": path})
    moved = st.fixed_dictionaries(
        {"op": st.sampled_from(["move", "copy"]), "path": path, "from": path}
    )
    broken = st.sampled_from(
        [{"op": "wrong", "path": "/spec"}, {"op": "add"}, {"op": "add", "path": "spec", "value": 1}]
    )
    return st.lists(
        mostly(st.one_of(valued, removed, moved), broken, weight=20), min_size=1, max_size=3
    )


def merge_patches(documents: Strategy) -> Strategy:
    """Return merge patches like *documents* in which some fields are deleted."""
    return st.tuples(documents, st.lists(st.integers(0, 5), max_size=3)).map(
        lambda drawn: _deleted(drawn[0], drawn[1])
    )


def _deleted(document: Any, places: list[int]) -> Any:
    if not isinstance(document, dict):
        return document
    names = sorted(document)
    gone = {names[place] for place in places if place < len(names)}
    return {
        key: None if key in gone else _deleted(value, places[1:]) for key, value in document.items()
    }


def strategic_patches(documents: Strategy) -> Strategy:
    """Return merge patches in which some objects and lists carry directives."""
    places = st.lists(st.integers(0, 5), max_size=3)
    directives = st.sampled_from([None, None, "delete", "replace", "merge", "wrong"])
    return st.tuples(merge_patches(documents), places, directives).map(
        lambda drawn: _directed(drawn[0], drawn[1], drawn[2]) if drawn[2] else drawn[0]
    )


def _directed(document: Any, places: list[int], directive: str) -> Any:
    """Put *directive* where the path of *places* ends."""
    if isinstance(document, dict) and document:
        if not places:
            return {**document, "$patch": directive}
        name = sorted(document)[places[0] % len(document)]
        if name in PLAIN_MAPS:
            return document
        return {**document, name: _directed(document[name], places[1:], directive)}
    if isinstance(document, list) and document and places[1:]:
        index = places[0] % len(document)
        changed = _directed(document[index], places[1:], directive)
        return [*document[:index], changed, *document[index + 1 :]]
    return document
