import asyncio
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.client import Client, Config
from kubewright.embedded import InProcessTransport
from kubewright.errors import ConfigError, LeaderElectionLostError
from kubewright.kinds.coordination.v1 import Lease
from kubewright.manager import LeaderElection
from kubewright.manager.leaderelection import _STATUS, process_identity
from kubewright.runnable import Problem
from kubewright.testing.faults import Hanging, Lost, Refused, Slow
from tests.unit.manager.elections import ID, Replica, Town, town

LONGEST_WAIT = 2 * 2.2  # the longest wait of a standby between two looks


async def jumped(clock: VirtualClock, seconds: float) -> None:
    """Let time pass without anybody noticing, as when a process was stopped and continued."""
    clock._elapsed += seconds


async def stolen(town: Town) -> None:
    """Take the lease by force, as a person with kubectl can."""
    lease = await town.lease()
    lease.spec.holder_identity = "thief"
    await town.client.update(lease)


# --- The numbers ---


def test_the_numbers_are_those_of_client_go() -> None:
    """A Go replica that competes counts with them."""
    election = LeaderElection("shops")

    assert (election.lease_duration, election.renew_deadline, election.retry_period) == (15, 10, 2)
    assert election.release_on_cancel


def test_every_process_has_an_identity_of_its_own() -> None:
    """Two with the same one would both lead."""
    assert LeaderElection("shops").identity != LeaderElection("shops").identity
    assert "_" in process_identity()


def test_the_identity_begins_with_the_name_of_the_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the Lease knows which pod to look at, also where pods are mere processes."""
    monkeypatch.setenv("HOSTNAME", "shop-6f-1")

    assert process_identity().startswith("shop-6f-1_")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"id": ""}, "LeaderElectionID must be configured"),
        ({"identity": ""}, "Lock identity is empty"),
        ({"lease_duration": 0}, "leaseDuration must be greater than zero"),
        ({"renew_deadline": 0}, "renewDeadline must be greater than zero"),
        ({"retry_period": 0}, "retryPeriod must be greater than zero"),
        (
            {"lease_duration": 10},
            "leaseDuration must be greater than renewDeadline: lease_duration=10, renew_",
        ),
        ({"lease_duration": 10.9, "renew_deadline": 10.5}, "leaseDuration must be greater than"),
        (
            {"retry_period": 9},
            "renewDeadline must be greater than retryPeriod[*]JitterFactor: renew_deadline=10,",
        ),
    ],
)
def test_numbers_that_do_not_fit_are_refused(options: dict[str, Any], problem: str) -> None:
    """With them two could lead at once; the words are those that people find with a search."""
    with pytest.raises(ConfigError, match=f"cannot elect a leader: {problem}"):
        LeaderElection(**{"id": "shops"} | options)


# --- One leads ---


async def test_the_first_leads_and_the_second_waits() -> None:
    """The Lease says who, for everybody to see."""
    async with town() as here:
        first = await here.replica("a")
        second = await here.replica("b")
        await here.clock.advance(60)

        lease = await here.lease()

        assert (first.words, second.words) == (["lead"], [])
        assert (first.elector.leading, second.elector.leading) == (True, False)
        assert (second.elector.holder, lease.spec.holder_identity) == ("a", "a")
        assert lease.spec.lease_duration_seconds == 15
        assert lease.spec.lease_transitions == 0


async def test_a_leader_that_vanishes_is_followed_after_the_lease() -> None:
    """Not before: it may still work. And not long after it."""
    async with town() as here:
        await here.replica("a")
        second = await here.replica("b")
        await here.clock.advance(20)
        here.networks["a"].cut()
        cut = here.clock.monotonic()

        await here.clock.advance(15 + 3 * LONGEST_WAIT)

        ((what, when),) = second.diary
        assert what == "lead"
        assert (
            13 <= when - cut <= 15 + 2 * LONGEST_WAIT
        )  # to see its last renewal, and to look again
        assert (await here.lease()).spec.lease_transitions == 1


async def test_never_two_lead_at_once() -> None:
    """The old leader has stopped before the new one begins, however the network is cut."""
    async with town() as here:
        replicas = [await here.replica(name) for name in "abc"]
        for _ in range(5):
            await here.clock.advance(20)
            (leader,) = [each for each in replicas if each.elector.leading]
            here.networks[leader.name].cut(Hanging(3600))
            for _ in range(120):
                await here.clock.advance(0.5)
                assert sum(each.elector.leading for each in replicas) <= 1
            here.networks[leader.name].mend()
            replicas.remove(leader)
            replicas.append(await here.replica(leader.name))


async def test_a_leader_that_stops_gives_the_lease_up() -> None:
    """The standby goes on within one look, not after the whole lease."""
    async with town() as here:
        first = await here.replica("a")
        second = await here.replica("b")
        await here.clock.advance(10)

        await first.stop()
        await here.clock.advance(LONGEST_WAIT)

        assert second.words == ["lead"]
        assert first.words == ["lead"]  # it was not lost, but given up


async def test_a_release_that_breaks_is_tried_again() -> None:
    """Otherwise all the others would wait for as long as the lease lasts."""
    async with town() as here:
        replica = await here.replica("a")
        assert replica.task is not None

        here.networks["a"].cut()
        replica.task.cancel()
        await here.clock.settle()
        here.networks["a"].mend()
        await here.clock.advance(2)

        assert (await here.lease()).spec.holder_identity == ""


async def test_a_leader_may_keep_the_lease_when_it_stops() -> None:
    """Who cannot be sure that its work has ended lets it expire."""
    async with town() as here:
        first = await here.replica("a", release_on_cancel=False)
        await here.clock.advance(10)

        await first.stop()

        assert (await here.lease()).spec.holder_identity == "a"


async def test_who_never_led_gives_nothing_up() -> None:
    """Least of all the lease of another."""
    async with town() as here:
        await here.replica("a")
        second = await here.replica("b")
        await here.clock.advance(10)

        await second.stop()

        assert (await here.lease()).spec.holder_identity == "a"


async def test_a_claim_without_an_answer_is_given_up_too() -> None:
    """The server may have heard it, and everybody would wait for a leader that never was."""
    async with town() as here:
        client = here.connect("a")
        here.networks["a"].cut(Lost(), "POST")
        replica = Replica(client, "a", here.clock)
        await replica.start()
        here.networks["a"].mend()
        held = (await here.lease()).spec.holder_identity

        await replica.stop()

        assert (held, replica.words) == ("a", [])
        assert not (await here.lease()).spec.holder_identity


# --- Events and metrics ---


async def test_people_see_in_events_who_leads() -> None:
    """``kubectl describe lease`` shows them, in the words of client-go."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)
        await replica.stop()

        assert await here.events() == ["a became leader", "a stopped leading"]


