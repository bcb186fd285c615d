import kubewright as kw
from kubewright.embedded.controllers.job import job_controller
from kubewright.kinds.core.v1 import (
    LimitRange,
    LimitRangeItem,
    LimitRangeSpec,
    ResourceRequirements,
)
from tests.unit.embedded.controllers.job.samples import job
from tests.unit.embedded.controllers.stage import staged


async def test_what_the_server_refuses_is_told_in_its_words() -> None:
    """Here a limit range; the text is what ``kubectl describe job`` shows."""
    async with staged(job_controller) as stage:
        limit = LimitRangeItem(type="Container", min={"cpu": "2"})
        limits = LimitRange(metadata=kw.ObjectMeta(name="big"), spec=LimitRangeSpec(limits=[limit]))
        await stage.create(limits)
        one = job(parallelism=8, completions=8)
        one.spec.template.spec.containers[0].resources = ResourceRequirements(requests={"cpu": "1"})

        made = await stage.create(one)

        [text, *_] = await stage.events("FailedCreate")
        assert text.startswith('Error creating: pods "pi-')
        assert "minimum cpu usage per Container is 2" in text
        assert await stage.pods() == []
        assert (await stage.now(made)).status.start_time is not None


async def test_deleting_is_told() -> None:
    """One line for each pod."""
    async with staged(job_controller) as stage:
        made = await stage.create(job())
        [pod] = await stage.pods()

        await stage.change(made, lambda one: setattr(one.spec, "suspend", True))

        assert await stage.events("SuccessfulDelete") == [f"Deleted pod: {pod.metadata.name}"]
