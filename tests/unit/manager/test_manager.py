import asyncio
import os
import signal
import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from kubewright import log, metrics
from kubewright._aio import VirtualClock
from kubewright._serve.messages import Response
from kubewright._serve.server import HTTPServer
from kubewright.api.meta import ObjectMeta
from kubewright.cluster import Cluster
from kubewright.controller import Controller, Request, Run
from kubewright.errors import (
    ConfigError,
    LeaderElectionLostError,
    LifecycleError,
    NotLeadingError,
    StopTimeoutError,
)
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import ConfigMap, Event
from kubewright.manager import LeaderElection, Manager
from kubewright.runnable import Problem, Stage
from kubewright.testing import EmbeddedServer
from tests.unit._serve.clients import Peer, Scripted
from tests.unit.manager.elections import ID, Town, town
from tests.unit.manager.runnables import Deaf, Failing, Gated, Slow, Worker

LONGEST_WAIT = 2 * 2.2


async def jumped(clock: VirtualClock, seconds: float) -> None:
    """Let time pass without anybody noticing, as when a process was stopped and continued."""
    clock._elapsed += seconds


@asynccontextmanager
async def running(manager: Manager, clock: VirtualClock) -> AsyncIterator["asyncio.Task[None]"]:
    """Run *manager* until the block is left; the test looks at how it ends."""
    task = asyncio.create_task(manager.run())
    await clock.settle()
    try:
        yield task
    finally:
        task.cancel()
        await clock.settle()
        await clock.advance(120)
        assert task.done()


