"""Which events deserve a request: counted, combined and limited, without any I/O.

An operator in trouble says the same thing again and again, and Events live in the same etcd as
everything else. client-go's answer is kept here, number for number:

1. Ten different messages of one reason about one object become one event of combined messages.
2. A repeated occurrence is not a new event; the count of the first one grows.
3. One object gets 25 events at once and one more every five minutes; the rest is not sent.
"""

from collections import OrderedDict
from collections.abc import Hashable
from datetime import datetime
from typing import Generic, TypeAlias, TypeVar

import msgspec

from kubewright._aio import Fence
from kubewright.api.kind import ObjectKey
from kubewright.client.event_parts import Reference, shortened

V = TypeVar("V")
Key: TypeAlias = tuple[Hashable, ...]

COMBINE_FROM = 10
"""How many different messages it takes until they are combined."""
COMBINE_WITHIN = 600.0
"""Seconds without such an event after which the count of messages starts over."""
COMBINED_PREFIX = "(combined from similar events): "
BURST = 25
"""How many events one object may have at once."""
REFILL_AFTER = 300.0
"""Seconds after which it may have one more."""
REMEMBERED = 4096
"""How many objects, and how many events, are remembered; the ones used last stay."""


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to an object, as it was reported to the recorder."""

    key: ObjectKey
    """The name of the Event, if it becomes a new one."""
    regarding: Reference
    related: Reference | None = None
    type: str
    reason: str
    message: str
    action: str = ""
    time: datetime
    """The time of day, for people."""
    at: float
    """The same moment on a clock that is never set back, for measuring."""
    fence: Fence | None = None
    """The fence of the code that reported it, not of the task that sends it."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What the server should know after an occurrence: a new Event, or a count that has grown."""

    key: ObjectKey
    occurrence: Occurrence
    message: str
    count: int
    first: datetime

    @property
    def is_new(self) -> bool:
        """Whether there is no such Event yet, as far as we know."""
        return self.count == 1


class Correlator:
    """Turns occurrences into requests; it needs no clock, since each occurrence has its time."""

    def __init__(self) -> None:
        self._messages: _Recent[_Messages] = _Recent(REMEMBERED)
        self._seen: _Recent[Observation] = _Recent(REMEMBERED)
        self._allowances: _Recent[_Allowance] = _Recent(REMEMBERED)

    def observe(self, occurrence: Occurrence) -> Observation | None:
        """Return the request for *occurrence*, or ``None`` if its object has had too many."""
        observation = self._counted(*self._combined(occurrence), occurrence)
        # Last, so that an event that is not sent is still counted, and the next one shows it.
        return observation if self._allowed(occurrence) else None

    def _combined(self, occurrence: Occurrence) -> tuple[Key, str]:
        """Return what counts as the same event as *occurrence*, and the message to show."""
        alike = (*occurrence.regarding.identity, occurrence.type, occurrence.reason)
        known = self._messages.find(alike)
        if known is None or occurrence.at - known.at > COMBINE_WITHIN:
            known = self._messages.put(alike, _Messages(occurrence.at, set()))
        known.at = occurrence.at
        if not known.has_room_for(occurrence.message):
            return alike, shortened(COMBINED_PREFIX + occurrence.message)
        known.texts.add(occurrence.message)
        return _identical(occurrence, alike), occurrence.message

    def _counted(self, same: Key, message: str, occurrence: Occurrence) -> Observation:
        before = self._seen.find(same)
        return self._seen.put(
            same,
            Observation(
                key=before.key if before else occurrence.key,
                occurrence=occurrence,
                message=message,
                count=before.count + 1 if before else 1,
                first=before.first if before else occurrence.time,
            ),
        )

    def _allowed(self, occurrence: Occurrence) -> bool:
        who = occurrence.regarding.identity
        allowance = self._allowances.find(who)
        if allowance is None:
            allowance = self._allowances.put(who, _Allowance(float(BURST), occurrence.at))
        return allowance.take(occurrence.at)


def _identical(occurrence: Occurrence, alike: Key) -> Key:
    related = occurrence.related.identity if occurrence.related else ()
    where = occurrence.regarding.field_path
    return (*alike, where, occurrence.action, related, occurrence.message)


class _Messages(msgspec.Struct):
    """The different messages of one reason about one object, and when the last one came."""

    at: float
    texts: set[str]

    def has_room_for(self, message: str) -> bool:
        """Tell whether *message* gets its own Event: the first nine messages do."""
        return message in self.texts or len(self.texts) < COMBINE_FROM - 1


class _Allowance(msgspec.Struct):
    """How many more events one object may have, and since when."""

    left: float
    at: float

    def take(self, at: float) -> bool:
        self.left = min(float(BURST), self.left + max(0.0, at - self.at) / REFILL_AFTER)
        self.at = at
        if self.left < 1:
            return False
        self.left -= 1
        return True


class _Recent(Generic[V]):
    """A dict of bounded size that drops its least recently used entry."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Key, V] = OrderedDict()

    def find(self, key: Key) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: Key, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._size:
            self._values.popitem(last=False)
        return value
