"""Jobs from their first pod to their end."""

import kubewright as kw
from kubewright.embedded.controllers.job import job_controller
from kubewright.kinds.core.v1 import Namespace, Pod
from tests.unit.embedded.controllers.job.samples import conditions, job
from tests.unit.embedded.controllers.stage import staged

FINALIZER = "batch.kubernetes.io/job-tracking"


async def test_a_job_runs_its_pod_and_is_complete_when_it_has_succeeded() -> None:
    """The simplest Job, with all that people see of it."""
    async with staged(job_controller) as stage:
        made = await stage.create(job())
        [pod] = await stage.pods()
        begun = await stage.now(made)

        await stage.start(pod)
        runs = await stage.now(made)
        await stage.finish(pod)

        done = await stage.now(made)
        [pod] = await stage.pods()
        assert pod.metadata.name.startswith("pi-")
        assert pod.metadata.labels["batch.kubernetes.io/job-name"] == "pi"
        assert pod.metadata.labels["job-name"] == "pi"
        assert pod.metadata.finalizers == []
        assert (begun.status.active, begun.status.ready) == (1, 0)
        assert begun.status.start_time == stage.clock.now()
        assert (runs.status.active, runs.status.ready) == (1, 1)
        assert conditions(done) == [
            ("SuccessCriteriaMet", "True", "CompletionsReached"),
            ("Complete", "True", "CompletionsReached"),
        ]
        assert (done.status.active, done.status.succeeded, done.status.failed) == (None, 1, None)
        assert done.status.completion_time == stage.clock.now()
        assert await stage.events("SuccessfulCreate") == [f"Created pod: {pod.metadata.name}"]
        assert await stage.events("Completed") == ["Job completed"]


async def test_a_pod_is_tracked_until_it_is_counted() -> None:
    """Somebody may delete it the moment it ends; it must still count."""
    async with staged(job_controller) as stage:
        await stage.create(job())

        [pod] = await stage.pods()

        assert pod.metadata.finalizers == [FINALIZER]
        [owner] = pod.metadata.owner_references
        assert (owner.kind, owner.name, owner.controller) == ("Job", "pi", True)
        assert owner.block_owner_deletion


async def test_parallelism_and_completions_decide_how_many_pods_run() -> None:
    """No more than two at a time, and no more than are needed."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(parallelism=2, completions=3))

        counts: list[int] = []
        while (active := await stage.active()) and len(counts) < 5:
            counts.append(len(active))
            await stage.finish(active[0])

        done = await stage.now(made)
        assert counts == [2, 2, 1]
        assert done.status.succeeded == 3
        assert len(await stage.pods()) == 3


async def test_failures_are_retried_later_each_time_until_the_limit() -> None:
    """10 seconds, 20 seconds, and then it is enough."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(backoff_limit=2))
        waits = []
        for _ in range(2):
            [pod] = await stage.active()
            await stage.finish(pod, code=1)
            waited = 0
            while not await stage.active() and waited < 100:
                await stage.clock.advance(1)
                waited += 1
            waits.append(waited)

        [pod] = await stage.active()
        await stage.finish(pod, code=1)

        done = await stage.now(made)
        assert waits == [10, 20]
        assert done.status.failed == 3
        assert conditions(done) == [
            ("FailureTarget", "True", "BackoffLimitExceeded"),
            ("Failed", "True", "BackoffLimitExceeded"),
        ]
        assert done.status.completion_time is None
        text = ["Job has reached the specified backoff limit"]
        assert await stage.events("BackoffLimitExceeded") == text


async def test_containers_that_restart_in_place_count_for_the_limit_too() -> None:
    """With OnFailure, the kubelet restarts containers, and the Job would never see a failed pod."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(restart="OnFailure", backoff_limit=3))
        [pod] = await stage.pods()
        await stage.restart(pod, 2)
        before = await stage.now(made)

        await stage.restart(pod, 3)

        done = await stage.now(made)
        assert conditions(before) == []
        assert conditions(done)[-1] == ("Failed", "True", "BackoffLimitExceeded")
        assert await stage.pods() == []
        assert done.status.failed == 1


async def test_a_job_that_takes_too_long_fails_and_takes_its_pods_along() -> None:
    """It ends when the time is over, not when somebody looks."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(active_deadline_seconds=60))
        await stage.clock.advance(59)
        before = await stage.now(made)

        await stage.clock.advance(1)

        done = await stage.now(made)
        assert conditions(before) == []
        assert conditions(done)[-1] == ("Failed", "True", "DeadlineExceeded")
        text = "Job was active longer than specified deadline"
        assert done.status.conditions[-1].message == text
        assert await stage.pods() == []