async def got(url: str | None, path: str) -> tuple[bytes, bytes]:
    """Return head and body of a page."""
    assert url is not None
    host, _, port = url.removeprefix("http://").rpartition(":")
    peer = Peer(*await asyncio.open_connection(host.strip("[]"), int(port)))
    await peer.send(f"GET {path} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
    answer = await peer.answer()
    await peer.close()
    return answer


# --- Start and stop ---


async def test_stages_start_in_order_and_stop_in_reverse() -> None:
    """Whatever the order in which they were added."""
    diary: list[str] = []
    manager = Manager(clock=VirtualClock())
    for stage in (Stage.LEADER, Stage.CACHES, Stage.SERVERS, Stage.ALWAYS):
        manager.add(Worker(diary, stage.name, stage))

    async with manager:
        await asyncio.sleep(0)

    order = ["SERVERS", "CACHES", "ALWAYS", "LEADER"]
    assert diary == [f"+{name}" for name in order] + [f"-{name}" for name in reversed(order)]


async def test_a_stage_waits_until_the_one_before_is_ready() -> None:
    """A controller that starts before its cache would delete what it does not see."""
    clock, diary = VirtualClock(), list[str]()
    cache = Gated(diary, "cache", Stage.CACHES)
    manager = Manager(clock=clock)
    manager.add(cache)
    manager.add(Worker(diary, "controller", Stage.LEADER))
    async with running(manager, clock):
        before = (list(diary), bool(manager.elected))

        cache.gate.set()
        await manager.elected
        await clock.settle()

        assert before == (["+cache"], False)
        assert diary == ["+cache", "+controller"]


async def test_the_stage_can_be_said_by_who_adds() -> None:
    """A thing from elsewhere knows nothing of stages; it runs always, leader or not."""
    diary: list[str] = []

    class Foreign:
        def __init__(self, name: str) -> None:
            self.name = name

        async def run(self) -> None:
            diary.append(self.name)

    manager = Manager(clock=VirtualClock())
    manager.add(Foreign("last"), stage=Stage.LEADER)
    manager.add(Foreign("middle"))
    manager.add(Foreign("first"), stage=Stage.SERVERS)

    async with manager:
        await asyncio.sleep(0)

    assert diary == ["first", "middle", "last"]


async def test_who_returns_does_not_stop_the_others() -> None:
    """A job that is done is no failure."""
    diary: list[str] = []

    class Short:
        async def run(self) -> None:
            diary.append("done")

    manager = Manager(clock=VirtualClock())
    manager.add(Short())
    manager.add(Worker(diary, "a"))

    async with manager:
        await asyncio.sleep(0)
        alive = list(diary)

    assert alive == ["done", "+a"]


async def test_a_manager_runs_once() -> None:
    """What it ran is over; most of it cannot be started again."""
    manager = Manager(clock=VirtualClock())
    async with manager:
        with pytest.raises(LifecycleError, match="it runs once"):
            await manager.run()

    with pytest.raises(LifecycleError, match="it runs once"):
        await manager.run()


async def test_a_stop_before_the_start_is_not_forgotten() -> None:
    """A signal may come in the first moment."""
    diary: list[str] = []
    manager = Manager(clock=VirtualClock())
    manager.add(Worker(diary, "a"))

    manager.stop()
    await manager.run()

    assert diary == []
    with pytest.raises(LifecycleError, match="stopped before it was elected"):
        await manager.elected


async def test_a_stop_ends_a_start_that_waits() -> None:
    """A cache that never syncs must not keep the process from ending."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock)
    manager.add(Gated(diary, "cache", Stage.CACHES))
    manager.add(Worker(diary, "never", Stage.ALWAYS))
    manager.add(Slow(diary, "server", Stage.SERVERS, clock=clock, seconds=5))
    async with running(manager, clock) as task:
        manager.stop()
        await clock.advance(5)

        assert task.done()
        assert diary == ["+server", "+cache", "-cache", "-server", "cleaned server"]


async def test_a_cancellation_stops_in_good_order_too() -> None:
    """A program around us knows no other way to end us."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock)
    manager.add(Slow(diary, "slow", Stage.LEADER, clock=clock, seconds=5))
    manager.add(Worker(diary, "cache", Stage.CACHES))
    async with running(manager, clock) as task:
        task.cancel()
        await clock.advance(5)

        assert task.cancelled()
        assert diary[-3:] == ["-slow", "cleaned slow", "-cache"]


async def test_a_second_cancellation_waits_for_nobody() -> None:
    """Whoever is cancelled twice is in a hurry."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock)
    manager.add(Slow(diary, "slow", Stage.LEADER, clock=clock, seconds=5))
    manager.add(Worker(diary, "cache", Stage.CACHES))
    async with running(manager, clock) as task:
        task.cancel()
        await clock.settle()
        task.cancel()
        await clock.settle()

        assert task.cancelled()
        assert diary[-2:] == ["-slow", "-cache"]


# --- What does not end ---


async def test_all_have_the_grace_period_to_clean_up() -> None:
    """It is one for all, as Kubernetes' is."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock, grace_period=10)
    for name, stage in (("a", Stage.LEADER), ("b", Stage.CACHES)):
        manager.add(Slow(diary, name, stage, clock=clock, seconds=4))
    async with running(manager, clock) as task:
        manager.stop()
        await clock.advance(8)

        assert task.done()
        await task
        assert diary[2:] == ["-a", "cleaned a", "-b", "cleaned b"]


async def test_who_overruns_the_grace_period_is_named() -> None:
    """The pod is killed then, and nobody would know why."""
    clock, diary, deaf = VirtualClock(), list[str](), Deaf(Stage.LEADER)
    manager = Manager(clock=clock, grace_period=10)
    manager.add(deaf)
    manager.add(Worker(diary, "cache", Stage.CACHES))
    async with running(manager, clock) as task:
        manager.stop()
        await clock.advance(9)
        waiting = list(diary)
        await clock.advance(2)

        with pytest.raises(StopTimeoutError) as caught:
            await task

    assert waiting == ["+cache"]
    assert diary == ["+cache", "-cache"]
    assert str(caught.value).startswith("cannot stop within 10 seconds: Deaf deaf (stage LEADER")
    deaf.free.set()
    await clock.settle()


async def test_without_a_grace_period_all_is_cancelled_at_once() -> None:
    """Who wants no waiting still learns of who hangs."""
    clock, diary, deaf = VirtualClock(), list[str](), Deaf()
    manager = Manager(clock=clock, grace_period=0)
    manager.add(Worker(diary, "a", Stage.CACHES))
    manager.add(deaf)
    async with running(manager, clock) as task:
        manager.stop()
        await clock.settle()
        at_once = list(diary)
        await clock.advance(1)

        with pytest.raises(StopTimeoutError, match="Deaf deaf"):
            await task

    assert at_once == ["+a", "-a"]
    deaf.free.set()
    await clock.settle()


async def test_grace_may_have_no_end() -> None:
    """Some clean-ups take as long as they take."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock, grace_period=None)
    manager.add(Slow(diary, "a", Stage.LEADER, clock=clock, seconds=3600))
    async with running(manager, clock) as task:
        manager.stop()
        await clock.advance(3600)

        await task
        assert diary[-1] == "cleaned a"


# --- What fails ---


async def test_an_error_stops_all_and_comes_out() -> None:
    """Itself, so that who called can tell it from others; with a note on where it is from."""
    clock, diary, failing = VirtualClock(), list[str](), Failing(ValueError("no disk"))
    manager = Manager(clock=clock)
    manager.add(failing)
    manager.add(Worker(diary, "a"))
    async with running(manager, clock) as task:
        failing.now.set()
        await clock.settle()

        with pytest.raises(ValueError, match="no disk") as caught:
            await task

    assert diary == ["+a", "-a"]
    assert caught.value.__notes__ == ["(from Failing failing of the manager)"]


async def test_an_error_during_the_start_stops_what_runs() -> None:
    """Later stages never begin."""
    clock, diary, failing = VirtualClock(), list[str](), Failing(ValueError("no"), Stage.CACHES)
    failing.now.set()
    manager = Manager(clock=clock)
    manager.add(Worker(diary, "server", Stage.SERVERS))
    manager.add(failing)
    manager.add(Gated(diary, "cache", Stage.CACHES))
    manager.add(Worker(diary, "controller", Stage.LEADER))
    async with running(manager, clock) as task:
        with pytest.raises(ValueError, match="no"):
            await task

    assert diary == ["+server", "+cache", "-cache", "-server"]


async def test_further_errors_are_notes_of_the_first() -> None:
    """The first is the cause, most of the time; none may get lost."""
    clock = VirtualClock()
    failing = [Failing(ValueError("first")), Failing(KeyError("second"))]
    manager = Manager(clock=clock)
    for each in failing:
        manager.add(each)
        each.now.set()
    async with running(manager, clock) as task:
        with pytest.raises(ValueError, match="first") as caught:
            await task

    assert caught.value.__notes__[-1] == "also: KeyError: 'second'"


# --- Adding ---


async def test_what_is_added_later_runs_at_once() -> None:
    """Clusters and controllers come and go while a program runs."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock)
    async with manager:
        manager.add(Worker(diary, "late", Stage.CACHES))
        await clock.settle()
        started = list(diary)

    assert started == ["+late"]
    assert diary == ["+late", "-late"]


async def test_what_is_added_later_does_not_work_for_whoever_added_it() -> None:
    """A reconciler may add another one; what that logs and writes is not its own doing."""
    clock, seen = VirtualClock(), list[object]()

    class Looking:
        async def run(self) -> None:
            seen.append(log.bound().get("name"))

    manager = Manager(clock=clock)
    async with manager:
        with log.bind(name="corner"):
            manager.add(Looking())
            await clock.settle()

    assert seen == [None]


async def test_nothing_is_added_to_a_manager_that_stops() -> None:
    """It would start and never be stopped."""
    clock, diary = VirtualClock(), list[str]()
    manager = Manager(clock=clock)
    manager.add(Slow(diary, "slow", Stage.ALWAYS, clock=clock, seconds=5))
    async with running(manager, clock):
        manager.stop()
        await clock.settle()

        with pytest.raises(LifecycleError, match="cannot add Worker a: the manager is stopping"):
            manager.add(Worker(diary, "a"))


def test_nothing_is_added_twice() -> None:
    """It would run twice at the same time."""
    manager, worker = Manager(), Worker([], "a")
    manager.add(worker)

    with pytest.raises(LifecycleError, match="cannot add Worker a a second time"):
        manager.add(worker)


@pytest.mark.parametrize("wrong", [object(), Worker, None])
def test_what_cannot_run_is_refused(wrong: object) -> None:
    """A class instead of an object is the usual slip."""
    with pytest.raises(TypeError, match=r"a manager runs objects with `async def run\(self\)`"):
        Manager().add(wrong)  # type: ignore[arg-type]  # what the test is about


# --- In the background ---


class Holding(Slow):
    """Holds something that it shares with others, until it is released."""

    def release(self) -> None:
        self.diary.append(f"released {self.name}")


async def test_what_two_remove_at_the_same_time_is_released_once() -> None:
    """Released twice, it would take away what another one still holds."""
    clock, diary = VirtualClock(), list[str]()
    held = Holding(diary, "a", Stage.ALWAYS, clock=clock, seconds=5)
    manager = Manager(clock=clock)
    manager.add(held)
    async with manager:
        await clock.settle()
        first = asyncio.create_task(manager.remove(held))
        await clock.settle()
        await clock.run(manager.remove(held))
        await first

    assert diary == ["+a", "-a", "cleaned a", "released a"]  # and nobody cut its end short


async def test_what_is_removed_is_released_though_nobody_waits_for_its_end() -> None:
    """The caller had a time-out, say; the informers of a controller would never end."""
    clock, diary = VirtualClock(), list[str]()
    held = Holding(diary, "a", Stage.ALWAYS, clock=clock, seconds=5)
    manager = Manager(clock=clock)
    manager.add(held)
    async with manager:
        await clock.settle()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await manager.remove(held)
        before = list(diary)
        await clock.advance(5)

        assert before == ["+a", "-a"]
        assert diary == ["+a", "-a", "cleaned a", "released a"]
        with pytest.raises(LookupError):
            await manager.remove(held)


async def test_an_error_ends_the_block_and_comes_out_of_it() -> None:
    """A test that waits for something would otherwise wait for ever."""
    failing = Failing(ValueError("no"))
    manager = Manager(clock=VirtualClock())
    manager.add(failing)

    async def waiting() -> None:
        async with manager:
            failing.now.set()
            await asyncio.Event().wait()

    with pytest.raises(ValueError, match="no"):
        await waiting()


async def test_an_error_in_the_block_stops_the_manager() -> None:
    """And is what comes out."""
    diary: list[str] = []
    manager = Manager(clock=VirtualClock())
    manager.add(Worker(diary, "a"))

    async def failing() -> None:
        async with manager:
            await asyncio.sleep(0)
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        await failing()

    assert diary == ["+a", "-a"]


async def test_an_error_of_the_start_comes_out_of_the_entry() -> None:
    """The block is never entered."""
    failing = Failing(ValueError("no"), Stage.CACHES)
    failing.now.set()
    manager = Manager(clock=VirtualClock())
    manager.add(failing)
    manager.add(Gated([], "cache", Stage.CACHES))

    with pytest.raises(ValueError, match="no"):
        async with manager:
            pytest.fail("it must not start")


async def test_a_stop_inside_of_the_block_is_no_error() -> None:
    """The block goes on to its end."""
    manager = Manager(clock=VirtualClock())

    async with manager:
        manager.stop()
        await VirtualClock().settle()
        reached = True

    assert reached


# --- Pages ---


async def test_ports_are_taken_before_anything_starts() -> None:
    """A wrong flag must not cost a cache that was filled for a minute."""
    diary: list[str] = []
    async with HTTPServer(Scripted(Response(200))) as taken:
        manager = Manager(health_probe_bind_address=taken.url.removeprefix("http://"))
        manager.add(Worker(diary, "a"))

        with pytest.raises(ConfigError, match="health_probe_bind_address: cannot listen on"):
            await manager.run()

    assert diary == []


def test_an_address_that_is_none_is_refused_when_it_is_given() -> None:
    """Before anything else."""
    with pytest.raises(ConfigError, match="metrics_bind_address: 'x' is not an address"):
        Manager(metrics_bind_address="x")


async def test_readiness_follows_the_stages_until_the_end() -> None:
    """Not ready while it starts, ready, and not ready while it stops; alive all the time."""
    clock, diary = VirtualClock(), list[str]()
    cache = Gated(diary, "cache", Stage.CACHES)
    manager = Manager(clock=clock, health_probe_bind_address="127.0.0.1:0")
    manager.add(cache)
    manager.add(Slow(diary, "slow", Stage.LEADER, clock=clock, seconds=5))
    async with running(manager, clock):
        while manager.health_url is None:  # noqa: ASYNC110  # the address is looked up in a thread
            await asyncio.sleep(0)
        url = manager.health_url
        starting = await got(url, "/readyz")
        cache.gate.set()
        await manager.elected
        await clock.settle()
        ready = await got(url, "/readyz")
        manager.stop()
        await clock.settle()
        stopping, alive = await got(url, "/readyz"), await got(url, "/healthz")

    assert b"[-]stages failed: stage CACHES waits for Gated cache" in starting[1]
    assert ready[1] == b"ok"
    assert b"[-]shutdown failed: the process is shutting down" in stopping[1]
    assert alive[0].startswith(b"HTTP/1.1 200 ")


async def test_a_runnable_tells_readiness_what_is_wrong() -> None:
    """The manager knows nothing of it but that."""

    class Ailing(Worker):
        def health(self) -> Iterable[Problem]:
            return [Problem("informer/pods", "cannot list pods: forbidden")]

    manager = Manager(health_probe_bind_address="127.0.0.1:0")
    manager.add(Ailing([], "a"))

    async with manager:
        head, body = await got(manager.health_url, "/readyz/informer/pods")

    assert head.startswith(b"HTTP/1.1 500 ")
    assert body == b"[-]informer/pods failed: cannot list pods: forbidden\n"


async def test_metrics_are_served() -> None:
    """Those of everybody in the process."""
    family = metrics.Gauge("test_manager_pages", "Only for this test.")
    family.labels().set(3)
    manager = Manager(metrics_bind_address="127.0.0.1:0")

    async with manager:
        _, body = await got(manager.metrics_url, "/metrics")

    assert b"test_manager_pages 3.0" in body
    assert manager.metrics_url is None


async def test_secure_metrics_want_a_token() -> None:
    """From the thread of the probes, too; who may see them is in the conformance tests."""
    async with EmbeddedServer() as server, server.client() as client:
        manager = Manager(Cluster(client), metrics_bind_address="127.0.0.1:0", metrics_secure=True)
        async with manager:
            url = str(manager.metrics_url)
            anybody = ssl.create_default_context()
            anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
            host, _, port = url.removeprefix("https://").rpartition(":")
            peer = Peer(*await asyncio.open_connection(host, int(port), ssl=anybody))
            await peer.send(b"GET /metrics HTTP/1.1\r\nHost: t\r\n\r\n")
            head, _ = await peer.answer()
            await peer.close()

    assert head.startswith(b"HTTP/1.1 401 ")


async def test_certificate_files_are_read_before_anything_starts(tmp_path: Path) -> None:
    """A Secret that is not mounted is said at once."""
    diary: list[str] = []
    async with EmbeddedServer() as server, server.client() as client:
        manager = Manager(
            Cluster(client),
            metrics_bind_address="127.0.0.1:0",
            metrics_secure=True,
            metrics_cert_path=tmp_path,
            metrics_cert_name="my.crt",
        )
        manager.add(Worker(diary, "a"))

        with pytest.raises(
            ConfigError, match=r"metrics_cert_path: cannot read .*/my\.crt: No such"
        ):
            await manager.run()

    assert diary == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics_cert_path": "/certs"}, "metrics_cert_path: '/certs' would not be used"),
        ({"metrics_secure": True}, "metrics_secure: there is no cluster that could say"),
    ],
)
def test_secure_metrics_that_would_not_be_secure_are_refused(
    options: dict[str, Any], message: str
) -> None:
    """Nobody should believe in a certificate that is not used."""
    with pytest.raises(ConfigError, match=message):
        Manager(metrics_bind_address=":8443", **options)


