"""What happens around a call of the user's function."""

import asyncio
import logging
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import kubewright as kw
from kubewright.api.requests import Request
from kubewright.client.transport import Response
from kubewright.kinds.core.v1 import ConfigMap, Event, Secret
from kubewright.testing import VirtualClock, operator_test
from tests.unit.operator.world import Shop, World, config, running, shop

FINALIZER = "example.com/shops"


def operator_of(function: Callable[..., Any], **options: Any) -> kw.Operator:
    made = kw.Operator("shops")
    made.reconciler(Shop, **options)(function)
    return made


class StrictSpec(kw.Model):
    size: str


@kw.resource(group="example.com", version="v1", kind="Shop")
class Strict(kw.Resource):
    """A shop, as somebody believes it to be."""

    spec: StrictSpec


class WholeStatus(kw.Model):
    observed_generation: int | None = None
    conditions: list[kw.Condition] = []


@kw.resource(group="example.com", version="v1", kind="Shop", status_subresource=False)
class Whole(kw.Resource):
    """A shop whose status the server does not keep apart."""

    status: WholeStatus = kw.field(default_factory=WholeStatus)


async def do_nothing(obj: Shop, ctx: kw.Context) -> None: ...


async def test_a_reconciler_gets_the_object_as_it_is() -> None:
    """Not as it was when it was queued."""
    seen: list[tuple[str, int]] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        seen.append((obj.metadata.name, obj.spec.size))

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop(size=3))
        await w.other.patch(Shop, "corner", {"spec": {"size": 4}})
        await w.pass_time()

        assert seen[-1] == ("corner", 4)


async def test_an_object_that_is_gone_needs_nothing() -> None:
    """Its last event leads to a run in which there is nothing to do."""
    calls: list[str] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        calls.append(obj.metadata.name)

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.pass_time()

        assert calls == ["corner"]


# --- Status ---


async def test_a_changed_status_is_written_once_and_at_rest_nothing_is() -> None:
    """The write leads to an event, and that must not lead to another write."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Closed"
        obj.status.phase = "Open"

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time(600)

        assert w.take_writes() == ["patch shops corner status"]
        assert (await w.shop()).status.phase == "Open"


async def test_the_observed_generation_follows_success_only() -> None:
    """Whoever waits for it believes that the spec was acted upon."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        if obj.spec.size < 0:
            obj.status.phase = "Failed"
            raise RuntimeError("less than nothing")

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()
        good = await w.shop()
        await w.other.patch(Shop, "corner", {"spec": {"size": -1}})
        await w.pass_time()

        assert good.status.observed_generation == good.metadata.generation == 1
        bad = await w.shop()
        assert (bad.status.observed_generation, bad.status.phase) == (1, "Failed")


