"""Leases as locks: one holder at a time, whatever is lost, late or wrongly set."""

import asyncio
import contextlib
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright._aio import Clock, TaskSet, VirtualClock
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request
from kubewright.client import Client, Config, LeaseLock
from kubewright.client.transport import Response, Transport
from kubewright.errors import ForbiddenError, KubewrightError, TransportError
from tests.unit.client.lease_server import LeaseServer

CONFIG = Config(server="https://example.com", namespace="home")
KEY = ObjectKey("home", "lock")
LOST = TransportError("cut", lost=True)
WRITES = {"POST", "PUT"}


class WrongClock(Clock):
    """A clock that runs as fast as the others and shows another hour, or always the same."""

    def __init__(self, right: VirtualClock, hours: float, *, stuck: bool = False) -> None:
        self._right = right
        self._offset = timedelta(hours=hours)
        self._stuck = right.now() if stuck else None

    def now(self) -> datetime:
        return (self._stuck or self._right.now()) + self._offset

    def monotonic(self) -> float:
        return self._right.monotonic()

    def sleepless(self) -> float:
        return self._right.sleepless()

    async def sleep(self, seconds: float) -> None:
        await self._right.sleep(seconds)


def lock(transport: Transport, identity: str, *, clock: Clock, duration: float = 15) -> LeaseLock:
    client = Client(CONFIG, transport=transport, clock=clock)
    return LeaseLock(client, KEY, identity, duration=duration, clock=clock)


def two(
    server: LeaseServer, *, hours: float = 0, stuck: bool = False
) -> tuple[LeaseLock, LeaseLock, VirtualClock]:
    """Return *a*, whose time of day may be wrong, *b*, and the clock that drives both."""
    clock = VirtualClock()
    a = lock(server, "a", clock=WrongClock(clock, hours, stuck=stuck))
    return a, lock(server, "b", clock=clock), clock


async def test_the_first_to_come_makes_the_lease() -> None:
    """A Go replica reads these fields, in exactly this form."""
    server = LeaseServer()
    a, _, _ = two(server)

    assert await a.try_acquire()

    assert a.is_held
    assert a.holder == "a"
    assert server.spec == {
        "holderIdentity": "a",
        "leaseDurationSeconds": 15,
        "acquireTime": "2026-01-01T00:00:00.000000Z",
        "renewTime": "2026-01-01T00:00:00.000000Z",
        "leaseTransitions": 0,
    }


async def test_a_renewal_is_one_request_and_moves_only_the_renew_time() -> None:
    """At rest a leader costs the server one write every two seconds, and no read."""
    server = LeaseServer()
    a, _, clock = two(server)
    await a.try_acquire()
    server.requests.clear()
    await clock.advance(2)

    assert await a.try_acquire()

    assert [request.method for request in server.requests] == ["PUT"]
    assert server.spec["renewTime"] == "2026-01-01T00:00:02.000000Z"
    assert server.spec["acquireTime"] == "2026-01-01T00:00:00.000000Z"
    assert server.spec["leaseTransitions"] == 0


async def test_a_silent_holder_is_succeeded_when_its_time_is_up_and_not_before() -> None:
    """The new one must not begin while the old one may still believe."""
    server = LeaseServer()
    a, b, clock = two(server)
    await a.try_acquire()
    assert not await b.try_acquire()

    await clock.advance(14.9)
    assert not await b.try_acquire()
    await clock.advance(0.1)
    assert await b.try_acquire()

    assert not a.is_held
    assert server.spec["holderIdentity"] == "b"
    assert server.spec["leaseTransitions"] == 1
    assert server.spec["acquireTime"] == "2026-01-01T00:00:15.000000Z"


async def test_time_is_counted_from_when_the_change_was_seen() -> None:
    """Who looks late waits longer; what the record says about the hour is not believed."""
    server = LeaseServer()
    a, b, clock = two(server)
    await a.try_acquire()
    await clock.advance(100)

    assert not await b.try_acquire()
    await clock.advance(15)

    assert await b.try_acquire()


