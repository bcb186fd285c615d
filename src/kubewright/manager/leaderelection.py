"""Leader election on a Lease: of many replicas one works, and the others are ready to."""

import os
import random
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from urllib.parse import urlsplit
from uuid import uuid4

from kubewright._aio import Clock, Fence, Timer, fenced
from kubewright.api.kind import ObjectKey
from kubewright.client.client import Client
from kubewright.client.events import EventRecorder
from kubewright.client.leases import LeaseLock
from kubewright.client.rest import RESTClient
from kubewright.errors import (
    ConfigError,
    KubewrightError,
    LeaderElectionLostError,
    LifecycleError,
    NotLeadingError,
    ServerError,
    TransportError,
)
from kubewright.log import get_logger
from kubewright.manager.alarm import Alarm
from kubewright.manager.elected import CHECK
from kubewright.metrics import Gauge
from kubewright.runnable import Problem

_log = get_logger(__name__)

JITTER: float = 1.2
"""Standbys ask at intervals of up to 1 + this times the retry period, so that they do not meet."""

_DRAIN_FOR = 0.5
"""Seconds that the last event may take: after losing the lease there is no time to lose."""
_RELEASES, _RELEASE_AGAIN = 3, 0.5  # how often to try to give it up, and seconds in between
_STATUS = Gauge(
    "leader_election_master_status",
    "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup,"
    " 1 indicates master. 'name' is the string used to identify the lease.",
    ("name",),
)


def process_identity() -> str:
    """Return a name that no other process has: ``<host>_<uuid>``, as controller-runtime's.

    The host is ``$HOSTNAME`` if that is set: in a pod it is the pod's name, also where pods are
    processes that share the name of the machine.
    """
    return f"{os.environ.get('HOSTNAME') or socket.gethostname()}_{uuid4()}"