async def test_probes_are_not_behind_the_token_of_secure_metrics() -> None:
    """The kubelet has none, and would kill the process."""
    async with EmbeddedServer() as server, server.client() as client:
        with pytest.raises(ConfigError, match="health_probe_bind_address: the port 8080 is that"):
            Manager(
                Cluster(client),
                metrics_bind_address=":8080",
                metrics_secure=True,
                health_probe_bind_address=":8080",
            )


def test_secure_metrics_that_are_off_need_nothing() -> None:
    """A flag that is always set does not turn the page on."""
    assert Manager(metrics_secure=True, health_probe_bind_address=":0").metrics_url is None


# --- Signals, and a leader without a cluster ---


async def test_a_signal_stops_it() -> None:
    """The kubelet sends one, and gives it the grace period."""
    diary: list[str] = []
    manager = Manager(clock=VirtualClock())
    manager.add(Worker(diary, "a"))
    task = asyncio.create_task(manager.run_until_signal())
    await manager.elected

    os.kill(os.getpid(), signal.SIGTERM)
    await task

    assert diary == ["+a", "-a"]


async def test_what_does_not_stop_ends_the_process() -> None:
    """Otherwise the loop would wait for it for ever, and it would go on with its work."""
    clock, deaf, exits = VirtualClock(), Deaf(), list[int]()
    manager = Manager(clock=clock)
    manager.add(deaf)
    task = asyncio.create_task(manager.run_until_signal(exit=exits.append))
    await clock.settle()

    early = manager.hanging
    manager.stop()
    await clock.advance(31)

    assert exits == [1]
    assert (early, manager.hanging) == ([], ["Deaf deaf"])
    with pytest.raises(StopTimeoutError):
        await task
    deaf.free.set()
    await clock.settle()


