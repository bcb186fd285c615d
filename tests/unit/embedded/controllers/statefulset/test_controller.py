from typing import Any

from kubewright.kinds.apps.v1 import ControllerRevision, StatefulSet
from kubewright.kinds.core.v1 import PersistentVolumeClaim
from tests.unit.embedded.controllers.world import BAD_IMAGE, World, template, workload, world

CLAIM: dict[str, Any] = {
    "metadata": {"name": "data"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}


async def images(w: World) -> dict[str, str | None]:
    """Return the image of each pod."""
    return {pod.metadata.name: pod.spec.containers[0].image for pod in await w.pods()}


async def claims(w: World) -> list[str]:
    """Return the names of all claims."""
    return [one.metadata.name for one in await w.client.list(PersistentVolumeClaim)]


async def test_pods_come_one_after_the_other() -> None:
    """A pod may rely on all pods before it."""
    async with world("statefulset") as w:
        w.node.held.add("web-1")
        await w.create(StatefulSet, workload(replicas=3))
        waiting = await w.pod_names()

        w.node.release("web-1")
        await w.settle()

        assert waiting == ["web-0", "web-1"]
        assert await w.pod_names() == ["web-0", "web-1", "web-2"]


async def test_the_status_counts_pods_and_names_revisions() -> None:
    """`kubectl rollout status` compares them."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=2))

        status = (await w.client.get(StatefulSet, "web")).status
        assert (status.replicas, status.ready_replicas, status.available_replicas) == (2, 2, 2)
        assert (status.current_replicas, status.updated_replicas) == (2, 2)
        assert status.current_revision == status.update_revision
        assert (status.observed_generation, status.collision_count) == (1, 0)


async def test_a_pod_knows_who_it_is() -> None:
    """Programs find their place in the set by these."""
    async with world("statefulset") as w:
        spec = workload(replicas=1, serviceName="peers", ordinals={"start": 5})
        await w.create(StatefulSet, spec)

        (pod,) = await w.pods()
        revision = (await w.client.get(StatefulSet, "web")).status.current_revision
        assert (pod.metadata.name, pod.spec.hostname, pod.spec.subdomain) == (
            "web-5", "web-5", "peers",
        )  # fmt: skip
        assert pod.metadata.labels == {
            "app": "web",
            "apps.kubernetes.io/pod-index": "5",
            "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": "web-5",
        }


async def test_parallel_pods_do_not_wait() -> None:
    """Without an order, all pods start at once."""
    async with world("statefulset") as w:
        w.node.held.add("web-0")

        await w.create(StatefulSet, workload(replicas=4, podManagementPolicy="Parallel"))

        assert await w.pod_names() == ["web-0", "web-1", "web-2", "web-3"]


async def test_a_new_template_replaces_pods_from_the_last_to_the_first() -> None:
    """And it stops at the first that does not come up."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=3))

        await w.patch(StatefulSet, "web", {"spec": {"template": template(BAD_IMAGE, app="web")}})
        stuck = await images(w)
        status = (await w.client.get(StatefulSet, "web")).status

        assert stuck == {"web-0": "good", "web-1": "good", "web-2": BAD_IMAGE}
        assert (status.current_replicas, status.updated_replicas) == (2, 1)
        assert status.current_revision != status.update_revision


async def test_a_whole_update_moves_the_current_revision() -> None:
    """Otherwise the next update would begin from the wrong template."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=3))

        await w.patch(StatefulSet, "web", {"spec": {"template": template("better", app="web")}})

        status = (await w.client.get(StatefulSet, "web")).status
        assert set((await images(w)).values()) == {"better"}
        assert status.current_revision == status.update_revision
        assert (status.current_replicas, status.updated_replicas) == (3, 3)


async def test_a_partition_keeps_the_first_pods_back() -> None:
    """Even those that are deleted come back with the old template."""
    async with world("statefulset") as w:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
        await w.create(StatefulSet, workload(replicas=3, updateStrategy=strategy))
        await w.patch(StatefulSet, "web", {"spec": {"template": template("better", app="web")}})

        for pod in await w.pods():
            await w.client.delete(pod)
        await w.settle()

        assert await images(w) == {"web-0": "good", "web-1": "good", "web-2": "better"}


async def test_on_delete_leaves_the_replacement_to_the_user() -> None:
    """Nothing moves until somebody deletes a pod."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=2, updateStrategy={"type": "OnDelete"}))
        await w.patch(StatefulSet, "web", {"spec": {"template": template("better", app="web")}})
        before = await images(w)

        await w.client.delete((await w.pods())[0])
        await w.settle()

        assert before == {"web-0": "good", "web-1": "good"}
        assert await images(w) == {"web-0": "better", "web-1": "good"}


async def test_claims_are_made_and_outlive_their_pods() -> None:
    """Data must not go away with a smaller set, unless the user says so."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=2, volumeClaimTemplates=[CLAIM]))

        await w.patch(StatefulSet, "web", {"spec": {"replicas": 1}})

        (pod,) = await w.pods()
        volume = pod.spec.volumes[0]
        assert await claims(w) == ["data-web-0", "data-web-1"]
        assert volume.persistent_volume_claim is not None
        assert volume.persistent_volume_claim.claim_name == "data-web-0"


async def test_a_policy_deletes_the_claims_of_pods_that_are_not_wanted() -> None:
    """Both halves of the policy: with a smaller set, and with no set at all."""
    async with world("statefulset") as w:
        policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
        spec = workload(
            replicas=2,
            volumeClaimTemplates=[CLAIM],
            persistentVolumeClaimRetentionPolicy=policy,
        )
        await w.create(StatefulSet, spec)

        await w.patch(StatefulSet, "web", {"spec": {"replicas": 1}})
        smaller = await unprotected(w)
        await w.client.delete(StatefulSet, "web")
        await w.settle(5)

        assert smaller == ["data-web-0"]
        assert await unprotected(w) == []


async def unprotected(w: World) -> list[str]:
    """Return the claims that nobody has deleted; a node would still hold the others."""
    found = await w.client.list(PersistentVolumeClaim)
    return [one.metadata.name for one in found if one.metadata.deletion_timestamp is None]


async def test_only_so_many_revisions_are_kept() -> None:
    """Otherwise each update leaves something behind for ever."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=1, revisionHistoryLimit=1))

        for image in ("second", "third", "fourth"):
            await w.patch(StatefulSet, "web", {"spec": {"template": template(image, app="web")}})

        found = await w.client.list(ControllerRevision)
        assert sorted(one.revision or 0 for one in found) == [3, 4]


async def test_a_pod_that_failed_is_made_again() -> None:
    """An evicted pod leaves a hole otherwise."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=1))
        (before,) = await w.pods()

        await w.client.status.patch(type(before), before.key, {"status": {"phase": "Failed"}})
        await w.settle()

        (after,) = await w.pods()
        assert after.metadata.uid != before.metadata.uid
        assert after.status.phase == "Running"


async def test_the_events_tell_what_was_done_to_which_pod() -> None:
    """`kubectl describe` shows them."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=1, volumeClaimTemplates=[CLAIM]))
        await w.patch(StatefulSet, "web", {"spec": {"replicas": 0}})

        assert await w.events("StatefulSet") == [
            "SuccessfulCreate create Claim data-web-0 Pod web-0 in StatefulSet web success",
            "SuccessfulCreate create Pod web-0 in StatefulSet web successful",
            "SuccessfulDelete delete Pod web-0 in StatefulSet web successful",
        ]
