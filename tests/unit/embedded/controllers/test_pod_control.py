import kubewright as kw
from kubewright.embedded.controllers.pod_control import PodControl
from kubewright.errors import ForbiddenError
from kubewright.kinds.core.v1 import ConfigMap, Pod
from kubewright.testing.faults import NextFaults, Refused
from tests.unit.embedded.controllers.services import pod
from tests.unit.embedded.controllers.stage import Stage, staged

OWNER = ConfigMap(metadata=kw.ObjectMeta(name="owner"))


def control_of(stage: Stage) -> PodControl:
    return PodControl(stage.cluster.client, stage.cluster.recorder("test"))


async def test_what_was_made_and_deleted_is_told() -> None:
    """The only trace of a pod that is gone."""
    async with staged() as stage:
        owner, control = await stage.create(OWNER), control_of(stage)

        await control.create(owner, [pod("a")])
        [made] = await stage.pods()
        await control.delete(owner, [(made.key, made.metadata.uid)])

        assert await stage.events() == ["Created pod: a", "Deleted pod: a"]


async def test_another_pod_of_the_same_name_is_not_deleted() -> None:
    """Nobody has decided that it has to go."""
    async with staged() as stage:
        owner, control = await stage.create(OWNER), control_of(stage)
        made = await stage.create(pod("a"))

        failed = await control.delete(owner, [(made.key, "somebody-else")])

        assert failed is not None
        assert [one.metadata.uid for one in await stage.pods()] == [made.metadata.uid]


async def test_a_pod_that_is_gone_already_is_no_news() -> None:
    """That is all that was wanted."""
    async with staged() as stage:
        owner, control = await stage.create(OWNER), control_of(stage)

        assert await control.delete(owner, [(pod("a").key, "some-uid")]) is None
        assert await stage.events() == []


async def test_a_refusal_is_told_and_given_back() -> None:
    """What it means for the owner is the owner's matter."""
    faults = NextFaults([Refused(403)], matching=lambda one: "/pods" in one.target)
    async with staged(faults=faults) as stage:
        owner, control = await stage.create(OWNER), control_of(stage)

        failed = await control.create(owner, [pod("a")])

        [text] = await stage.events("FailedCreate")
        assert isinstance(failed, ForbiddenError)
        assert text.startswith("Error creating: ")
        assert await stage.client.find(Pod, "a") is None
