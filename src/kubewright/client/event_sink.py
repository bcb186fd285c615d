"""Where events go: ``v1`` Events, which every version of kubectl and every dashboard shows."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from kubewright.api.meta import ObjectMeta
from kubewright.client.event_correlator import Observation
from kubewright.client.event_parts import Reference
from kubewright.errors import NotFoundError
from kubewright.kinds.core.v1 import Event, EventSource, ObjectReference

if TYPE_CHECKING:
    from kubewright.client.client import Client


class Reporter(msgspec.Struct, frozen=True):
    """The reporter: the component, its process, and the node if that matters."""

    component: str
    instance: str
    host: str = ""


class EventSink(Protocol):
    """Writes a correlator's observations; another Events API would be another sink."""

    async def write(self, observation: Observation) -> None:
        """Make the server know *observation*; doing so twice must do no harm.

        Raises:
            KubewrightError: The server refused, or gave no answer.
        """
        ...


class CoreEventSink:
    """Writes Events of the core group: a create for a new one, then patches of its count."""

    def __init__(self, client: "Client", reporter: Reporter) -> None:
        self._client = client
        self._reporter = reporter

    async def write(self, observation: Observation) -> None:
        """Create the Event, or count it up; one that has expired meanwhile is created again."""
        if not observation.is_new:
            try:
                await self._count_up(observation)
            except NotFoundError:
                pass  # the server keeps Events for an hour; or the first one never arrived
            else:
                return
        await self._client.create(event_for(observation, self._reporter))

    async def _count_up(self, observation: Observation) -> None:
        patch = {
            "count": observation.count,
            "lastTimestamp": _seconds(observation.occurrence.time),
            "message": observation.message,
        }
        await self._client.patch(Event, observation.key, patch)


def event_for(observation: Observation, reporter: Reporter) -> "Event":
    """Return the whole Event that says *observation*."""
    happened = observation.occurrence
    return Event(
        metadata=ObjectMeta(namespace=observation.key.namespace, name=observation.key.name),
        involved_object=_reference(happened.regarding, ObjectReference),
        related=_reference(happened.related, ObjectReference) if happened.related else None,
        type=happened.type,
        reason=happened.reason,
        action=happened.action or None,
        message=observation.message,
        count=observation.count,
        first_timestamp=_seconds(observation.first),
        last_timestamp=_seconds(happened.time),
        source=EventSource(component=reporter.component, host=reporter.host or None),
        reporting_component=reporter.component,
        reporting_instance=reporter.instance,
    )


def _reference(to: Reference, kind: "Callable[..., ObjectReference]") -> "ObjectReference":
    said: dict[str, Any] = {
        name: value or None for name, value in msgspec.structs.asdict(to).items()
    }
    return kind(**said)


def _seconds(time: datetime) -> datetime:
    return time.replace(microsecond=0)  # as Go writes metav1.Time
