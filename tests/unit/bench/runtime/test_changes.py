"""When a stream of changes is over."""

from bench.runtime.changes import Changes


def test_it_is_over_when_all_were_seen_and_the_queue_is_empty() -> None:
    """A queue may make one reconcile of several changes, so reconciles are not counted."""
    changes = Changes(3)
    changes.reconciled(0)  # of the first list
    for _ in range(3):
        changes.seen()

    assert not changes.reconciled(1)
    assert changes.reconciled(0)
    assert changes.result()["reconciles"] == 2 / 3


def test_an_empty_queue_before_the_last_change_is_not_the_end() -> None:
    """The reader may be slower than the reconciler."""
    changes = Changes(2)
    changes.seen()

    assert not changes.reconciled(0)