@pytest.mark.parametrize("hours", [-1000, -1, 1, 1000])
async def test_a_holder_whose_clock_is_wrong_loses_nothing(hours: float) -> None:
    """Two machines never agree on the hour; only the change of the record counts."""
    server = LeaseServer()
    a, b, clock = two(server, hours=hours)

    for _ in range(20):
        assert await a.try_acquire()
        assert not await b.try_acquire()
        await clock.advance(10)

    await clock.advance(5)
    assert await b.try_acquire()


async def test_a_holder_whose_clock_stands_still_is_seen_to_live() -> None:
    """A server stores no write that changes nothing, so a renewal must change something."""
    server = LeaseServer()
    a, b, clock = two(server, stuck=True)

    for renewals in (1, 1, 2, 3, 1):
        for _ in range(renewals):
            assert await a.try_acquire()
        assert not await b.try_acquire()
        await clock.advance(10)


async def test_release_lets_another_in_at_once() -> None:
    """A rolling update must not wait for a lease to run out."""
    server = LeaseServer()
    a, b, clock = two(server)
    await a.try_acquire()
    assert not await b.try_acquire()
    await clock.advance(1)

    assert await a.release()

    assert not a.is_held
    assert server.spec["holderIdentity"] == ""
    assert server.spec["leaseDurationSeconds"] == 1
    assert server.spec["renewTime"] == "2026-01-01T00:00:01.000000Z"
    assert await b.try_acquire()
    assert server.spec["leaseTransitions"] == 1
    assert server.spec["leaseDurationSeconds"] == 15


async def test_who_does_not_hold_it_cannot_release_it() -> None:
    """A standby that stops leaves the leader alone, without so much as a request."""
    server = LeaseServer()
    a, b, _ = two(server)
    await a.try_acquire()
    await b.try_acquire()
    server.requests.clear()

    assert not await b.release()

    assert server.requests == []
    assert a.is_held


async def test_release_after_a_take_over_leaves_the_new_holder_alone() -> None:
    """A process that was frozen and is told to stop must not throw out its successor."""
    server = LeaseServer()
    a, b, clock = two(server)
    await a.try_acquire()
    await b.try_acquire()
    await clock.advance(15)
    await b.try_acquire()

    assert not await a.release()

    assert b.is_held
    assert server.spec["holderIdentity"] == "b"


async def test_a_release_without_an_answer_still_ends_our_hold() -> None:
    """The other may have the lease already, before we hear of it."""
    server = LeaseServer()
    a, b, _ = two(server)
    await a.try_acquire()
    server.unanswered = {"PUT"}

    with pytest.raises(TransportError):
        await a.release()

    assert not a.is_held
    server.unanswered = set()
    assert await b.try_acquire()


async def test_a_release_that_did_not_arrive_can_be_repeated() -> None:
    """Whoever stops has a few seconds for it, and a server may be back in one."""
    server = LeaseServer()
    a, b, _ = two(server)
    await a.try_acquire()
    server.unreached = {"PUT"}
    with pytest.raises(TransportError):
        await a.release()
    server.unreached = set()

    assert await a.release()

    assert await b.try_acquire()


async def test_a_release_in_conflict_is_tried_again() -> None:
    """Somebody has added a label in between."""
    server = LeaseServer()
    a, _, _ = two(server)
    await a.try_acquire()
    carry_out = server.carry_out

    def disturbed(request: Request) -> Response:
        if request.method == "PUT":
            server.carry_out = carry_out  # type: ignore[method-assign]  # only once
            server.label("x")
        return carry_out(request)

    server.carry_out = disturbed  # type: ignore[method-assign]  # a server that others use, too

    assert await a.release()

    assert server.spec["holderIdentity"] == ""


async def test_an_acquisition_without_an_answer_can_be_released() -> None:
    """A leader that was stopped in its first second must not block the next for fifteen."""
    server = LeaseServer()
    a, b, _ = two(server)
    server.unanswered = WRITES
    with pytest.raises(TransportError):
        await a.try_acquire()
    server.unanswered = set()

    assert await a.release()

    assert await b.try_acquire()


async def test_no_answer_leaves_what_is_known() -> None:
    """One lost packet must not stop a leader, and does not make one."""
    server = LeaseServer()
    a, b, clock = two(server)
    await a.try_acquire()
    server.unreached = {"GET", *WRITES}

    for either in (a, b):
        with pytest.raises(TransportError):
            await either.try_acquire()

    assert a.is_held
    assert not b.is_held
    await clock.advance(15)
    assert not a.is_held


