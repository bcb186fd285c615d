import pydoc
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.cache.entry import Event
from kubewright.controller import (
    PRIMARY,
    Predicate,
    annotations_changed,
    content_changed,
    created,
    deleted,
    deletion_changed,
    finalizers_changed,
    generation_changed,
    labels_changed,
    matches,
    owners_changed,
    predicate,
    resource_version_changed,
    updated,
)
from tests.unit.controller.world import Shop, changed, entry

OWNER = kw.OwnerReference(api_version="v1", kind="Node", name="n", uid="u")
CHANGES: list[tuple[Predicate[Any], dict[str, Any]]] = [
    (generation_changed, {"generation": 2}),
    (resource_version_changed, {}),
    (labels_changed, {"labels": {"a": "b"}}),
    (annotations_changed, {"annotations": {"a": "b"}}),
    (finalizers_changed, {"finalizers": ["a/b"]}),
    (deletion_changed, {"deleting": True}),
    (owners_changed, {"owners": (OWNER,)}),
]
BY_NAME = pytest.mark.parametrize(("test", "change"), CHANGES, ids=lambda one: str(one)[:30])


def size_of(shop: Shop) -> dict[str, int]:
    """Return what matters of a shop."""
    return {"size": shop.spec.size}


@BY_NAME
def test_what_it_is_named_after_is_let_through(
    test: Predicate[Any], change: dict[str, Any]
) -> None:
    """Each predicate sees the change that it is about."""
    assert test(changed(entry(), entry(version="2", **change)))


@BY_NAME
def test_other_changes_are_not(test: Predicate[Any], change: dict[str, Any]) -> None:
    """A predicate that lets everything through spares nothing."""
    others = [one for _, one in CHANGES if one != change and one]

    let_through = [one for one in others if test(changed(entry(), entry(version="1", **one)))]

    assert let_through == []


@BY_NAME
def test_creation_deletion_and_replacement_are_let_through(
    test: Predicate[Any], change: dict[str, Any]
) -> None:
    """An object that was deleted and made again under its name has all the same fields."""
    assert test(Event(None, entry()))
    assert test(Event(entry(), None))
    assert test(changed(entry(uid="one"), entry(uid="two")))


@pytest.mark.parametrize(
    "change",
    [
        {"generation": 2},
        {"labels": {"a": "b"}},
        {"annotations": {"a": "b"}},
        {"finalizers": ["a/b"]},
        {"deleting": True},
    ],
)
def test_primary_lets_through_what_people_change(change: dict[str, Any]) -> None:
    """Whoever edits an object expects its controller to look."""
    assert PRIMARY(changed(entry(), entry(version="2", **change)))


def test_primary_holds_back_a_change_of_the_status() -> None:
    """Otherwise each reconcile that writes a status would cause the next."""
    assert not PRIMARY(changed(entry(), entry(version="2")))


def test_kinds_without_generations_let_every_change_through() -> None:
    """A ConfigMap counts none; its data would be missed."""
    event = changed(entry(generation=0), entry(generation=0, version="2"))

    assert PRIMARY(event)
    assert generation_changed(event)


def test_predicates_combine() -> None:
    """Two simple ones say what a third would have to be written for."""
    event = changed(entry(), entry(generation=2))

    assert (generation_changed | labels_changed)(event)
    assert not (generation_changed & labels_changed)(event)
    assert (generation_changed & ~labels_changed)(event)


def test_plain_functions_combine_and_names_tell_what_was_combined() -> None:
    """A log line that shows a predicate has to be readable."""

    @predicate
    def large(event: Event[Shop]) -> bool:
        return event.entry.object.spec.size > 5

    def even(event: Event[Shop]) -> bool:
        return event.entry.object.spec.size % 2 == 0

    both = large & even

    assert both(Event(None, entry(size=6)))
    assert not both(Event(None, entry(size=7)))
    assert repr(~both | created) == "(~(large & even) | created)"


def test_what_is_no_function_is_refused() -> None:
    """The mistake shows where it is made, not with the first event."""
    nothing: Any = None

    with pytest.raises(TypeError, match="a function of an event, not None"):
        generation_changed & nothing


def test_created_updated_deleted_are_exclusive() -> None:
    """Each event is one of the three."""
    events = [Event(None, entry()), changed(entry(), entry(version="2")), Event(entry(), None)]

    told = [[bool(test(event)) for test in (created, updated, deleted)] for event in events]

    assert told == [[True, False, False], [False, True, False], [False, False, True]]


def test_matches_also_lets_through_what_matched_before() -> None:
    """Who loses a label must be heard of once more, or its traces stay."""
    web = matches({"tier": "web"})

    assert web(changed(entry(labels={"tier": "web"}), entry(labels={})))
    assert web(changed(entry(labels={}), entry(labels={"tier": "web"})))
    assert not web(Event(None, entry(labels={"tier": "db"})))


def test_content_is_compared_with_what_was_let_through_before() -> None:
    """Changes that do not touch it are spared, also across a first list."""
    size = content_changed(size_of, clock=VirtualClock())

    told = [
        size(Event(None, entry(size=1))),
        size(changed(entry(size=1), entry(size=1, version="2"))),
        size(changed(entry(size=1), entry(size=2, version="3"))),
        size(Event(None, entry(size=2))),
    ]

    assert told == [True, False, True, False]


async def test_content_counts_again_after_its_time() -> None:
    """Nothing may be held back for ever because of a hash."""
    clock = VirtualClock()
    size = content_changed(size_of, ttl=60.0, clock=clock)
    size(Event(None, entry()))

    await clock.advance(59)
    before = size(Event(None, entry()))
    await clock.advance(1)

    assert not before
    assert size(Event(None, entry()))


def test_content_of_what_was_deleted_is_forgotten() -> None:
    """Hashes of objects that are gone would fill the memory."""
    size = content_changed(size_of, clock=VirtualClock())
    size(Event(None, entry()))

    assert size(Event(entry(), None))
    assert size(Event(None, entry()))


def test_a_ttl_of_nothing_is_refused() -> None:
    """It would let everything through; whoever wants that leaves the predicate out."""
    with pytest.raises(ValueError, match="more than 0 seconds"):
        content_changed(lambda shop: shop, ttl=0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: created and deleted,  # type: ignore[redundant-expr]  # mypy sees it, too
        lambda: created or deleted,  # type: ignore[redundant-expr]  # as above
        lambda: not created,
    ],
)
def test_pythons_own_words_do_not_combine_predicates(wrong: Any) -> None:
    """``a and b`` would be b alone, without a word."""
    with pytest.raises(TypeError, match=r"the predicate created .*combine predicates with & \| ~"):
        wrong()


@pytest.mark.parametrize("test", [*(test for test, _ in CHANGES), created, updated, deleted])
def test_help_tells_what_each_one_does(test: Predicate[Any]) -> None:
    """They are objects, and Python would show the class of all of them."""
    text = pydoc.plain(pydoc.render_doc(test))

    assert test.__doc__ != Predicate.__doc__
    assert (test.__doc__ or "").startswith("Let ")
    assert str(test.__doc__) in text


def test_what_is_made_of_others_is_shown_as_a_predicate() -> None:
    """A function without a docstring has nothing better to say."""
    assert (created & deleted).__doc__ == Predicate.__doc__
    assert "have certain labels" in str(matches("a=b").__doc__)
    assert "its content differs" in str(content_changed(size_of).__doc__)