async def test_a_metric_says_who_leads() -> None:
    """Alerts on it ask for exactly one."""
    async with town() as here:
        value = _STATUS.labels(ID)
        replica = await here.replica("a")
        await here.clock.advance(1)
        leading = value.value

        await replica.stop()

        assert (leading, value.value) == (1, 0)


# --- What goes wrong ---


@pytest.mark.parametrize("fault", [None, Hanging(3600), Refused(500), Refused(403), Lost()])
async def test_a_lease_that_cannot_be_renewed_is_lost_before_another_can_have_it(
    fault: Any,
) -> None:
    """After the renew deadline, which is shorter than the lease."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(20)
        here.networks["a"].cut(fault)
        cut = here.clock.monotonic()

        await here.clock.advance(15)

        assert replica.words == ["lead", "lost"]
        assert 10 <= replica.diary[1][1] - cut <= 12.01
        assert not replica.elector.leading
        assert replica.task is not None
        await here.clock.advance(5)
        with pytest.raises(LeaderElectionLostError) as caught:
            await replica.task
        assert str(caught.value).startswith(
            "leader election lost: this process held lease default/shops, but it could not be"
            " renewed within 10 seconds: "
        )


async def test_who_is_dead_does_not_keep_the_lease() -> None:
    """A thread renews it, and would do so for ever for an event loop that does not turn."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(20)

        replica.elector.alive = lambda: False
        await here.clock.advance(15)

        assert replica.words == ["lead", "lost"]
        assert "the event loop has not turned" in str(replica.elector.lost)


async def test_a_short_outage_costs_nothing() -> None:
    """A rolling restart of the API server takes some seconds."""
    async with town() as here:
        replica = await here.replica("a")
        for _ in range(10):
            await here.clock.advance(7)
            here.networks["a"].cut()
            await here.clock.advance(7)
            here.networks["a"].mend()

        assert replica.words == ["lead"]
        assert replica.elector.leading


async def test_a_lease_taken_by_force_is_lost_at_the_next_look() -> None:
    """There is no reason to wait for the deadline: another one leads."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)

        await stolen(here)
        await here.clock.advance(2.1)

        assert replica.words == ["lead", "lost"]
        assert (await here.lease()).spec.holder_identity == "thief"
        with pytest.raises(LeaderElectionLostError, match="thief has taken it"):
            await replica.task  # type: ignore[misc]  # it was started


async def test_a_lease_that_was_deleted_is_made_again() -> None:
    """A person cleaned up; nobody else has it."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)

        await here.client.delete(Lease, ID)
        await here.clock.advance(2.1)

        assert replica.words == ["lead"]
        assert (await here.lease()).spec.holder_identity == "a"


async def test_a_conflict_of_no_importance_is_written_over() -> None:
    """Somebody put a label on the Lease."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)
        lease = await here.lease()
        lease.metadata.labels["a"] = "b"
        await here.client.update(lease)

        await here.clock.advance(60)

        assert replica.words == ["lead"]


async def test_a_process_that_was_paused_does_not_lead() -> None:
    """Not for a moment: another may have led meanwhile, even if the lease is free again."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)
        renewed = (await here.lease()).spec.renew_time

        await jumped(here.clock, 60)
        at_once = replica.elector.leading
        await here.clock.advance(0)

        assert not at_once
        assert replica.words == ["lead", "lost"]
        assert (await here.lease()).spec.renew_time == renewed
        with pytest.raises(LeaderElectionLostError, match="may have been paused"):
            await here.clock.run(replica.task)  # type: ignore[arg-type]  # it was started


