"""Indexed Jobs, policies, and what is counted."""

from datetime import UTC, datetime

import kubewright as kw
from kubewright.embedded.controllers.job import job_controller
from kubewright.embedded.controllers.job.policy import Backoff
from kubewright.embedded.controllers.job.sync import Look, count_ended
from kubewright.kinds.batch.v1 import (
    PodFailurePolicy,
    PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyRule,
    SuccessPolicy,
    SuccessPolicyRule,
    UncountedTerminatedPods,
)
from kubewright.kinds.core.v1 import Pod
from tests.unit.embedded.controllers.job.samples import conditions, failed, indexed, job, stored
from tests.unit.embedded.controllers.stage import Stage, staged

INDEX = "batch.kubernetes.io/job-completion-index"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def on_exit_code(action: str, *codes: int) -> PodFailurePolicy:
    rule = PodFailurePolicyOnExitCodesRequirement(operator="In", values=list(codes))
    return PodFailurePolicy(rules=[PodFailurePolicyRule(action=action, on_exit_codes=rule)])


async def by_index(stage: Stage) -> dict[int, Pod]:
    """Return the active pod of each index."""
    return {int(pod.metadata.annotations[INDEX]): pod for pod in await stage.active()}


async def test_each_index_is_done_once() -> None:
    """Two succeed, one fails and is tried again; the status names those that are done."""
    async with staged(job_controller) as stage:
        made = await stage.create(indexed(3))
        pods = await by_index(stage)
        await stage.finish(pods[0])
        await stage.finish(pods[2])
        await stage.finish(pods[1], code=1)
        before = await stage.now(made)
        await stage.clock.advance(10)
        again = await by_index(stage)

        await stage.finish(again[1])

        done = await stage.now(made)
        assert sorted(pods) == [0, 1, 2]
        assert (before.status.completed_indexes, before.status.succeeded) == ("0,2", 2)
        assert sorted(again) == [1]
        assert (done.status.completed_indexes, done.status.succeeded) == ("0-2", 3)
        assert done.status.failed == 1
        assert conditions(done)[-1][:2] == ("Complete", "True")


async def test_a_pod_knows_its_index() -> None:
    """By its name, its host name, a label, an annotation and a variable."""
    async with staged(job_controller) as stage:
        await stage.create(indexed(1))

        [pod] = await stage.pods()

        assert pod.metadata.name.startswith("pi-0-")
        assert pod.metadata.labels[INDEX] == pod.metadata.annotations[INDEX] == "0"
        assert pod.spec.hostname == "pi-0"
        [variable] = pod.spec.containers[0].env
        assert variable.name == "JOB_COMPLETION_INDEX"
        assert variable.value_from is not None
        assert variable.value_from.field_ref is not None
        assert variable.value_from.field_ref.field_path == f"metadata.labels['{INDEX}']"


async def test_an_index_that_fails_too_often_is_given_up_and_the_others_go_on() -> None:
    """The Job fails in the end, but only when all that could be done is done."""
    async with staged(job_controller) as stage:
        made = await stage.create(indexed(2, backoff_limit_per_index=1))
        await stage.finish((await by_index(stage))[0], code=1)
        await stage.clock.advance(10)
        second = (await by_index(stage))[0]
        await stage.finish(second, code=1)
        before = await stage.now(made)

        await stage.finish((await by_index(stage))[1])

        done = await stage.now(made)
        count = "batch.kubernetes.io/job-index-failure-count"
        assert second.metadata.annotations[count] == "1"
        assert (before.status.failed_indexes, conditions(before)) == ("0", [])
        assert (done.status.failed_indexes, done.status.completed_indexes) == ("0", "1")
        assert conditions(done)[-1] == ("Failed", "True", "FailedIndexes")
        assert done.status.failed == 2


async def test_too_many_failed_indexes_end_the_job_at_once() -> None:
    """MaxFailedIndexes."""
    async with staged(job_controller) as stage:
        made = await stage.create(indexed(3, backoff_limit_per_index=0, max_failed_indexes=0))

        await stage.finish((await by_index(stage))[1], code=1)

        done = await stage.now(made)
        assert conditions(done)[-1] == ("Failed", "True", "MaxFailedIndexesExceeded")
        assert await stage.active() == []