def test_a_grace_period_is_no_negative_number() -> None:
    """In Go it means for ever; here that is None, and a slip is a slip."""
    with pytest.raises(ConfigError, match="None to wait as long as it takes"):
        Manager(grace_period=-1)


def test_a_lease_needs_a_server() -> None:
    """The message says both ways to give one."""
    with pytest.raises(ConfigError, match="give the manager one, or LeaderElection a client"):
        Manager(leader_election=LeaderElection("shops"))


# --- Clusters and leadership ---


def replica(here: Town, name: str, diary: list[str], **options: Any) -> Manager:
    """Return a manager with a warm cache and a controller, which competes as *name*."""
    cluster = Cluster(here.connect(name), clock=here.clock)
    cluster.cache.informer(ConfigMap)
    election = LeaderElection(ID, identity=name)
    manager = Manager(cluster, leader_election=election, clock=here.clock, **options)
    manager.add(Worker(diary, f"always {name}"))
    manager.add(Worker(diary, f"controller {name}", Stage.LEADER))
    return manager


async def test_a_standby_is_warm_and_leads_nothing() -> None:
    """When it takes over, nothing has to be listed first."""
    diary: list[str] = []
    async with town() as here, replica(here, "a", diary) as leader, replica(here, "b", diary) as b:
        await here.clock.advance(30)

        assert diary == ["+always a", "+controller a", "+always b"]
        assert (bool(leader.elected), bool(b.elected)) == (True, False)
        assert (leader.leading, b.leading) == (True, False)