async def test_a_renewal_that_is_only_read_back_does_not_count_from_the_reading() -> None:
    """The others saw it when it was written: they may take over before our count has run out."""
    server = LeaseServer()
    a, b, clock = two(server)
    await a.try_acquire()
    await clock.advance(5)
    server.unanswered = WRITES
    with pytest.raises(TransportError):
        await a.try_acquire()  # arrives at 5 s, but a does not hear of it
    await b.try_acquire()
    await clock.advance(10)
    server.unanswered, server.unreached = set(), WRITES
    with pytest.raises(TransportError):
        await a.try_acquire()  # reads its own renewal at 15 s, and cannot write
    server.unreached = set()
    await clock.advance(5)

    assert await b.try_acquire()
    assert not a.is_held


async def test_an_answer_that_comes_too_late_gives_nothing() -> None:
    """When it arrives, somebody else may have taken over already."""
    server = LeaseServer()
    clock = VirtualClock()

    class Slow(LeaseServer):
        async def send(self, request: Request, *, timeout: float | None = None) -> Response:
            response = await server.send(request)
            await clock.sleep(15 if request.method == "POST" else 0)
            return response

    a = lock(Slow(), "a", clock=clock)

    assert not await clock.run(a.try_acquire())

    assert not a.is_held
    assert await a.try_acquire()


async def test_a_renewal_in_conflict_looks_again() -> None:
    """Somebody has added a label; that is no reason to lose the lease."""
    server = LeaseServer()
    a, _, clock = two(server)
    await a.try_acquire()
    server.label("x")
    await clock.advance(2)

    assert await a.try_acquire()

    assert server.lease is not None
    assert server.lease["metadata"]["labels"] == {"x": "y"}
    assert server.spec["leaseTransitions"] == 0


async def test_a_lease_taken_by_force_is_lost_at_the_next_look() -> None:
    """An administrator may hand it to somebody else."""
    server = LeaseServer()
    a, _, _ = two(server)
    await a.try_acquire()
    server.edit(holderIdentity="c")

    assert not await a.try_acquire()

    assert not a.is_held
    assert a.holder == "c"


async def test_a_lease_that_was_deleted_is_made_again() -> None:
    """Deleting it is how people reset an election."""
    server = LeaseServer()
    a, _, clock = two(server)
    await a.try_acquire()
    server.lease = None
    await clock.advance(1)

    assert await a.try_acquire()

    assert server.spec["holderIdentity"] == "a"


async def test_two_that_see_none_do_not_both_make_it() -> None:
    """Both replicas of a new deployment start in the same second."""
    server = LeaseServer()
    a, b, _ = two(server)

    won = await asyncio.gather(a.try_acquire(), b.try_acquire())

    assert sorted(won) == [False, True]
    assert a.is_held != b.is_held


async def test_the_duration_of_the_record_counts_not_ours() -> None:
    """The holder relies on what it wrote; a replica of another version may have another."""
    server = LeaseServer()
    clock = VirtualClock()
    a = lock(server, "a", clock=clock, duration=60)
    b = lock(server, "b", clock=clock, duration=5)
    await a.try_acquire()
    await b.try_acquire()

    await clock.advance(59)
    assert not await b.try_acquire()
    await clock.advance(1)

    assert await b.try_acquire()


async def test_fields_of_newer_versions_survive() -> None:
    """Coordinated election keeps its own fields in the same record."""
    server = LeaseServer()
    a, _, clock = two(server)
    await a.try_acquire()
    server.edit(someNewField="kept")
    await clock.advance(1)

    await a.try_acquire()
    await a.try_acquire()

    assert server.spec["someNewField"] == "kept"


async def test_a_refusal_is_raised() -> None:
    """Without the permission nobody ever leads, and somebody has to be told."""
    server = LeaseServer()
    a, _, _ = two(server)

    def forbid(request: Request) -> Response:
        return Response(403, (), b"no")

    server.carry_out = forbid  # type: ignore[method-assign]  # another server's answer

    with pytest.raises(ForbiddenError, match=r"leases\.coordination\.k8s\.io"):
        await a.try_acquire()


