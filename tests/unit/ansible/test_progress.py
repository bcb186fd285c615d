"""What is known about a run from its events."""

import logging

import pytest

from kubewright.ansible.execution.process import Event
from kubewright.ansible.progress import Progress
from kubewright.ansible.settings import LogEvents
from kubewright.log import get_logger

STATS = {"ok": 2, "changed": 1, "skipped": 0, "failures": 1, "dark": 0, "rescued": 1}


def progress(events: LogEvents = "nothing") -> Progress:
    """Return one that has heard nothing yet."""
    return Progress(get_logger("kubewright.test"), events)


def failure(message: str, **more: object) -> Event:
    """Return the event of a task that has failed."""
    return Event("runner_on_failed", "now", "t", result={"msg": message, **more})


def test_rescued_and_ignored_failures_do_not_count() -> None:
    """What was rescued came before what ended the play."""
    found = progress()
    found.hear(failure("rescued"))
    found.hear(Event("runner_on_failed", task="t", ignored=True, result={"msg": "ignored"}))
    found.hear(failure("fatal"))
    found.hear(Event("playbook_on_stats", "end", stats=STATS))

    assert found.failures == ["fatal"]
    assert found.has_failed
    assert found.result == {
        "ok": 2, "changed": 1, "skipped": 0, "failures": 1, "completion": "end",
    }  # fmt: skip


def test_messages_of_items_and_hidden_ones_are_told() -> None:
    """A loop says only that some item has failed."""
    found = progress()
    found.hear(failure("One or more items failed", failed_items=["no a", "no b"]))
    found.hear(Event("runner_on_failed", task="t", result={"censored": "hidden"}))
    found.hear(Event("runner_on_failed", task="t"))

    assert found.failures == ["no a; no b", "hidden", "the task 't' failed"]


def test_shortest_time_counts_if_there_are_several() -> None:
    """Two roles may ask for a run."""
    found = progress()
    for period in ("1h", "10s", "nonsense"):
        action = "operator_sdk.util.requeue_after"
        found.hear(Event("runner_on_ok", action=action, result={"period": period}))

    assert found.requeue_after == 10.0


@pytest.mark.parametrize(
    ("events", "wanted"),
    [("nothing", []), ("tasks", ["task"]), ("everything", ["task", "task ended"])],
)
def test_events_are_logged_as_asked(
    events: LogEvents, wanted: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A line for each task, for both ends of it, or none."""
    found = progress(events)
    with caplog.at_level(logging.INFO):
        found.hear(Event("playbook_on_task_start", task="sweep", role="stall"))
        found.hear(Event("runner_on_ok", task="sweep"))

    assert [record.message.partition(" task=")[0] for record in caplog.records] == wanted
    assert found.task == "sweep"
