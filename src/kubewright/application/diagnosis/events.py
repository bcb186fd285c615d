"""What went wrong lately, in the words of the cluster's own events."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from kubewright.application.diagnosis.finding import Finding, info, named
from kubewright.application.diagnosis.patient import Patient
from kubewright.kinds.core.v1 import Event

__all__ = ["judge", "look"]

_LATELY = timedelta(hours=1)
_MOST = 5
_LONGEST = 200
_NEWEST_LAST = "--field-selector type=Warning --sort-by .lastTimestamp"


class _Group(NamedTuple):
    kind: str
    reason: str
    message: str


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Report the most frequent warnings of the operator's namespace in the last hour."""
    place = patient.installation
    if place is None or not place.exists:
        return
    where = place.namespace
    found = patient.client.list(Event, namespace=where, fields={"type": "Warning"})
    events = [one async for one in found]
    for finding in judge(events, where, patient.now):
        yield finding


def judge(events: Iterable[Event], namespace: str, now: datetime) -> Iterator[Finding]:
    """Group events, and report the five most frequent as background for other findings."""
    counts: dict[_Group, int] = {}
    for one in events:
        if now - _time_of(one, now) > _LATELY:
            continue
        group = _Group(
            one.involved_object.kind or "", one.reason or "", (one.message or "").strip()[:_LONGEST]
        )
        counts[group] = counts.get(group, 0) + max(1, one.count or 1)
    top = sorted(counts.items(), key=lambda item: -item[1])[:_MOST]
    if not top:
        return
    lines = [f"  {count} x {group.kind}: {group.reason}: {group.message}" for group, count in top]
    yield info(
        named("namespace", namespace),
        "Warnings of the last hour:\n" + "\n".join(lines),
        mend=[f"kubectl get events --namespace {namespace} {_NEWEST_LAST}"],
        background=True,
    )


def _time_of(event: Event, now: datetime) -> datetime:
    return event.last_timestamp or event.event_time or event.metadata.creation_timestamp or now
