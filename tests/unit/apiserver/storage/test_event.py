"""Stored objects and their changes."""

from kubewright.apiserver.storage.event import Event, Stored

DATA = b'{"metadata":{"labels":{"a":"1"}},"spec":{"x":[1]}}'


def test_a_stored_object_gives_private_copies_and_its_labels() -> None:
    """What a reader does with a copy does not reach the store."""
    stored = Stored("k", DATA, 7)

    stored.decode()["spec"]["x"].append(2)

    assert stored.decode()["spec"] == {"x": [1]}
    assert stored.labels() == {"a": "1"}
    assert Stored("k", b"{}", 1).labels() == Stored("k", b'{"metadata":{}}', 1).labels() == {}


def test_an_event_costs_what_only_the_history_holds() -> None:
    """The present state is not counted: it would be there anyway."""
    old, new = Stored("k", b"x" * 100, 1), Stored("k", b"x" * 1000, 2)

    added, changed = Event("ADDED", new, None, 0.0), Event("MODIFIED", new, old, 0.0)
    gone = Event("DELETED", new, old, 0.0)

    assert changed.cost - added.cost == 100
    assert gone.cost - changed.cost == 1000
    assert (gone.revision, gone.memo) == (2, {})
