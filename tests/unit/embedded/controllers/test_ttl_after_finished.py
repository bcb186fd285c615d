from kubewright.embedded.controllers.job import job_controller
from kubewright.embedded.controllers.ttl_after_finished import ttl_after_finished_controller
from kubewright.kinds.batch.v1 import Job
from tests.unit.embedded.controllers.job.samples import job
from tests.unit.embedded.controllers.stage import staged


async def test_a_finished_job_goes_when_its_time_is_over_and_its_pods_with_it() -> None:
    """Not before, and not while it runs."""
    async with staged(job_controller, ttl_after_finished_controller) as stage:
        made = await stage.create(job(ttl_seconds_after_finished=60))
        await stage.clock.advance(300)
        [pod] = await stage.pods()
        await stage.finish(pod)
        await stage.clock.advance(59)
        before = await stage.client.find(Job, made.key)

        await stage.clock.advance(1)

        assert before is not None
        assert await stage.client.find(Job, made.key) is None
        assert await stage.pods() == []


async def test_a_longer_time_counts_at_once() -> None:
    """The user changed their mind."""
    async with staged(job_controller, ttl_after_finished_controller) as stage:
        made = await stage.create(job(ttl_seconds_after_finished=60))
        await stage.finish((await stage.pods())[0])
        await stage.clock.advance(59)

        await stage.change(made, lambda one: setattr(one.spec, "ttl_seconds_after_finished", 600))
        await stage.clock.advance(300)

        assert await stage.client.find(Job, made.key) is not None


async def test_a_job_without_a_time_stays() -> None:
    """For users who want to read its logs."""
    async with staged(job_controller, ttl_after_finished_controller) as stage:
        made = await stage.create(job())
        await stage.finish((await stage.pods())[0])

        await stage.clock.advance(100_000)

        assert await stage.client.find(Job, made.key) is not None
