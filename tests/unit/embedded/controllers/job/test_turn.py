"""Jobs while something goes wrong."""

import pytest

from kubewright.embedded.controllers.job import job_controller
from kubewright.kinds.batch.v1 import JobStatus
from kubewright.kinds.core.v1 import Pod
from kubewright.testing import Lost, Refused
from kubewright.testing.faults import Fault
from tests.unit.embedded.controllers.job.samples import conditions, job
from tests.unit.embedded.controllers.stage import NthWrite, staged


@pytest.mark.parametrize("fault", [Lost(), Refused(409)], ids=repr)
async def test_any_one_write_may_go_wrong(fault: Fault) -> None:
    """Each pod is counted once, whatever happens on the way."""
    number, happened = 0, True
    while happened:
        faults = NthWrite(number, fault)

        status, pods = await three_with_a_failure(faults)

        where = f"{fault} on write {number}"
        assert (status.succeeded, status.failed) == (3, 1), where
        assert [one.type for one in status.conditions] == ["SuccessCriteriaMet", "Complete"], where
        assert not any(pod.metadata.finalizers for pod in pods), where
        number, happened = number + 1, faults.happened.is_set()
    assert number > 10


async def three_with_a_failure(faults: NthWrite) -> tuple[JobStatus, list[Pod]]:
    """Run a Job of three, two at a time, whose first pod fails."""
    async with staged(job_controller, faults=faults) as stage:
        made = await stage.create(job(completions=3, parallelism=2))
        code = 1
        for _ in range(60):
            for pod in await stage.active():
                await stage.finish(pod, code=code)
                code = 0
                break
            await stage.clock.advance(11)
            now = await stage.now(made)
            if now.status.conditions and now.status.conditions[-1].type == "Complete":
                break
        await stage.clock.advance(30)
        return (await stage.now(made)).status, await stage.pods()


async def test_a_controller_that_dies_at_any_write_is_replaced_by_one_that_goes_on() -> None:
    """It knows nothing but what the server has; a pod must not be counted twice by the two."""
    for number in range(12):
        faults = NthWrite(number, Lost())
        async with staged() as stage:
            made = await stage.create(job(completions=2, parallelism=2))
            async with stage.elsewhere(job_controller, faults=faults):
                for pod in await stage.active():
                    if not faults.happened.is_set():
                        await stage.finish(pod)

            async with stage.elsewhere(job_controller):
                for pod in await stage.active():
                    await stage.finish(pod)
                await stage.clock.advance(60)

            done = await stage.now(made)
            assert (done.status.succeeded, done.status.failed) == (2, None), number
            assert conditions(done)[-1][0] == "Complete", number