async def test_a_standby_takes_over_when_the_leader_stops() -> None:
    """At once, and not before the controllers of the leader have ended."""
    diary: list[str] = []
    async with town() as here, replica(here, "b", diary) as standby:
        await here.clock.settle()
        diary.clear()
        async with replica(here, "a", diary):
            await here.clock.advance(10)
        assert diary == ["+always a", "-always a"]  # b was first
        task = asyncio.create_task(_stopped(standby))
        async with replica(here, "c", diary) as last:
            await here.clock.advance(LONGEST_WAIT)
            await task
            await last.elected
            await here.clock.settle()

            assert diary[-1] == "+controller c"
            assert diary.index("-controller b") < diary.index("+controller c")


async def _stopped(manager: Manager) -> None:
    manager.stop()
    assert manager._background is not None
    await asyncio.wait([manager._background])


async def test_a_lost_lease_ends_the_last_stage_at_once_and_the_manager_with_an_error() -> None:
    """Another process may already work on the same objects."""
    diary: list[str] = []
    async with town() as here:
        manager = replica(here, "a", diary)
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            here.networks["a"].cut()
            await here.clock.advance(12.01)  # one period and the deadline
            when = list(diary)
            await here.clock.advance(5)

            with pytest.raises(LeaderElectionLostError, match="could not be renewed") as caught:
                await task

    assert caught.value.__notes__ == ["(from leader-election of the manager)"]
    assert when[-2:] == ["-controller a", "-always a"]
    assert not manager.leading