async def test_a_status_that_belongs_to_others_is_not_written(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Without the right to do so; whoever changes it nevertheless is told, once."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Open" if obj.metadata.name == "wrong" else obj.status.phase

    operator = kw.Operator("shops")
    operator.reconciler(kw.For(Shop, writes_status=False))(reconcile)
    async with running(operator) as w:
        await w.other.create(shop("right"))
        await w.pass_time(600)
        silent = "writes_status" not in caplog.text
        await w.other.create(shop("wrong"))
        await w.pass_time(600)

        assert w.take_writes() == []
    assert silent
    assert caplog.text.count("writes_status=False was declared") == 1


async def test_the_status_of_a_run_that_waits_is_written() -> None:
    """People read there what it waits for; the spec was not acted upon yet."""
    waits = True

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        if waits:
            ctx.set_condition("Ready", False, "NoDatabase")
            raise kw.RetryAfter(30, "no database") from OSError("refused")
        ctx.set_condition("Ready", True, "Open")

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()
        before, waits = await w.shop(), False
        await w.pass_time(30)
        after = await w.shop()

    assert [one.reason for one in before.status.conditions] == ["NoDatabase"]
    assert before.status.observed_generation is None
    assert [one.reason for one in after.status.conditions] == ["Open"]


def two(first: Callable[..., Any], second: Callable[..., Any], **options: Any) -> kw.Operator:
    made = operator_of(first, name="first")
    made.reconciler(Shop, name="second", **options)(second)
    return made


async def test_two_reconcilers_of_a_kind_keep_what_the_other_wrote() -> None:
    """One that began before there was a status, and never touches it, ends last."""
    w: World

    async def idle(obj: Shop, ctx: kw.Context) -> None:
        await w.clock.sleep(10)

    async def work(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Open"
        ctx.set_condition("Ready", True, "Fine")

    async with running(two(idle, work)) as w:
        await w.other.create(shop())
        await w.pass_time(60)

        seen = (await w.shop()).status
        assert (seen.phase, seen.observed_generation, len(seen.conditions)) == ("Open", 1, 1)


async def test_a_generation_is_observed_when_the_last_reconciler_of_the_kind_succeeds() -> None:
    """Whoever waits for it would believe that all was done while one of them keeps failing."""
    fails = [True]

    async def works(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Open"

    async def broken(obj: Shop, ctx: kw.Context) -> None:
        if fails[0]:
            raise RuntimeError("the cloud is away")

    async with running(two(works, broken)) as w:
        await w.other.create(shop())
        await w.pass_time(60)
        before = (await w.shop()).status
        fails[0] = False
        await w.pass_time(600)

        assert (before.phase, before.observed_generation) == ("Open", None)
        assert (await w.shop()).status.observed_generation == 1


async def test_a_reconciler_that_chooses_its_changes_does_not_hold_up_the_generation() -> None:
    """It may never be called for a new one."""
    never = kw.For(Shop, predicate=lambda event: False)
    operator = operator_of(do_nothing)
    operator.reconciler(never, name="second")(do_nothing)

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(60)

        assert (await w.shop()).status.observed_generation == 1


async def test_no_generation_is_observed_where_the_status_counts_as_one() -> None:
    """To write the generation would make the next one, and lead to the next run."""
    operator, runs = kw.Operator("shops"), 0

    @operator.reconciler(Whole)
    async def reconcile(obj: Whole, ctx: kw.Context) -> None:
        nonlocal runs
        runs += 1
        ctx.set_condition("Ready", True, "Open")

    async with operator_test(operator) as test:
        await test.client.create(Whole(metadata=kw.ObjectMeta(name="corner")))
        await test.advance(60)
        status = (await test.client.get(Whole, "corner")).status

    assert runs == 2  # the second one for the change of the status
    assert (status.observed_generation, status.conditions[0].observed_generation) == (None, None)


async def test_who_was_waited_for_observes_what_the_others_did_meanwhile() -> None:
    """A timer sees the new spec only at its next call, which may be hours later."""
    operator = operator_of(do_nothing)

    @operator.timer(Shop, interval=3600)
    async def check(obj: Shop, ctx: kw.Context) -> None:
        await asyncio.sleep(10)

    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(5)
        await w.other.patch(Shop, "corner", {"spec": {"size": 2}})
        await w.pass_time(3)
        during = (await w.shop()).status.observed_generation
        await w.pass_time(20)

        assert during != 2
        assert (await w.shop()).status.observed_generation == 2


async def test_two_reconcilers_that_end_together_observe_the_generation() -> None:
    """Each takes the other for the last one; one of them must say it after all."""
    w: World

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await w.clock.sleep(1)
        obj.status.phase = "Open"

    async with running(two(reconcile, reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time(60)

        assert (await w.shop()).status.observed_generation == 1


async def test_a_status_write_that_meets_a_newer_object_is_tried_again_quietly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Somebody else was faster, which is ordinary life."""
    w: World

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        ctx.set_condition("Ready", True, "Fine")
        if obj.spec.size == 1:
            await w.other.patch(Shop, "corner", {"spec": {"size": 2}})

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()

        assert kw.is_condition_true((await w.shop()).status.conditions, "Ready")
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_an_object_that_goes_while_it_is_reconciled_is_no_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """There is nobody left to tell."""
    w: World

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Open"
        await w.other.delete(Shop, "corner")

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time(60)

        assert w.take_writes() == ["patch shops corner status"]
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


async def test_a_failure_counts_more_than_that_its_status_could_not_be_written(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The first is what the user must know; the second is a note to it."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Failed"
        raise kw.TerminalError("no such street")

    def refuse(request: Request) -> Response | None:
        return Response(500, (), b"") if request.attempt.subresource == "status" else None

    async with running(operator_of(reconcile)) as w:
        w.transport.intercept = refuse
        await w.other.create(shop())
        await w.pass_time()

    assert "no such street" in caplog.text


async def test_changes_outside_of_the_status_are_not_written_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whoever forgot to patch looks for their label for a long time."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.metadata.labels["seen"] = "yes"
        obj.spec.size += 1

    async with running(operator_of(reconcile)) as w:
        for name in ("a", "b"):
            await w.other.create(shop(name))
        await w.pass_time()

        assert (await w.shop("a")).metadata.labels == {}
    said = [one.getMessage() for one in caplog.records if "ctx.client.patch(obj)" in one.message]
    assert len(said) == 1
    assert "metadata, spec" in said[0]


async def test_changes_that_were_patched_are_not_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """They did as they were told."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.metadata.labels["seen"] = "yes"
        await ctx.client.patch(obj)

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()

        assert (await w.shop()).metadata.labels == {"seen": "yes"}
    assert "ctx.client.patch(obj)" not in caplog.text


# --- Clean-up ---


def with_cleanup(cleanup: Callable[..., Any], reconcile: Any = do_nothing) -> kw.Operator:
    made = operator_of(reconcile)
    made.cleanup(Shop)(cleanup)
    return made


async def test_the_finalizer_is_there_before_the_first_reconcile() -> None:
    """Otherwise what that made could be left behind."""
    seen: list[list[str]] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        seen.append(obj.metadata.finalizers)
        obj.status.phase = "Open"

    async with running(with_cleanup(do_nothing, reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()

        assert seen[0] == [FINALIZER]
        assert w.take_writes() == ["patch shops corner", "patch shops corner status"]


async def test_a_deleted_object_is_cleaned_up_and_then_goes() -> None:
    """And is not reconciled any more, which would make anew what is being removed."""
    calls: list[str] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        calls.append("reconcile")

    async def cleanup(obj: Shop, ctx: kw.Context) -> None:
        calls.append("cleanup")

    async with running(with_cleanup(cleanup, reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()
        calls.clear()
        await w.other.delete(Shop, "corner")
        await w.pass_time(60)

        assert calls == ["cleanup"]
        assert await w.other.find(Shop, "corner") is None


async def test_a_cleanup_that_is_not_done_is_called_again() -> None:
    """It waits for something, and says how long; meanwhile the status tells of it."""
    calls: list[float] = []

    async def cleanup(obj: Shop, ctx: kw.Context) -> kw.Result | None:
        calls.append(ctx.now().timestamp())
        obj.status.phase = "Closing"
        return kw.Result(requeue_after=10) if len(calls) < 3 else None

    async with running(with_cleanup(cleanup)) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.pass_time(5)
        waiting = await w.shop()
        await w.pass_time(30)

        assert waiting.status.phase == "Closing"
        assert [b - a for a, b in pairwise(calls)] == [10, 10]
        assert await w.other.find(Shop, "corner") is None


async def test_a_cleanup_that_fails_keeps_the_object() -> None:
    """It is tried again until it is done."""
    fails = [True]

    async def cleanup(obj: Shop, ctx: kw.Context) -> None:
        if fails[0]:
            raise RuntimeError("the cloud is away")

    async with running(with_cleanup(cleanup)) as w:
        await w.other.create(shop())
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.pass_time(60)
        kept = await w.other.find(Shop, "corner")
        fails[0] = False
        await w.pass_time(600)

        assert kept is not None
        assert await w.other.find(Shop, "corner") is None


async def test_the_last_status_of_a_cleanup_does_not_get_in_the_way_of_its_end() -> None:
    """The finalizer goes from the object as it is after the status was written."""

    async def cleanup(obj: Shop, ctx: kw.Context) -> None:
        ctx.set_condition("Ready", False, "Closed")

    async with running(with_cleanup(cleanup)) as w:
        kept = shop()
        kept.metadata.finalizers = ["other.com/a"]
        await w.other.create(kept)
        await w.pass_time()
        w.take_writes()
        await w.other.delete(Shop, "corner")
        await w.pass_time()

        assert w.take_writes() == ["patch shops corner status", "patch shops corner"]
        left = await w.shop()
        assert left.metadata.finalizers == ["other.com/a"]
        assert left.status.conditions[0].reason == "Closed"


async def test_without_a_cleanup_an_object_that_is_being_deleted_is_left_alone() -> None:
    """Somebody else's finalizer holds it."""
    calls: list[str] = []

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        calls.append(obj.metadata.name)

    async with running(operator_of(reconcile)) as w:
        kept = shop()
        kept.metadata.finalizers = ["other.com/a"]
        await w.other.create(kept)
        await w.pass_time()
        await w.other.delete(Shop, "corner")
        await w.pass_time()

        assert calls == ["corner"]


# --- Children ---


async def test_children_are_applied_kept_and_pruned() -> None:
    """The whole life of a set of children, with no more writes than changes."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        for number in range(obj.spec.size):
            await ctx.apply(config(f"{obj.metadata.name}-{number}"))
        await ctx.prune()

    async with running(operator_of(reconcile, owns=[ConfigMap])) as w:
        await w.other.create(shop(size=2))
        await w.pass_time()
        made = w.take_writes()
        await w.other.delete(ConfigMap, "corner-0")
        await w.pass_time()
        mended = w.take_writes()
        await w.other.patch(Shop, "corner", {"spec": {"size": 1}})
        await w.pass_time()

        assert made == [
            "apply configmaps corner-0",
            "apply configmaps corner-1",
            "patch shops corner status",
        ]
        assert mended == ["apply configmaps corner-0"]
        assert w.take_writes() == ["delete configmaps corner-1", "patch shops corner status"]


async def test_nothing_is_remembered_of_parents_that_are_gone_or_have_no_children() -> None:
    """There may be very many of them, for years."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        if obj.spec.size:
            await ctx.apply(config("child"))

    async with running(operator_of(reconcile, owns=[ConfigMap])) as w:
        reconciler: Any = w.controllers[0]._workers._reconcile
        await w.other.create(shop("childless", size=0))
        await w.other.create(shop())
        await w.pass_time()
        meanwhile = set(reconciler._memories)
        await w.other.delete(Shop, "corner")
        await w.pass_time()

        assert meanwhile == {kw.Request("default", "corner")}
        assert reconciler._memories == {}


# --- Functions in threads ---


async def real_time(w: World, done: Callable[[], bool]) -> None:
    """Let threads work, which virtual time waits for."""
    for _ in range(1000):
        if done():
            return
        await w.pass_time(0.01)
        await asyncio.to_thread(time.sleep, 0.001)  # for clocks that wait for no thread
    raise AssertionError("it never came to that")


async def test_a_plain_function_runs_in_a_thread_with_blocking_verbs() -> None:
    """Not everybody likes async."""
    threads: list[threading.Thread] = []

    def reconcile(obj: Shop, ctx: kw.SyncContext) -> None:
        threads.append(threading.current_thread())
        child = ctx.apply(config("child", size=str(obj.spec.size)))
        found = ctx.client.get(ConfigMap, "child", namespace=obj.metadata.namespace)
        obj.status.phase = f"{child.data['size']}{found.data['size']}"

    async with running(operator_of(reconcile, owns=[ConfigMap])) as w:
        await w.other.create(shop(size=3))
        await real_time(w, lambda: "patch shops corner status" in w.take_writes())
        await w.pass_time()

        assert threads[0] is not threading.main_thread()
        assert (await w.shop()).status.phase == "33"
        await real_time(w, lambda: not w.controllers[0].queue.processing)


async def test_the_deadline_of_a_thread_frees_the_worker_but_not_the_object() -> None:
    """Nobody may work on it before the thread has ended."""
    proceed, calls = threading.Event(), []

    def reconcile(obj: Shop, ctx: kw.SyncContext) -> None:
        calls.append(obj.metadata.name)
        if obj.metadata.name == "slow":
            proceed.wait(10)

    clock = VirtualClock(wait_for_threads=False)
    async with running(operator_of(reconcile, deadline=5.0), clock=clock) as w:
        await w.other.create(shop("slow"))
        await real_time(w, lambda: bool(calls))
        await w.pass_time(60)
        await w.other.create(shop("other"))
        await real_time(w, lambda: "other" in calls)
        early = calls.count("slow")
        proceed.set()
        await real_time(w, lambda: calls.count("slow") > 1)
        await real_time(w, lambda: not w.controllers[0].queue.processing)

        assert early == 1


async def test_an_object_can_be_a_reconciler() -> None:
    """One that has something to hold on to; async if its call is."""
    seen: list[str] = []

    class Reconciler:
        async def __call__(self, obj: Shop, ctx: kw.Context) -> None:
            seen.append(type(ctx).__name__)

    async with running(operator_of(Reconciler())) as w:
        await w.other.create(shop())
        await w.pass_time()

        assert seen == ["Context"]


# --- Mistakes ---


async def test_a_status_that_the_server_does_not_serve_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The CRD that is installed is not the one of the class."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = "Open"

    async with running(operator_of(reconcile)) as w:
        crd = "shops.example.com"
        without = [{"op": "remove", "path": "/spec/versions/0/subresources"}]
        await w.other.patch("crd", crd, without, patch_type="json")
        await w.other.create(shop())
        await w.pass_time(60)

    said = [one.getMessage() for one in caplog.records if "status subresource" in one.message]
    assert len(said) == 1
    assert "kubewright run --install-crds" in said[0]


async def test_a_status_that_cannot_be_sent_does_not_hide_the_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The second mistake is often a consequence of the first."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        obj.status.phase = object()  # type: ignore[assignment]  # that is the mistake
        raise kw.TerminalError("no such street")

    async with running(operator_of(reconcile)) as w:
        await w.other.create(shop())
        await w.pass_time()

    assert "no such street" in caplog.text


async def test_a_result_of_another_type_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """``return 5`` is a habit from another framework."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> Any:
        return 5

    async with running(operator_of(reconcile, retry=kw.Retry.NEVER)) as w:
        await w.other.create(shop())
        await w.pass_time()

    assert "reconcile returned 5: a reconciler returns None or a kw.Result" in caplog.text


async def test_an_object_that_does_not_fit_its_class_is_not_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Only a change of the object can help, and that queues it anyway."""
    calls: list[int] = []

    async def reconcile(obj: Strict, ctx: kw.Context) -> None:
        calls.append(1)

    operator = kw.Operator("shops")
    operator.reconciler(Strict)(reconcile)
    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(600)

    said = [one.getMessage() for one in caplog.records if "does not fit its class" in one.message]
    assert len(said) == 1
    assert "spec.size" in said[0]
    assert calls == []


async def unreachable(obj: Strict, ctx: kw.Context) -> None: ...


def strict(cleanup: Callable[..., Any]) -> kw.Operator:
    made = kw.Operator("shops")
    made.reconciler(Strict)(unreachable)
    made.cleanup(Strict)(cleanup)
    return made


async def delete_unfit(w: World) -> None:
    """Make a shop that an earlier version of the operator has held, and let it be deleted."""
    held = shop(size=3)
    held.metadata.finalizers = [FINALIZER]
    await w.other.create(held)
    await w.pass_time()
    await w.other.delete(Shop, "corner")
    await w.pass_time()


async def test_an_object_that_does_not_fit_its_class_is_cleaned_up_by_what_can_be_read(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Otherwise ``kubectl delete`` hangs until somebody removes the finalizer by hand."""
    seen: list[str] = []

    async def cleanup(obj: Strict, ctx: kw.Context) -> None:
        seen.append(obj.metadata.name)

    async with running(strict(cleanup)) as w:
        await delete_unfit(w)

        assert await w.other.find(Shop, "corner") is None
    assert seen == ["corner"]
    assert "cleaned up by what can be read" in caplog.text


async def test_a_cleanup_that_needs_what_does_not_fit_keeps_the_object_and_says_so() -> None:
    """To let it go would leave behind what is elsewhere, and nobody would know."""

    async def cleanup(obj: Strict, ctx: kw.Context) -> None:
        assert obj.spec.size

    async with running(strict(cleanup)) as w:
        await delete_unfit(w)

        assert (await w.shop()).metadata.finalizers == [FINALIZER]
        events = await w.other.list(Event)
        assert "no attribute 'size', and the clean-up needs it" in str(events[-1].message)

        await w.other.patch(Shop, "corner", {"metadata": {"finalizers": []}})
        await w.pass_time()


async def test_an_object_that_does_not_fit_and_is_held_by_others_is_left_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is on its way out, and nothing of it is ours."""

    async def cleanup(obj: Strict, ctx: kw.Context) -> None:
        raise AssertionError("not ours")

    async with running(strict(cleanup)) as w:
        held = shop()
        held.metadata.finalizers = ["other.com/a"]
        await w.other.create(held)
        await w.other.delete(Shop, "corner")
        await w.pass_time()

        assert (await w.shop()).metadata.finalizers == ["other.com/a"]
    assert "not ours" not in caplog.text


# --- What users of the object are told ---


async def events_of(operator: kw.Operator, *, seconds: float = 1.0) -> list[tuple[str, str, str]]:
    """Return the type, reason and message of all events after a shop was made."""
    async with running(operator) as w:
        await w.other.create(shop())
        await w.pass_time(seconds)
        found = await w.other.list(Event, namespace="default")
        return [(str(one.type), str(one.reason), str(one.message)) for one in found]


def failing(error: Exception) -> Callable[..., Any]:
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        if ctx.attempt == 1:
            raise error

    return reconcile


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("no money\nat all"), "RuntimeError: no money"),
        (kw.TerminalError("no such region"), "no such region"),
        (kw.TerminalError(""), "TerminalError"),
        (ValueError("x" * 1000), "ValueError: " + "x" * 244),
    ],
)
async def test_a_failure_is_told_on_the_object(error: Exception, message: str) -> None:
    """Whoever made it looks there, and cannot read our log."""
    told = await events_of(operator_of(failing(error)))

    assert told == [("Warning", "ReconcileFailed", message)]


@pytest.mark.parametrize(
    "error",
    [
        kw.ConflictError(kw.errors.Attempt("update", "shops"), kw.errors.Status(reason="Conflict")),
        kw.TransportError("connection refused"),
        ExceptionGroup("", [kw.TransportError("connection refused")]),
    ],
)
async def test_ordinary_life_is_not_told(error: Exception) -> None:
    """It is over before anybody could look."""
    assert await events_of(operator_of(failing(error))) == []


async def test_a_deadline_is_told_with_the_place() -> None:
    """A reconciler that is cancelled does not raise an error of its own."""

    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await asyncio.Event().wait()

    (told,) = await events_of(operator_of(reconcile, deadline=5.0), seconds=6)

    assert told[2].startswith("TimeoutError: the reconcile did not end within its deadline of 5")


async def test_an_object_that_does_not_fit_its_class_is_told_so() -> None:
    """There is no object to give to anybody, and still a name."""
    operator = kw.Operator("shops")

    @operator.reconciler(Strict)
    async def reconcile(obj: Strict, ctx: kw.Context) -> None: ...

    (told,) = await events_of(operator)

    assert told[:2] == ("Warning", "ReconcileFailed")
    assert "does not fit its class" in told[2]


async def test_failures_are_not_told_if_nobody_wants_that() -> None:
    """Some report in the status, and nowhere else."""
    operator = kw.Operator("shops", failure_events=False)
    operator.reconciler(Shop)(failing(RuntimeError("no")))

    assert await events_of(operator) == []


async def test_a_thread_that_hangs_is_found_by_its_deadline(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The place is in the function, not in what waits for it."""
    begun, go = threading.Event(), threading.Event()

    def blocking(obj: Shop, ctx: kw.SyncContext) -> None:
        begun.set()
        go.wait()

    clock = VirtualClock(wait_for_threads=False)
    async with running(operator_of(blocking, deadline=5.0), clock=clock) as w:
        await w.other.create(shop())
        await w.pass_time()
        begun.wait()
        await w.pass_time(5)
        go.set()

    assert f"it hung at {__file__}:" in caplog.text
    assert " in blocking" in caplog.text


async def test_cleanups_gone_and_threads_are_recorded_with_their_writes() -> None:
    """Whatever runs as a reconcile appears, in whichever way the function is called."""
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[ConfigMap])
    def reconcile(obj: Shop, ctx: kw.SyncContext) -> None:
        ctx.log.info("in a thread")
        ctx.apply(config(obj.metadata.name, size=str(obj.spec.size)))

    @operator.cleanup(Shop)
    async def clean_up(obj: Shop, ctx: kw.Context) -> None:
        ctx.log.info("clean up")

    @operator.gone(Shop)
    async def gone(obj: Shop, ctx: kw.Context) -> None:
        ctx.log.info("gone")

    async with operator_test(operator) as test:
        made = await test.client.create(shop())
        await test.settled()
        first = test.runs.for_(made)[0]
        await test.client.delete(Shop, "corner")
        await test.settled()
        lines = [line.event for record in test.runs.for_(made) for line in record.logs]

    assert [str(call) for call in first.writes] == [
        "patch shops.example.com default/corner 200",
        "apply configmaps default/corner 201",
        "patch shops.example.com/status default/corner 200",
    ]
    assert [change.path for change in first.writes[0].changes] == ["metadata.finalizers"]
    assert [line.event for line in first.logs] == ["in a thread"]
    assert lines[-2:] == ["clean up", "gone"]


async def test_no_record_of_a_run_gives_a_secret_away() -> None:
    """Not by what is shown, and not by what lies in memory for a later look."""
    operator = kw.Operator("shops")
    canary = "canary-in-a-coal-mine"

    @operator.reconciler(Shop)
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        secret = Secret(metadata=kw.ObjectMeta(name="s"), string_data={"password": canary})
        await ctx.client.apply(secret, field_owner="test", force=True)
        await ctx.client.live.get(Secret, "s")
        await ctx.client.patch(Secret, "s", {"stringData": {"password": f"{canary}-2"}})
        ctx.log.info("logged", password=canary)
        raise ValueError(f"Authorization: Bearer {canary}")

    async with operator_test(operator) as test:
        made = await test.client.create(shop())
        await test.settled()
        (record, *_) = test.runs.for_(made)
        kept = [
            *(
                getattr(call, name)
                for call in record.calls
                for name in type(call).__struct_fields__
            ),
            *(change for call in record.calls for change in call.changes),
            record,
            record.failure,
            *record.logs,
        ]

    paths = [[change.path for change in call.changes] for call in record.writes]
    assert paths == [["type", "data.password"], ["data.password"]]
    assert canary not in str(kept)
    assert b64encode(canary.encode()).decode()[:16] not in str(kept)