async def test_a_rule_can_end_the_job_at_the_first_failure() -> None:
    """Trying again does not fix a wrong configuration."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(pod_failure_policy=on_exit_code("FailJob", 42)))
        [pod] = await stage.active()

        await stage.finish(pod, code=42)

        done = await stage.now(made)
        assert conditions(done) == [
            ("FailureTarget", "True", "PodFailurePolicy"),
            ("Failed", "True", "PodFailurePolicy"),
        ]
        assert done.status.conditions[-1].message == (
            f"Container main for pod default/{pod.metadata.name} failed with exit code 42"
            " matching FailJob rule at index 0"
        )


async def test_a_rule_can_let_a_failure_not_count() -> None:
    """A pod that was evicted is not the fault of the program."""
    async with staged(job_controller) as stage:
        policy = on_exit_code("Ignore", 137)
        made = await stage.create(job(pod_failure_policy=policy, backoff_limit=0))
        [pod] = await stage.active()

        await stage.finish(pod, code=137)
        await stage.clock.advance(10)

        now = await stage.now(made)
        assert now.status.failed is None
        assert len(await stage.active()) == 1


async def test_a_rule_can_give_up_an_index() -> None:
    """However often it might have been tried."""
    async with staged(job_controller) as stage:
        policy = on_exit_code("FailIndex", 3)
        spec = {"pod_failure_policy": policy, "backoff_limit_per_index": 5}
        made = await stage.create(indexed(2, **spec))

        await stage.finish((await by_index(stage))[1], code=3)

        assert (await stage.now(made)).status.failed_indexes == "1"


async def test_a_success_policy_ends_the_job_early() -> None:
    """Once the leader is done, the others are not needed."""
    async with staged(job_controller) as stage:
        policy = SuccessPolicy(rules=[SuccessPolicyRule(succeeded_indexes="0")])
        made = await stage.create(indexed(3, success_policy=policy))

        await stage.finish((await by_index(stage))[0])

        done = await stage.now(made)
        assert conditions(done) == [
            ("SuccessCriteriaMet", "True", "SuccessPolicy"),
            ("Complete", "True", "SuccessPolicy"),
        ]
        assert done.status.conditions[0].message == "Matched rules at index 0"
        assert (done.status.completed_indexes, done.status.failed) == ("0", None)
        assert await stage.active() == []


async def test_only_what_has_failed_is_replaced_where_that_is_asked_for() -> None:
    """Two pods of one index at a time would be one too many for some programs."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(pod_replacement_policy="Failed"))
        [pod] = await stage.pods()
        await stage.bind(pod)
        await stage.start(pod)
        await stage.client.delete(pod)
        await stage.clock.advance(5)
        during = await stage.pods()
        waits = await stage.now(made)

        await stage.finish(pod, code=1)
        await stage.clock.advance(10)

        [other] = await stage.active()
        assert len(during) == 1
        assert (waits.status.terminating, waits.status.active) == (1, None)
        assert other.metadata.uid != pod.metadata.uid


async def test_a_smaller_job_gives_up_pods_without_a_failure() -> None:
    """Somebody lowered its parallelism."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(parallelism=3, completions=9))
        [first, *_] = await stage.pods()
        await stage.start(first)

        await stage.change(made, lambda one: setattr(one.spec, "parallelism", 1))

        now = await stage.now(made)
        [left] = await stage.active()
        assert left.metadata.name == first.metadata.name
        assert (now.status.active, now.status.failed) == (1, None)


async def test_a_work_queue_is_done_when_one_has_succeeded_and_all_have_ended() -> None:
    """Without completions, the pods decide among themselves."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(parallelism=2))
        first, second = await stage.pods()
        await stage.finish(first)
        between = await stage.now(made)

        await stage.finish(second)

        done = await stage.now(made)
        assert conditions(between) == []
        assert between.status.active == 1
        assert conditions(done)[-1][0] == "Complete"
        assert done.status.succeeded == 2


def test_a_pod_that_was_named_but_not_counted_is_counted_after_a_crash() -> None:
    """Its finalizer is gone, so nobody else will."""
    one = stored(job())
    one.status.failed = 1
    one.status.uncounted_terminated_pods = UncountedTerminatedPods(succeeded=["x"], failed=["y"])

    count_ended(one, [Pod(metadata=kw.ObjectMeta(name="p", uid="y"))])

    assert (one.status.succeeded, one.status.failed) == (1, 1)
    assert one.status.uncounted_terminated_pods.failed == ["y"]


def test_a_pod_that_was_named_is_not_named_again() -> None:
    """The crash came before its finalizer was removed."""
    one = stored(job(backoff_limit=6))
    one.status.uncounted_terminated_pods = UncountedTerminatedPods(failed=["uid-a"])
    pod = failed()
    pod.metadata.finalizers = ["batch.kubernetes.io/job-tracking"]
    look = Look(one, [pod], now=NOON, backoff=Backoff())

    free = look.settle(target=None)

    assert [each.metadata.uid for each in free] == ["uid-a"]
    assert look.failed == 1
    assert one.status.uncounted_terminated_pods.failed == ["uid-a"]