async def test_a_controller_that_cleans_up_is_cut_short_when_the_lease_is_lost() -> None:
    """Its last writes would be those of a second leader."""
    diary: list[str] = []
    async with town() as here:
        manager = replica(here, "a", diary)
        manager.add(Slow(diary, "slow", Stage.LEADER, clock=here.clock, seconds=20))
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            here.networks["a"].cut()
            await here.clock.advance(12)
            at_once = list(diary)
            await here.clock.advance(2)

            with pytest.raises(LeaderElectionLostError):
                await task

    assert at_once[-3:-1] == ["-controller a", "-slow"]
    assert "cleaned slow" not in diary


async def test_a_running_reconcile_is_cut_off_when_the_lease_is_lost() -> None:
    """Although a controller lets it finish when it is stopped politely."""
    diary: list[tuple[str, float]] = []
    async with town() as here:
        await here.client.create(ConfigMap(metadata=ObjectMeta(name="a")))

        async def reconcile(request: Request, run: Run) -> None:
            diary.append(("begin", here.clock.monotonic()))
            try:
                await here.clock.sleep(100)
                diary.append(("written", here.clock.monotonic()))
            finally:
                diary.append(("end", here.clock.monotonic()))

        cluster = Cluster(here.connect("a"))
        controller = Controller("maps", reconcile, cluster=cluster, for_=ConfigMap)
        election = LeaderElection(ID, identity="a")
        manager = Manager(cluster, leader_election=election, clock=here.clock)
        manager.add(controller)
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            here.networks["a"].cut()
            await here.clock.advance(20)

            with pytest.raises(LeaderElectionLostError):
                await task

    assert diary == [("begin", 0.0), ("end", 22.0)]


