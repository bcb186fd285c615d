import pytest

from kubewright.api.meta import OwnerReference
from kubewright.embedded.controllers.statefulset.claims import owners_for
from kubewright.kinds.apps.v1 import StatefulSet
from kubewright.kinds.core.v1 import PersistentVolumeClaim, Pod
from tests.unit.embedded.controllers.pods import state
from tests.unit.embedded.controllers.statefulset.objects import CLAIM, stateful_set
from tests.unit.embedded.controllers.world import workload, world

POD = state("web-2")


@pytest.mark.parametrize(
    ("deleted", "scaled", "wanted", "unwanted"),
    [
        ("Retain", "Retain", [], []),
        ("Delete", "Retain", ["StatefulSet"], ["StatefulSet"]),
        ("Retain", "Delete", [], ["Pod"]),
        ("Delete", "Delete", ["StatefulSet"], ["Pod"]),
    ],
)
def test_the_policy_says_with_whom_a_claim_goes(
    deleted: str, scaled: str, wanted: list[str], unwanted: list[str]
) -> None:
    """With the set, with a pod that is not wanted, or with nobody."""
    policy = {"whenDeleted": deleted, "whenScaled": scaled}
    made = stateful_set(persistentVolumeClaimRetentionPolicy=policy)

    kept = owners_for(made, [], pod=POD, wanted=True)
    given_up = owners_for(made, [], pod=POD, wanted=False)

    assert [one.kind for one in kept] == wanted
    assert [one.kind for one in given_up] == unwanted


def test_owners_of_others_stay_and_one_that_controls_decides() -> None:
    """Somebody who manages claims himself must not lose them."""
    policy = {"whenDeleted": "Delete", "whenScaled": "Retain"}
    made = stateful_set(persistentVolumeClaimRetentionPolicy=policy)
    friend = OwnerReference(api_version="v1", kind="ConfigMap", name="a", uid="a")
    boss = OwnerReference(api_version="v1", kind="ConfigMap", name="b", uid="b", controller=True)

    both = owners_for(made, [friend], pod=POD, wanted=True)

    assert [one.name for one in both] == ["a", "web"]
    assert owners_for(made, [boss], pod=POD, wanted=True) == [boss]


async def test_a_claim_that_somebody_deleted_is_made_again_with_its_pod() -> None:
    """A pod that waits for its volume would wait for ever."""
    async with world("statefulset") as w:
        claim = {**CLAIM, "spec": {**CLAIM["spec"], "resources": {"requests": {"storage": "1Gi"}}}}
        w.node.held.add("web-0")
        await w.create(StatefulSet, workload(replicas=1, volumeClaimTemplates=[claim]))
        patch = {"metadata": {"finalizers": None}}
        await w.client.patch(PersistentVolumeClaim, "data-web-0", patch)
        await w.client.delete(PersistentVolumeClaim, "data-web-0")

        await w.patch(Pod, "web-0", {"metadata": {"annotations": {"look": "again"}}})

        names = [one.metadata.name for one in await w.client.list(PersistentVolumeClaim)]
        assert names == ["data-web-0"]
