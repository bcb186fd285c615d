"""A Lease as a lock, as client-go uses it: one holder at a time, taken over when it goes silent."""

from copy import deepcopy
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from kubewright._aio import Clock
from kubewright._aio.clock import sleepless_stopwatch
from kubewright._json import MicroTime
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.errors import AlreadyExistsError, ConflictError, NotFoundError

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.kinds.coordination.v1 import Lease


class _Observed(msgspec.Struct, frozen=True):
    """The lease as last seen, and when we saw it change, by our own clock."""

    lease: "Lease"
    at: float


class LeaseLock:
    """Competes for one Lease; interoperates with client-go's leader election.

    The clocks of two machines are never compared. A lease expires when *this* process has not seen
    it change for as long as it was granted; a holder whose clock is wrong loses nothing.

    Whether *we* hold it is counted from our last write that the server has confirmed, also while
    the machine sleeps. A lease that was only read back does not count, nor does a write without an
    answer: others may have seen it long before us. Call the methods one after the other, from one
    task.

    Args:
        client: Where the Lease is.
        key: Which Lease.
        identity: Our name; unique among all candidates.
        duration: Seconds after which a silent holder has lost the lease.
        clock: The source of time.
    """

    def __init__(
        self,
        client: "Client",
        key: ObjectKey,
        identity: str,
        *,
        duration: float = 15.0,
        clock: Clock | None = None,
    ) -> None:
        if not identity:
            raise ValueError("a lease needs an identity that no other process has")
        if duration < 1:
            raise ValueError(f"a lease is held in whole seconds, at least one, not {duration}")
        self.key = key
        self.identity = identity
        self._client = client
        self._duration = int(duration)
        self._clock = clock or Clock()
        self._time = sleepless_stopwatch(self._clock)
        self._observed: _Observed | None = None
        self._confirmed: float | None = None  # when our last successful write was sent
        self._written: MicroTime | None = None  # the last time that we put into a record
        self._claimed = False  # whether the server may have a write of ours

    @property
    def lease(self) -> "Lease | None":
        """The Lease as last seen; not to be changed."""
        return self._observed.lease if self._observed else None

    @property
    def holder(self) -> str:
        """The holder when we last read the lease; empty if it had none."""
        return (self._observed.lease.spec.holder_identity or "") if self._observed else ""

    @property
    def is_held(self) -> bool:
        """Whether we certainly hold it: no other candidate that follows the rules does."""
        confirmed = self._confirmed
        return confirmed is not None and self._time() < confirmed + self._duration

    async def try_acquire(self) -> bool:
        """Take the lease, or renew it if it is ours already; return whether it is ours now.

        Raises:
            APIError: The server refused, and not because another candidate was faster.
            TransportError: There was no answer; `is_held` stays as it was.
        """
        if self.is_held and await self._renew():
            return self.is_held
        lease = await self._look()
        if lease is None:
            return await self._create()
        held_by_other = self.holder not in {"", self.identity}
        if held_by_other and not self._expired():
            return False
        return await self._write(lease)

    async def release(self) -> bool:
        """Give the lease up so that another can take it at once; return whether it was ours.

        Whatever the server answers, we no longer hold it. After an error it can be called again.
        """
        self._confirmed = None  # first: others may take it before the answer arrives
        while self._claimed:
            lease = await self._look()
            if lease is None or self.holder != self.identity:
                self._claimed = False
                return False
            lease.spec.holder_identity = ""
            lease.spec.lease_duration_seconds = 1
            lease.spec.renew_time = lease.spec.acquire_time = self._stamp()
            if await self._update(lease):
                self._confirmed, self._claimed = None, False
                return True
        return False

    async def _renew(self) -> bool:
        """Write without reading first: the usual case, where no other process has written."""
        assert self._observed is not None
        lease = deepcopy(self._observed.lease)
        lease.spec.renew_time = self._stamp()
        return await self._update(lease)

    async def _look(self) -> "Lease | None":
        from kubewright.kinds.coordination.v1 import Lease

        lease = await self._client.find(Lease, self.key)
        if lease is None:
            self._observed = None
        elif self._observed is None or _record(self._observed.lease) != _record(lease):
            self._observed = _Observed(lease, self._clock.monotonic())
        if self.holder != self.identity:
            self._confirmed = None  # another client took it by force, or deleted it
        return deepcopy(lease)  # keep the observed lease unchanged until the server confirms

    async def _create(self) -> bool:
        from kubewright.kinds.coordination.v1 import Lease, LeaseSpec

        now = self._stamp()
        lease = Lease(
            metadata=ObjectMeta(namespace=self.key.namespace, name=self.key.name),
            spec=LeaseSpec(
                holder_identity=self.identity,
                lease_duration_seconds=self._duration,
                acquire_time=now,
                renew_time=now,
                lease_transitions=0,
            ),
        )
        self._claimed, sent = True, self._time()
        try:
            self._confirm(await self._client.create(lease), sent)
        except AlreadyExistsError:
            return False  # another candidate was faster
        return self.is_held

    async def _write(self, lease: "Lease") -> bool:
        spec = lease.spec
        now = self._stamp()
        if spec.holder_identity != self.identity:
            spec.lease_transitions = (spec.lease_transitions or 0) + 1
            spec.acquire_time = now
        spec.holder_identity = self.identity
        spec.lease_duration_seconds = self._duration
        spec.renew_time = now
        self._claimed = True
        return await self._update(lease) and self.is_held

    async def _update(self, lease: "Lease") -> bool:
        sent = self._time()
        try:
            self._confirm(await self._client.update(lease), sent)
        except (ConflictError, NotFoundError):
            return False  # changed or deleted since we read it
        return True

    def _confirm(self, lease: "Lease", sent: float) -> None:
        # Counted from before the request: the others count from when they saw the change, so we
        # give our lease up before any other candidate can take it.
        self._observed = _Observed(lease, self._clock.monotonic())
        self._confirmed = sent

    def _stamp(self) -> MicroTime:
        """Return the time, later than any that we wrote, even if the clock was set back.

        Others see that we are alive only by a record that they have not seen before.
        """
        now = self._clock.now()
        if self._written is not None:
            now = max(now, self._written + timedelta(microseconds=1))
        self._written = MicroTime.of(now)
        return self._written

    def _expired(self) -> bool:
        if self._observed is None:
            return True
        granted = self._observed.lease.spec.lease_duration_seconds or 0
        return self._clock.monotonic() >= self._observed.at + granted


def _record(lease: "Lease") -> tuple[object, ...]:
    """Return the part that counts in the election; a change of labels is not a renewal."""
    spec = lease.spec
    return (
        spec.holder_identity,
        spec.lease_duration_seconds,
        spec.acquire_time,
        spec.renew_time,
        spec.lease_transitions,
    )
