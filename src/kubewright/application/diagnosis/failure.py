"""`Failure`: the last failure of an object, as the events of the operator tell it."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from kubewright.api.kind import RESTMapping
from kubewright.api.kind_reference import likely_mapping
from kubewright.application.application import Application
from kubewright.application.diagnosis.finding import named
from kubewright.application.diagnosis.refusal import refusal_in
from kubewright.kinds.core.v1 import Event

__all__ = ["REASON", "Failure", "failures_in", "reconciled_kinds"]

REASON: str = "ReconcileFailed"
"""The reason of the event that the operator records for a failed reconcile."""
_LATELY = timedelta(hours=1)
_LONGEST_BACKOFF = timedelta(seconds=1000)
_SLACK = timedelta(seconds=15)  # for the run itself
_COMBINED = "(combined from similar events): "


class Failure(NamedTuple):
    """The last failure of an object, as its events tell it.

    Attributes:
        mapping: The kind of the object.
        api_version: The version in which it was reconciled.
        namespace: The namespace of the object.
        name: Its name.
        uid: Which of that name.
        message: Why it failed.
        first: When it failed first.
        last: When it failed last.
    """

    mapping: RESTMapping
    api_version: str
    namespace: str
    name: str
    uid: str
    message: str
    first: datetime
    last: datetime

    @property
    def resource(self) -> str:
        """Its kind in the words of kubectl."""
        group = self.mapping.group
        return f"{self.mapping.plural}.{group}" if group else self.mapping.plural

    @property
    def subject(self) -> str:
        """How findings name the object."""
        return named(self.resource, self.name, self.namespace)

    @property
    def alike(self) -> tuple[str, str]:
        """What it has in common with failures of other objects for the same cause."""
        refusal = refusal_in(self.message)
        if refusal is not None:
            return self.resource, str(refusal._replace(namespace="", name=""))
        return self.resource, self.message.replace(self.name, "…").replace(self.namespace, "…")

    def is_due(self, now: datetime) -> bool:
        """Say whether a next try should have failed by now, too.

        The delay doubles with each failure, up to its limit: so each try comes about as long after
        the last one as that came after the first.
        """
        silence = min(self.last - self.first, _LONGEST_BACKOFF) * 1.2 + _SLACK
        return now - self.last > silence


def failures_in(events: Iterable[Event], operator: Application, now: datetime) -> Iterator[Failure]:
    """Yield the last failure of each object of the operator's own kinds, the newest first.

    Args:
        events: What was said.
        operator: Whose kinds count; what others say about them does not.
        now: The time by the server's clock.
    """
    kinds = {(one.group, one.kind): one for one in reconciled_kinds(operator)}
    found: dict[tuple[str, str, str], Failure] = {}
    for event in events:
        about = event.involved_object
        group = (about.api_version or "").rpartition("/")[0]
        mapping = kinds.get((group, about.kind or ""))
        if mapping is None or event.reason != REASON or not about.name:
            continue
        if _reporter(event) not in {"", operator.name}:
            continue
        failure = _failure(event, mapping, now)
        key = (failure.resource, failure.namespace, failure.name)
        known = found.get(key)
        found[key] = failure if known is None else _joined(known, failure)
    recent = (one for one in found.values() if now - one.last <= _LATELY)
    yield from sorted(recent, key=lambda one: one.last, reverse=True)


def reconciled_kinds(operator: Application) -> Iterator[RESTMapping]:
    """Yield the kind of each reconciler of *operator*; those of other clusters are left out."""
    for one in operator.declarations:
        if one.for_ is not None and one.primary.cluster is None:
            yield likely_mapping(one.kind)


def _reporter(event: Event) -> str:
    source = event.source.component if event.source is not None else ""
    return source or event.reporting_component or ""


def _failure(event: Event, mapping: RESTMapping, now: datetime) -> Failure:
    about = event.involved_object
    last = event.last_timestamp or event.event_time or event.metadata.creation_timestamp or now
    return Failure(
        mapping,
        about.api_version or "",
        about.namespace or "",
        about.name or "",
        about.uid or "",
        (event.message or "it does not say why").strip().removeprefix(_COMBINED),
        event.first_timestamp or last,
        last,
    )


def _joined(one: Failure, other: Failure) -> Failure:
    """Return the later one, which began when the earlier one did if both are of one object."""
    earlier, later = sorted((one, other), key=lambda each: each.last)
    if earlier.uid != later.uid:
        return later
    return later._replace(first=min(earlier.first, later.first))
