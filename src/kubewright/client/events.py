"""Events: short notes about an object that ``kubectl describe`` shows under it."""

import asyncio
import random
import socket
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, Self, TypeAlias
from zlib import crc32

from kubewright._aio import FENCE, Clock, TaskSet, fenced
from kubewright.api.kind import ObjectKey
from kubewright.api.names import check_label_key
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.client.event_correlator import (
    Correlator,
    Observation,
    Occurrence,
)
from kubewright.client.event_parts import (
    LONGEST_WORD,
    check_length,
    check_words,
    event_name,
    reference_to,
    shortened,
)
from kubewright.client.event_sink import CoreEventSink, EventSink, Reporter
from kubewright.errors import (
    AlreadyExistsError,
    APIError,
    ConflictError,
    KubewrightError,
    LifecycleError,
    NotLeadingError,
)
from kubewright.log import get_logger

if TYPE_CHECKING:
    from kubewright.client.client import Client

_log = get_logger(__name__)

EventType: TypeAlias = Literal["Normal", "Warning"]

QUEUE_SIZE = 1000
TRIES = 12
RETRY_AFTER = 10.0
"""Seconds between two tries; the first wait is a random part of it, lest all clients come back
at the same moment after the server was away."""
TRY_FOR = 30.0
"""Seconds after which a try without an answer has failed."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = 10**6  # in nanoseconds


class EventRecorder:
    """Tells users of the cluster what happened to an object, without blocking the caller.

    `event` only queues it; nothing is sent before the recorder runs, in ``async with
    EventRecorder(...)`` or as `run`. Identical events are counted, many similar ones are combined,
    and an object that has too many gets no more, as in client-go. An event that cannot be delivered
    is logged and forgotten: events are hints to people, never state to rely on.

    Call all methods in the thread of the event loop.

    Args:
        client: Where the objects are.
        component: The reporting program, such as ``"shop-operator"``.
        instance: The process; by default made from the component and the host name.
        host: The node that the events come from, for a component that runs on each node.
        drain_for: Seconds that `stop` may take to deliver the remaining events.
        clock: The source of time.

    Example:
        >>> async with EventRecorder(client, "shop-operator") as recorder:  # doctest: +SKIP
        ...     recorder.event(shop, reason="Opened", message="the shop is open")
    """

    def __init__(
        self,
        client: "Client",
        component: str,
        *,
        instance: str | None = None,
        host: str = "",
        drain_for: float = 5.0,
        clock: Clock | None = None,
    ) -> None:
        check_label_key(component)
        if instance is None:
            instance = f"{component}-{socket.gethostname()}"[:LONGEST_WORD]
        check_length("instance", instance, at_least=1)
        self.dropped: int = 0
        """How many events were never sent: the queue was full, or the recorder had stopped."""
        self._home = client.namespace
        self._sink: EventSink = CoreEventSink(client, Reporter(component, instance, host))
        self._drain_for = drain_for
        self._clock = clock or Clock()
        self._correlator = Correlator()
        self._queue: deque[Occurrence] = deque()
        self._arrived = asyncio.Event()
        self._in_hand: Observation | None = None
        self._open_until = self._clock.timeout(None)
        self._phase: Literal["new", "running", "stopped"] = "new"
        self._stopping = False
        self._tasks = TaskSet()
        self._refusals: set[tuple[str, str]] = set()
        self._last_stamp = 0
        self._part = crc32(f"{component}/{host}".encode()) % _MILLISECOND

    def event(  # noqa: PLR0913  # an Event has that many parts
        self,
        obj: Resource | Unstructured,
        *,
        reason: str,
        message: str,
        type: EventType = "Normal",  # noqa: A002  # the word of the API
        action: str = "",
        related: Resource | Unstructured | None = None,
        field_path: str = "",
    ) -> None:
        """Queue an event about *obj*; it is sent later, if at all.

        Args:
            obj: The object, as it was read from the server.
            reason: Why, as one word for programs, such as ``"ScalingFailed"``.
            message: What happened, for people; longer ones are cut at 1024 bytes.
            type: ``"Warning"`` if someone should look.
            action: What the component did about it, as one word.
            related: A second object that is involved.
            field_path: The part of *obj* that it is about, such as ``spec.containers{web}``.

        Raises:
            ValueError: The arguments are wrong: an unknown type, an invalid reason, or an object
                without a name. Errors of the server are never raised.
        """
        check_words(type, reason, action)
        regarding = reference_to(obj, home=self._home, field_path=field_path)
        namespace = regarding.namespace or "default"
        occurrence = Occurrence(
            key=ObjectKey(namespace, self._name(regarding.name)),
            regarding=regarding,
            related=None if related is None else reference_to(related, home=self._home),
            type=type,
            reason=reason,
            message=shortened(message),
            action=action,
            time=self._clock.now(),
            at=self._clock.monotonic(),
            fence=FENCE.get(),
        )
        if len(self._queue) >= QUEUE_SIZE or self._phase == "stopped":
            self._drop(1)
            return
        self._queue.append(occurrence)
        self._arrived.set()

    async def run(self) -> None:
        """Deliver events until `stop` or cancellation, and then the rest, in bounded time.

        Raises:
            LifecycleError: It was started before.
        """
        if self._phase != "new":
            raise LifecycleError("an event recorder runs once: make a new one to start again")
        self._phase = "running"
        try:
            with suppress(TimeoutError):  # that is how `stop` ends the block
                async with self._open_until:
                    if not self._stopping:
                        await self._deliver_all()
        finally:
            self._phase = "stopped"
            await self._drain()

    def stop(self) -> None:
        """Let `run` deliver the remaining events and return; later events are dropped."""
        self._stopping = True
        self._open_until.expire()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._tasks.start(self.run(), name="event recorder")
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.stop()
        try:
            await self._tasks.wait()
        finally:
            # Do not pass an error of the block on: it would come out wrapped in a group.
            await self._tasks.__aexit__(None, None, None)

    async def _deliver_all(self) -> None:
        while True:
            while (observation := self._take()) is not None:
                await self._deliver(observation)
                self._in_hand = None
            self._arrived.clear()
            await self._arrived.wait()

    def _take(self) -> Observation | None:
        """Return the next observation; it is kept until it is sent, or a stop would lose it."""
        while self._in_hand is None and self._queue:
            self._in_hand = self._correlator.observe(self._queue.popleft())
        return self._in_hand

    async def _deliver(self, observation: Observation) -> None:
        for attempt in range(1, TRIES):
            if await self._try(observation):
                return
            share = random.random() if attempt == 1 else 1.0  # noqa: S311  # no secret
            await self._clock.sleep(RETRY_AFTER * share)
        if not await self._try(observation):
            _log.warning("event given up", attempt=TRIES, **_fields(observation))

    async def _try(self, observation: Observation) -> bool:
        """Send *observation*; return whether it is done, sent or given up."""
        try:
            with fenced(observation.occurrence.fence):
                async with self._clock.timeout(TRY_FOR):
                    await self._sink.write(observation)
        except AlreadyExistsError:
            return True  # an earlier try arrived, and only its answer was lost
        except ConflictError as error:
            return self._failed(observation, error)
        except APIError as error:
            self._handle_refusal(observation, error)
        except NotLeadingError:
            self._drop(1)  # the next leader will report it
        except (KubewrightError, TimeoutError) as error:
            return self._failed(observation, error)
        except Exception as error:  # noqa: BLE001  # one bad event must not end all the others
            _log.error("event failed", error=repr(error), **_fields(observation))
        return True

    def _failed(self, observation: Observation, error: Exception) -> bool:
        _log.debug("event not delivered yet", error=str(error), **_fields(observation))
        return False

    def _handle_refusal(self, observation: Observation, error: APIError) -> None:
        # A missing permission or namespace refuses every event; one line says it all.
        about = (type(error).__name__, observation.key.namespace)
        if about in self._refusals or _is_ending(error):
            _log.debug("event refused", error=str(error), **_fields(observation))
            return
        if len(self._refusals) < QUEUE_SIZE:
            self._refusals.add(about)
        _log.warning("event refused", error=str(error), **_fields(observation))

    async def _drain(self) -> None:
        try:
            with suppress(TimeoutError):
                async with self._clock.timeout(self._drain_for):
                    # No second try: a server that does not answer now will not before we are gone.
                    while (left := self._take()) is not None and await self._try(left):
                        self._in_hand = None
        finally:
            if lost := len(self._queue) + (self._in_hand is not None):
                self._queue.clear()
                self._in_hand = None
                self._drop(lost)

    def _drop(self, count: int) -> None:
        before, self.dropped = self.dropped, self.dropped + count
        # At 1, 2, 4, 8, …: a queue that stays full must not fill the log instead.
        if before.bit_length() != self.dropped.bit_length():
            _log.warning("events dropped", dropped=self.dropped)

    def _name(self, subject: str) -> str:
        """Return a unique name for an Event, even if the clock stands still.

        Other components report at the same moment about objects of the same name, such as a CronJob
        and its owner: each uses its own fraction of a millisecond.
        """
        nanoseconds = (self._clock.now() - _EPOCH) // timedelta(microseconds=1) * 1000
        self._last_stamp = max(self._last_stamp + _MILLISECOND, nanoseconds)
        return event_name(subject, self._last_stamp + self._part)


def _is_ending(error: APIError) -> bool:
    """Tell whether the namespace is being deleted: nobody would read the event."""
    details = error.status.details
    causes = (details.causes if details else None) or ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)


def _fields(observation: Observation) -> dict[str, str]:
    regarding = observation.occurrence.regarding
    return {
        "kind": regarding.kind,
        "namespace": regarding.namespace,
        "name": regarding.name,
        "reason": observation.occurrence.reason,
    }