@dataclass(frozen=True, slots=True)
class LeaderElection:
    """How to compete for a Lease; the numbers and their rules are client-go's.

    Attributes:
        id: The name of the Lease; the same for all that compete.
        namespace: Where the Lease is; the client's own namespace unless given, which in a pod is
            the pod's.
        identity: Who we are; unique among all that compete.
        lease_duration: Seconds after which standbys take over from a leader that went silent.
        renew_deadline: Seconds that the leader tries to renew before it gives up.
        retry_period: Seconds between two tries. This and the deadline after the last renewal was
            sent, nothing more that needs the lease leaves the process. What is left of the lease
            then is for requests that are on their way.
        release_on_cancel: Whether a leader that stops gives the lease up, so that a standby takes
            over at once. Unlike in controller-runtime this is safe, and so the default: it is
            given up only when everything that needs it has ended.
        client: The API server that has the Lease; that of the manager's first cluster unless given.
    """

    id: str
    namespace: str | None = None
    _: KW_ONLY
    identity: str = field(default_factory=process_identity)
    lease_duration: float = 15.0
    renew_deadline: float = 10.0
    retry_period: float = 2.0
    release_on_cancel: bool = True
    client: Client | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check the numbers against one another.

        Raises:
            ConfigError: With them, two processes could lead at once, or none could stay leader.
        """
        for problem in self._problems():
            raise ConfigError(f"cannot elect a leader: {problem}")

    @property
    def leading_for(self) -> float:
        """Seconds that a leader leads after it has sent a renewal, unless there is another one."""
        return min(int(self.lease_duration), self.retry_period + self.renew_deadline)

    def _problems(self) -> Iterable[str]:
        # The words are client-go's, which people search for; the values say which are meant.
        lease, renew, retry = self.lease_duration, self.renew_deadline, self.retry_period
        if not self.id:
            yield "LeaderElectionID must be configured: give the Lease a name"
        if not self.identity:
            yield "Lock identity is empty: give each process its own"
        if lease < 1:
            yield f"leaseDuration must be greater than zero, in seconds: lease_duration={lease:g}"
        if renew <= 0:
            yield f"renewDeadline must be greater than zero: renew_deadline={renew:g}"
        if retry <= 0:
            yield f"retryPeriod must be greater than zero: retry_period={retry:g}"
        if int(lease) <= renew:
            yield (
                "leaseDuration must be greater than renewDeadline:"
                f" lease_duration={lease:g}, renew_deadline={renew:g}"
            )
        if renew <= JITTER * retry:
            yield (
                "renewDeadline must be greater than retryPeriod*JitterFactor:"
                f" renew_deadline={renew:g}, retry_period={retry:g}, the factor is {JITTER:g}"
            )


class _LeaseClient(Client):
    """The same server, without a rate limit and without a cache.

    A busy program may wait long for its turn, and would lose the lease to its own politeness. A
    lease from a cache would be an old one.
    """

    def __init__(self, client: Client) -> None:
        self._share(client)
        self._rest = RESTClient(
            client.rest.transport,
            timeout=client.config.timeout,
            host=urlsplit(client.config.url).netloc.rpartition("@")[2],
            clock=client.clock,
        )


class LeaderElector:
    """Competes for the Lease of an election, and keeps it once it is ours.

    Whether we lead is always answered by the clock: a process that was paused for longer than
    the lease does not believe that it still leads, whatever it did last.

    Args:
        client: Where the Lease is.
        election: Which Lease, and how to compete.
        clock: Where time comes from.
    """

    def __init__(
        self, client: Client, election: LeaderElection, *, clock: Clock | None = None
    ) -> None:
        self.election: LeaderElection = election
        self.key: ObjectKey = ObjectKey(election.namespace or client.namespace, election.id)
        self.release: bool = election.release_on_cancel
        """Whether to give the lease up when `run` is cancelled."""
        self.alive: Callable[[], bool] = _always
        """Whether the process still works: one that does not must not keep the lease."""
        self.lost: LeaderElectionLostError | None = None
        """Why we no longer lead, if we did not give the lease up ourselves."""
        self._clock = clock or Clock()
        self._lock = LeaseLock(
            _LeaseClient(client),
            self.key,
            election.identity,
            duration=election.lease_duration,
            clock=self._clock,
        )
        self._recorder = EventRecorder(client, CHECK, drain_for=_DRAIN_FOR, clock=self._clock)
        self._status = _STATUS.labels(election.id)
        self._request_timeout = max(1.0, election.renew_deadline / 2)
        self.fence: Fence = Fence(f"lease {self.key}", clock=self._clock)
        """Open while we lead; what only a leader may do has to run behind it."""
        self.alarm: Alarm | None = None
        """What ends the process when the lease does, if nothing of its own has done so by then."""
        self._leads = False
        self._holding = self._clock.timeout(None)
        self._watchdog: Timer | None = None
        self._on_lost: Callable[[], object] = _ignore
        self._problem = ""
        self._seen_holder = ""

    @property
    def leading(self) -> bool:
        """Whether we lead at this moment, and nobody else who follows the rules does."""
        return self.fence.now() < self.fence.until

    @property
    def holder(self) -> str:
        """Who held the lease when we last looked; empty for nobody."""
        return self._lock.holder

    def health(self) -> Iterable[Problem]:
        """Return why the Lease cannot be read or written, if so."""
        if self._leads and not self.leading:
            yield Problem(CHECK, "the lease has expired, but this process still runs", fatal=True)
        elif self._problem:
            text = f"cannot hold or take lease {self.key}: {self._problem}"
            yield Problem(CHECK, text, logged=True)

    async def run(self, lead: Callable[[], object], lost: Callable[[], object]) -> None:
        """Compete until elected, call *lead*, and renew the lease until cancelled.

        Args:
            lead: Called when we lead.
            lost: Called in the moment in which we no longer do, before anything else can run. It
                has to stop what *lead* has started without waiting.

        Raises:
            LeaderElectionLostError: The lease could not be kept.
        """
        self._on_lost = lost
        self._status.set(0)
        try:
            async with self._recorder:
                try:
                    await self._acquire()
                    lead()
                    await self._hold()
                finally:
                    self._event("stopped leading")
        finally:
            self._stopped_leading()
            if self.lost is None and self.release:
                if self.alarm is not None:
                    self.alarm.cancel()
                await self._give_up()

    async def _acquire(self) -> None:
        _log.info("waiting for leadership", lease=str(self.key), identity=self.election.identity)
        while not await self._try():
            self._log_holder()
            jitter = 1.0 + JITTER * random.random()  # noqa: S311  # no secret
            await self._clock.sleep(self.election.retry_period * jitter)
        self._status.set(1)
        _log.info("became leader", lease=str(self.key))
        self._event("became leader")

    async def _hold(self) -> None:
        with suppress(TimeoutError):  # that is how `_lose` ends the block
            async with self._holding:
                while True:
                    await self._clock.sleep(self.election.retry_period)
                    await self._renew()
        assert self.lost is not None
        raise self.lost

    async def _renew(self) -> None:
        """Try until it is renewed or taken; the timer of `_lead_from` ends it otherwise."""
        while self.leading and not await self._try() and self._lock.is_held:
            await self._clock.sleep(self.election.retry_period)
        self._check()

    def _check(self) -> None:
        """Find out whether we still lead."""
        if self._lock.holder not in {"", self.election.identity}:
            self._lose(f"{self._lock.holder} has taken it")
        elif not self.leading and self._problem:
            deadline = self.election.renew_deadline
            self._lose(f"it could not be renewed within {deadline:g} seconds: {self._problem}")
        elif not self.leading or not self._lock.is_held:
            self._lose("it has expired; this process may have been paused")

    async def _try(self) -> bool:
        """Acquire or renew; say whether the lease is ours without a gap."""
        sent, led_until = self.fence.now(), self.fence.until
        if self._leads and not self.alive():
            self._failed(LifecycleError("the event loop has not turned for a minute"))
            return False
        try:
            # A lease that has ended is not renewed: another may hold it, or be about to.
            with fenced(self.fence if self._leads else None):
                async with self._clock.timeout(self._request_timeout):
                    held = await self._lock.try_acquire()
        except NotLeadingError:
            return False
        except (KubewrightError, TimeoutError) as error:
            self._failed(error)
            return False
        self._problem = ""
        if self._leads and self.fence.now() >= led_until:
            return False  # it was not ours for a moment, in which another may have led
        if held:
            self._lead_from(sent)
        return held

    def _lead_from(self, sent: float) -> None:
        """Lead for some time after *sent*, unless it is renewed; the fence closes by itself.

        A timer stops what we lead, in case that nothing else does. At the very end of the lease
        the kernel ends the process, in case that not even a timer of ours has run.
        """
        self._leads = True
        self.fence.until = until = sent + self.election.leading_for
        if self.alarm is not None:
            self.alarm.set(sent + int(self.election.lease_duration))
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._watchdog = self._clock.call_later(until - self.fence.now(), self._check)

    def _lose(self, why: str) -> None:
        if self.lost is not None or not self._leads:
            return
        self.fence.close()
        self.lost = LeaderElectionLostError(
            f"leader election lost: this process held lease {self.key}, but {why}."
            " Another process may lead now, so this one stops at once; start it again to compete."
        )
        self._on_lost()
        self._stopped_leading()
        self._holding.expire()

    def _stopped_leading(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()
        self.fence.close()
        if self._leads:
            self._leads = False
            self._status.set(0)
            _log.info("stopped leading", lease=str(self.key))

    async def _give_up(self) -> None:
        """Give the lease up; a request that breaks must not make all others wait for it."""
        try:
            async with self._clock.timeout(self.election.renew_deadline):
                for _ in range(_RELEASES - 1):
                    with suppress(TransportError, ServerError):
                        await self._lock.release()
                        return
                    await self._clock.sleep(_RELEASE_AGAIN)
                await self._lock.release()
        except (KubewrightError, TimeoutError) as error:
            _log.warning("lease not released", lease=str(self.key), error=repr(error))

    def _failed(self, error: Exception) -> None:
        text = str(error) or "no answer in time"
        if text != self._problem:  # once, not with each try
            _log.warning("lease not acquired or renewed", lease=str(self.key), error=text)
        self._problem = text

    def _log_holder(self) -> None:
        if self.holder != self._seen_holder:
            self._seen_holder = self.holder
            _log.info("leader elected", lease=str(self.key), holder=self.holder)

    def _event(self, what: str) -> None:
        if not self._leads or self._lock.lease is None:
            return
        with fenced(self.fence):  # after losing the lease, nothing more is written, this included
            self._recorder.event(
                self._lock.lease,
                reason="LeaderElection",
                message=f"{self.election.identity} {what}",
            )


def _always() -> bool:
    return True


def _ignore() -> None:
    """Do nothing: the default for a callback."""