async def test_a_job_ends_only_when_its_last_pod_has() -> None:
    """Whoever waits for its end expects that nothing of it runs any more."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(active_deadline_seconds=60))
        [pod] = await stage.pods()
        await stage.bind(pod)
        await stage.start(pod)
        await stage.clock.advance(60)
        before = await stage.now(made)

        await stage.remove(pod)

        done = await stage.now(made)
        assert conditions(before) == [("FailureTarget", "True", "DeadlineExceeded")]
        assert (before.status.terminating, before.status.failed) == (1, 1)
        assert conditions(done)[-1] == ("Failed", "True", "DeadlineExceeded")
        assert done.status.terminating == 0


async def test_suspending_removes_the_pods_and_resuming_starts_the_clock_again() -> None:
    """The deadline counts from the new start; stopped pods are not failures."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(suspend=True, active_deadline_seconds=100))
        waiting = await stage.now(made)
        none = await stage.pods()
        await stage.clock.advance(1000)
        await stage.change(made, lambda one: setattr(one.spec, "suspend", False))
        resumed = await stage.now(made)
        [pod] = await stage.pods()

        await stage.change(made, lambda one: setattr(one.spec, "suspend", True))

        stopped = await stage.now(made)
        assert none == []
        assert conditions(waiting) == [("Suspended", "True", "JobSuspended")]
        assert waiting.status.start_time is None
        assert conditions(resumed) == [("Suspended", "False", "JobResumed")]
        assert resumed.status.start_time == stage.clock.now()
        assert conditions(stopped) == [("Suspended", "True", "JobSuspended")]
        assert stopped.status.failed is None
        assert await stage.pods() == []
        assert await stage.events("Suspended") == ["Job suspended"]  # and counted
        assert await stage.events("Resumed") == ["Job resumed"]
        assert pod.metadata.name


async def test_a_deleted_pod_is_a_failure_and_is_replaced() -> None:
    """Its work is not done."""
    async with staged(job_controller) as stage:
        made = await stage.create(job())
        [pod] = await stage.pods()

        await stage.client.delete(pod)
        await stage.clock.advance(10)

        now = await stage.now(made)
        [other] = await stage.pods()
        assert other.metadata.uid != pod.metadata.uid
        assert now.status.failed == 1


async def test_pods_of_a_job_that_is_gone_can_go() -> None:
    """Nobody else takes the finalizer off them."""
    async with staged(job_controller) as stage:
        made = await stage.create(job())

        await stage.client.delete(made, propagation="Background")
        await stage.clock.settle()

        assert await stage.pods() == []


async def test_pods_of_an_earlier_job_of_the_same_name_can_go() -> None:
    """It was made again while nobody was there to take the finalizers off."""
    async with staged() as stage:
        made = await stage.create(job())
        async with stage.elsewhere(job_controller):
            await stage.clock.settle()
        [old] = await stage.pods()
        await stage.client.delete(made, propagation="Background")
        await stage.clock.settle()
        await stage.create(job())

        async with stage.elsewhere(job_controller):
            await stage.clock.settle()

        [new] = await stage.pods()
        assert new.metadata.uid != old.metadata.uid


async def test_nothing_is_written_while_nothing_changes() -> None:
    """A look at a Job that runs, or has ended, is only a look."""
    async with staged(job_controller) as stage:
        made = await stage.create(job())
        before = await stage.now(made)

        await stage.change(made, lambda one: one.metadata.labels.update(look="again"))

        after = await stage.now(made)
        assert int(after.metadata.resource_version) == int(before.metadata.resource_version) + 1


async def test_a_job_of_another_manager_is_left_alone() -> None:
    """spec.managedBy names the controller that runs it."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(managed_by="example.com/other"))

        assert await stage.pods() == []
        assert (await stage.now(made)).status.start_time is None


async def test_a_pod_that_nobody_controls_is_taken_in() -> None:
    """As after a Job was deleted with its pods left behind, and made again."""
    async with staged(job_controller) as stage:
        labels = {"app": "mine"}
        selector = kw.LabelSelector(match_labels=labels)
        one = job(manual_selector=True, selector=selector)
        one.spec.template.metadata.labels = labels
        stray = Pod(
            metadata=kw.ObjectMeta(name="stray", labels=labels), spec=one.spec.template.spec
        )
        await stage.create(stray)

        await stage.create(one)

        [pod] = await stage.pods()
        assert pod.metadata.name == "stray"
        assert pod.metadata.finalizers == [FINALIZER]


async def test_a_pod_that_loses_its_labels_is_let_go_and_replaced() -> None:
    """So that somebody can look at it in peace."""
    async with staged(job_controller) as stage:
        await stage.create(job())
        [pod] = await stage.pods()

        await stage.change(pod, lambda one: one.metadata.labels.clear())

        free = await stage.now(pod)
        others = [one for one in await stage.pods() if one.metadata.name != pod.metadata.name]
        assert free.metadata.owner_references == []
        assert free.metadata.finalizers == []
        assert len(others) == 1


async def test_five_hundred_pods_are_made_at_once() -> None:
    """One Job may be that wide."""
    async with staged(job_controller) as stage:
        made = await stage.create(job(parallelism=500, completions=500))

        now = await stage.now(made)

        assert now.status.active == 500
        assert len(await stage.pods()) == 500


async def test_a_namespace_with_a_job_can_go() -> None:
    """The finalizers of its pods must not hold it."""
    async with staged(job_controller) as stage:
        await stage.create(Namespace(metadata=kw.ObjectMeta(name="old")))
        one = job()
        one.metadata.namespace = "old"
        await stage.create(one)

        await stage.client.delete(Namespace, "old")
        await stage.clock.advance(60)

        assert await stage.client.find(Namespace, "old") is None