async def test_timers_of_a_pause_end_leadership_before_any_task_goes_on() -> None:
    """Asyncio rings all that are due first, so what we lead is cancelled before it can act."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(1)
        watchdog = replica.elector._watchdog

        await jumped(here.clock, 60)
        watchdog.ring()  # type: ignore[union-attr]  # as the loop does it, in one go

        assert replica.words == ["lead", "lost"]


async def test_a_renewal_that_a_pause_held_up_is_not_sent() -> None:
    """The lease was nobody's for a moment, in which another may have led."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)
        lease = await here.lease()
        lease.metadata.labels["a"] = "b"  # so that it has to be read and written once more
        await here.client.update(lease)
        here.networks["a"].cut(Slow(1), "PUT")
        await here.clock.advance(2.5)
        here.networks["a"].mend()

        await jumped(here.clock, 20)
        await here.clock.advance_to_next()

        assert (await here.lease()).spec.renew_time == lease.spec.renew_time
        assert replica.words == ["lead", "lost"]


async def test_an_answer_that_comes_after_the_end_of_the_lease_does_not_count() -> None:
    """The write would give us a new one, but the old one was over for a moment."""
    async with town() as here:
        replica = await here.replica("a")
        await here.clock.advance(10)
        here.networks["a"].cut()
        await here.clock.advance(9)
        here.networks["a"].cut(Slow(1), "PUT")
        await here.clock.advance(1.5)

        await jumped(here.clock, 5)
        await here.clock.advance_to_next()

        assert replica.words == ["lead", "lost"]


class Wandering(VirtualClock):
    """A clock whose time of day is set by a person."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = timedelta()

    def now(self) -> datetime:
        return super().now() + self.offset


async def test_the_time_of_day_does_not_matter() -> None:
    """Clocks of machines are set, forward and back, and no two agree."""
    clock = Wandering()
    async with town(clock) as here:
        first = await here.replica("a")
        second = await here.replica("b")
        for hours in (-24, 48, -1000, 0):
            clock.offset = timedelta(hours=hours)
            await here.clock.advance(30)

        assert (first.words, second.words) == (["lead"], [])


async def test_what_is_wrong_with_the_lease_is_told_to_readiness() -> None:
    """A missing right is the usual first fault; the message brings the rule along."""
    async with town() as here:
        client = here.server.client(here.server.nobody)
        here.clients.append(client)
        replica = Replica(client, "a", here.clock)
        here.replicas.append(replica)
        await replica.start()

        (problem,) = replica.elector.health()

        assert isinstance(problem, Problem)
        assert problem.check == "leader-election"
        assert not problem.fatal
        assert problem.text.startswith("cannot hold or take lease default/shops: cannot get leases")
        assert 'resources: ["leases"]' in problem.text


async def test_a_standby_is_well() -> None:
    """It waits, as it should."""
    async with town() as here:
        await here.replica("a")
        second = await here.replica("b")

        assert list(second.elector.health()) == []


async def test_who_runs_after_the_lease_is_over_needs_a_restart() -> None:
    """A loop that hangs cannot stop itself."""
    async with town() as here:
        replica = await here.replica("a")

        await jumped(here.clock, 60)

        (problem,) = replica.elector.health()
        assert problem.fatal


async def test_standbys_do_not_look_all_at_the_same_time() -> None:
    """A hundred of them would be a small storm every two seconds."""
    async with town() as here:
        await here.replica("a")
        await here.replica("b")
        await here.clock.advance(60)

        looks = here.networks["b"].used
        waits = [after - before for before, after in pairwise(looks)]
        assert all(2 <= wait <= LONGEST_WAIT for wait in waits)
        assert len(set(waits)) == len(waits) >= 60 // LONGEST_WAIT


async def test_a_cancellation_while_waiting_ends_at_once() -> None:
    """Nothing is held that would have to be given up."""
    async with town() as here:
        await here.replica("a")
        second = await here.replica("b")
        task = second.task
        assert task is not None

        task.cancel()
        await asyncio.wait([task])

        assert task.cancelled()


async def test_a_rate_limit_of_our_own_does_not_cost_the_lease() -> None:
    """Reconcilers may use it up for minutes."""
    async with town() as here:
        transport = InProcessTransport(here.server.api, clock=here.clock)
        config = Config(server="https://embedded", namespace="default", qps=0.01, burst=1)
        client = Client(config, transport=transport, clock=here.clock)
        here.clients.append(client)
        replica = Replica(client, "a", here.clock)
        here.replicas.append(replica)
        await replica.start()

        await here.clock.advance(300)

        assert replica.words == ["lead"]
