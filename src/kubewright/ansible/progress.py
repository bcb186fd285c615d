"""`Progress`: what is known about a run from its events."""

from typing import Any

from kubewright.ansible.execution.process import Event
from kubewright.ansible.settings import LogEvents
from kubewright.api.times import parse_duration
from kubewright.log import Logger

__all__ = ["Progress"]

_FAILED = frozenset({"runner_on_failed", "runner_on_unreachable"})
_ENDED = frozenset({"runner_on_ok", "runner_on_skipped", *_FAILED})
_MANY = "One or more items failed"


class Progress:
    """Hears the events of one run, logs them, and remembers what matters in the end.

    Args:
        log: Where lines go.
        events: Which events are logged.
    """

    def __init__(self, log: Logger, events: LogEvents) -> None:
        self._log = log
        self._events = events
        self._failures: list[str] = []
        self._created = ""
        self.task: str = ""
        """The task that the run is at."""
        self.stats: dict[str, int] | None = None
        """How often what happened; ``None`` if it has not come to an end."""
        self.requeue_after: float | None = None
        """After how many seconds the role wants to run again."""

    def hear(self, event: Event) -> None:
        """Take note of *event*."""
        self._created = event.created or self._created
        if event.stats is not None:
            self.stats = event.stats
        if event.event == "playbook_on_task_start":
            self.task = event.task
            self._tell_task(event)
        elif event.event in _FAILED and not event.ignored:
            self._failures.append(_message(event))
            self._log.error("task failed", task=event.task, error=_message(event))
        elif event.event == "runner_on_ok" and event.action.rpartition(".")[2] == "requeue_after":
            self._note_requeue(event)
        if event.event in _ENDED and self._events == "everything":
            self._log.info(
                "task ended", task=event.task, result=event.event.removeprefix("runner_on_")
            )

    def _tell_task(self, event: Event) -> None:
        if self._events == "nothing":
            return
        role = {"role": event.role} if event.role else {}
        self._log.info("task", task=event.task, **role)

    def _note_requeue(self, event: Event) -> None:
        try:
            seconds = parse_duration(str(event.result.get("period", ""))).total_seconds()
        except ValueError:
            return  # the module has refused it
        before = self.requeue_after
        self.requeue_after = seconds if before is None else min(before, seconds)

    @property
    def failures(self) -> list[str]:
        """What the tasks said that have failed, and that no other task has rescued."""
        rescued = (self.stats or {}).get("rescued", 0)
        return self._failures[rescued:] or self._failures

    @property
    def has_failed(self) -> bool:
        """Whether a host has failed, or was not reached."""
        stats = self.stats or {}
        return bool(stats.get("failures") or stats.get("dark"))

    @property
    def result(self) -> dict[str, Any] | None:
        """The counts, as operator-sdk shows them in conditions."""
        if self.stats is None:
            return None
        stats = self.stats
        return {
            "ok": stats["ok"],
            "changed": stats["changed"],
            "skipped": stats["skipped"],
            "failures": stats["failures"],
            "completion": self._created,
        }


def _message(event: Event) -> str:
    result = event.result
    text = str(result.get("msg") or result.get("censored") or result.get("reason") or "")
    if result.get("failed_items") and (not text or text.startswith(_MANY)):
        text = "; ".join(str(one) for one in result["failed_items"])
    return text or f"the task {event.task!r} failed"
