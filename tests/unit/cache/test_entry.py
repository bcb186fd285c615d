"""Objects as the cache keeps them, and how they change."""

import gc

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Event
from kubewright.cache.packing import Packing
from tests.unit.cache.objects import entry, key, shop


def test_an_entry_gives_the_json_whether_it_is_packed_or_not() -> None:
    """Readers need not know how it is kept."""
    codec = Codec(Unstructured.read, packing=Packing(compress=True))
    raws = [shop(f"n{number}", spec={"a": [1] * 99}) for number in range(40)]
    first, *_, last = (codec.entry(raw) for raw in raws)

    assert (bool(first.packing), bool(last.packing)) == (False, True)
    assert (first.raw, last.raw) == (raws[0], raws[-1])
    assert last.object == Unstructured.read(raws[-1])


def test_an_entry_cannot_be_changed() -> None:
    """Handlers, readers and indexes hold the same one."""
    with pytest.raises(AttributeError):
        entry().uid = "other"  # type: ignore[misc]  # that it is refused is the point


@pytest.mark.parametrize(
    ("old", "new", "type_", "version"),
    [(None, 2, "ADDED", "2"), (1, 2, "MODIFIED", "2"), (1, None, "DELETED", "1")],
)
def test_an_event_is_named_as_in_a_watch(
    old: int | None, new: int | None, type_: str, version: str
) -> None:
    """And has the newest state that there is, of one that is gone the last."""
    event = Event(
        None if old is None else entry("a", old), None if new is None else entry("a", new)
    )

    assert event.type == type_
    assert event.entry.resource_version == version
    assert event.key == key("a")


def test_entries_are_not_tracked_by_the_garbage_collector() -> None:
    """It would walk a large cache over and over, for more than all else costs."""
    assert not gc.is_tracked(entry())
    assert not gc.is_tracked(Event(entry(), None))