async def test_who_has_lost_the_lease_does_not_write_even_that() -> None:
    """The log and the exit status say so; the next leader's event says who leads."""
    async with town() as here:
        manager = replica(here, "a", [])
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            lease = await here.lease()
            lease.spec.holder_identity = "thief"
            await here.client.update(lease)
            await here.clock.advance(2)

            assert task.done()
            assert await here.events() == ["a became leader"]


class Writer(Worker):
    """Writes when it is told to, whatever has become of it meanwhile."""

    def __init__(self, cluster: Cluster, name: str, stage: Stage) -> None:
        super().__init__([], name, stage)
        self.cluster = cluster
        self.now = asyncio.Event()
        self.refused: Exception | None = None

    async def run(self) -> None:
        while not self.now.is_set():
            with suppress(asyncio.CancelledError):  # as a task that somebody else has started
                await self.now.wait()
        made = ConfigMap(metadata=ObjectMeta(name=self.name))
        self.cluster.recorder("test").event(made, reason="Wrote", message=self.name)
        try:
            await asyncio.create_task(self.cluster.client.create(made))
        except NotLeadingError as error:
            self.refused = error


async def test_nothing_that_needs_the_lease_leaves_after_its_end() -> None:
    """A process that was stopped, and goes on: no task of it knows yet that it leads no longer."""
    async with town() as here:
        cluster = Cluster(here.connect("a"), clock=here.clock)
        manager = Manager(cluster, leader_election=LeaderElection(ID, identity="a"))
        leader = Writer(cluster, "leader", Stage.LEADER)
        always = Writer(cluster, "always", Stage.ALWAYS)
        manager.add(leader)
        manager.add(always)
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)

            await jumped(here.clock, 60)
            leader.now.set()
            always.now.set()
            await here.clock.advance(10)

            with pytest.raises(LeaderElectionLostError):
                await task
        maps = here.client.list(ConfigMap, namespace="default")
        written = [one.metadata.name async for one in maps]
        told = [event.message or "" async for event in here.client.list(Event)]

    assert written == ["always"]
    assert sorted(told) == ["a became leader", "always"]
    assert str(leader.refused).startswith("not sent: this process does not hold lease default/shop")