@pytest.mark.parametrize(("identity", "duration"), [("", 15), ("a", 0.5), ("a", -1)])
def test_a_lock_that_could_not_work_is_refused(identity: str, duration: float) -> None:
    """An empty holder means "free", and a lease of no length is held by nobody."""
    with pytest.raises(ValueError, match="lease"):
        lock(LeaseServer(), identity, clock=VirtualClock(), duration=duration)


class Network(LeaseServer):
    """The way to a server on which requests and answers wait until the test lets them go on."""

    def __init__(self, server: LeaseServer) -> None:
        super().__init__()
        self._server = server
        self._steps: list[asyncio.Future[bool]] = []

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Wait on the way there, and on the way back."""
        await self._travel()
        response = self._server.carry_out(request)
        await self._travel()
        return response

    async def _travel(self) -> None:
        step: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._steps.append(step)
        if not await step:
            raise LOST

    def go_on(self, *, arrives: bool) -> None:
        """Let what is under way arrive where it is going, or be lost."""
        if self._steps:
            step = self._steps.pop(0)
            if not step.done():
                step.set_result(arrives)


class Competitor:
    """One process: a lock, its own way to the server, and what it is doing."""

    def __init__(self, name: str, server: LeaseServer, clock: Clock) -> None:
        self.network = Network(server)
        self.lock = lock(self.network, name, clock=clock, duration=3)
        self._task: asyncio.Task[None] | None = None

    def start(self, tasks: TaskSet, action: str) -> None:
        """Begin *action*, unless something is under way."""
        if self._task is None or self._task.done():
            self._task = tasks.start(self._act(action))

    async def _act(self, action: str) -> None:
        with contextlib.suppress(KubewrightError):
            if action == "release":
                await self.lock.release()
            elif await self.lock.try_acquire():
                assert self.lock.is_held


WHO = st.integers(0, 2)
WAYS = ["arrives", "arrives", "arrives", "arrives", "arrives", "lost"]
STEP = st.one_of(
    # Begin something and let the first steps of it pass: usually all of them, or all but the last.
    st.tuples(
        WHO, st.sampled_from(["acquire", "acquire", "acquire", "release"]), st.integers(0, 4)
    ),
    # What is on its way arrives, or is lost.
    st.tuples(WHO, st.sampled_from(WAYS), st.just(1)),
    # Time passes, half seconds at a time; a lease lasts for three seconds.
    st.tuples(st.just(0), st.just("time"), st.integers(1, 6)),
)
Step = tuple[int, str, int]


async def compete(steps: list[Step]) -> list[list[str]]:
    """Play *steps* and return who held the lease after each."""
    server, clock = LeaseServer(), VirtualClock()
    clocks = [clock, WrongClock(clock, -5), WrongClock(clock, 7, stuck=True)]
    all_ = [Competitor(f"c{i}", server, clocks[i]) for i in range(3)]
    held: list[list[str]] = []
    async with TaskSet() as tasks:
        for who, what, count in steps:
            if what == "time":
                await clock.advance(count / 2)
            elif what in {"acquire", "release"}:
                all_[who].start(tasks, what)
            for _ in range(0 if what == "time" else count):
                await clock.settle()
                all_[who].network.go_on(arrives=what != "lost")
            await clock.settle()
            held.append([one.lock.identity for one in all_ if one.lock.is_held])
    return held


@settings(deadline=None, max_examples=100)
@given(st.lists(STEP, min_size=20, max_size=60))
def test_two_never_hold_the_lease_at_once(steps: list[Step]) -> None:
    """Whatever is late, lost or released, and whatever the clocks on the walls say."""
    for holders in asyncio.run(compete(steps)):
        assert len(holders) <= 1


def test_the_competition_has_winners() -> None:
    """Otherwise the property above would hold for locks that nobody ever gets."""
    steps = [(0, "acquire", 4), (1, "acquire", 2), (0, "time", 6), (1, "acquire", 4)]

    held = asyncio.run(compete(steps))

    assert held == [["c0"], ["c0"], [], ["c1"]]