async def test_the_lease_is_kept_while_controllers_clean_up() -> None:
    """And is given up right after, before the caches stop."""
    diary: list[str] = []
    async with town() as here:
        manager = replica(here, "a", diary)
        manager.add(Slow(diary, "slow", Stage.LEADER, clock=here.clock, seconds=25))
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            manager.stop()
            await here.clock.advance(24)
            before = (await here.lease()).spec.holder_identity
            still = manager.leading
            await here.clock.advance(2)
            await task

            after = (await here.lease()).spec.holder_identity

    assert (before, still, after) == ("a", True, "")


@pytest.mark.parametrize("takes", [10.0, 3600.0], ids=["just in time", "too long"])
async def test_a_reconcile_that_ends_with_the_grace_accuses_nobody(takes: float) -> None:
    """It was finished or cut off, and so everything has ended: the lease is given up."""
    async with town() as here:
        await here.client.create(ConfigMap(metadata=ObjectMeta(name="a")))

        async def reconcile(request: Request, run: Run) -> None:
            await here.clock.sleep(takes)

        cluster = Cluster(here.connect("a"))
        controller = Controller(
            "maps", reconcile, cluster=cluster, for_=ConfigMap, stop_grace=10.0, deadline=None
        )
        election = LeaderElection(ID, identity="a")
        manager = Manager(cluster, leader_election=election, grace_period=10.0)
        manager.add(controller)
        async with running(manager, here.clock) as task:
            manager.stop()
            await here.clock.advance(20)

            await task
            holder = (await here.lease()).spec.holder_identity

    assert holder == ""


@pytest.mark.parametrize("grace", [0.0, 5.0])
async def test_the_lease_is_given_up_by_who_had_to_be_told_twice(grace: float) -> None:
    """In the end nothing runs that needs it, so nobody has to wait until it expires."""
    diary: list[str] = []
    async with town() as here:
        manager = replica(here, "a", diary, grace_period=grace)
        manager.add(Slow(diary, "slow", Stage.LEADER, clock=here.clock, seconds=25))
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            manager.stop()
            await here.clock.advance(grace + 1)

            await task
            holder = (await here.lease()).spec.holder_identity

    assert holder == ""
    assert "cleaned slow" not in diary


async def test_the_lease_of_a_controller_that_hangs_is_not_given_up() -> None:
    """It may still write; the lease has to expire."""
    deaf = Deaf(Stage.LEADER)
    async with town() as here:
        manager = replica(here, "a", [])
        manager.add(deaf)
        async with running(manager, here.clock) as task:
            await here.clock.advance(10)
            manager.stop()
            await here.clock.advance(32)

            with pytest.raises(StopTimeoutError, match="Deaf deaf"):
                await task
            holder = (await here.lease()).spec.holder_identity

        deaf.free.set()
        await here.clock.settle()
    assert holder == "a"


async def test_several_clusters_run_in_one_manager() -> None:
    """Each with its own cache; the lease is on the first."""
    async with town() as here, town(here.clock) as there:
        clusters = [Cluster(each.connect("x"), name=str(n)) for n, each in enumerate((here, there))]
        for cluster in clusters:
            cluster.cache.informer(ConfigMap)
        election = LeaderElection(ID, identity="a")

        async with Manager(*clusters, leader_election=election, clock=here.clock) as manager:
            await manager.elected
            synced = [list(cluster.health()) for cluster in clusters]
            leases = [await each.client.find(Lease, ID) for each in (here, there)]

    assert synced == [[], []]
    assert leases[0] is not None
    assert leases[1] is None


async def test_the_lease_is_never_read_from_a_cache() -> None:
    """A program may watch leases, too; what it has seen of them is always a bit old."""
    async with town() as here:
        managers = []
        for name in "ab":
            cluster = Cluster(here.connect(name))
            cluster.cache.informer(Lease)
            election = LeaderElection(ID, identity=name)
            managers.append(Manager(cluster, leader_election=election, clock=here.clock))
        async with managers[0] as first, managers[1] as second:
            await here.clock.advance(10)
            await _stopped(first)

            await here.clock.advance(LONGEST_WAIT)

            assert second.leading


async def test_no_task_is_left_behind() -> None:
    """A process that starts and stops managers, such as a test run, must not grow."""
    async with town() as here:
        before = asyncio.all_tasks()

        async with replica(here, "a", []) as manager:
            await manager.elected
            await here.clock.advance(100)

        assert asyncio.all_tasks() == before
