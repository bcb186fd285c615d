from kubewright.api.conditions import find_condition
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet
from tests.unit.embedded.controllers.world import template, workload, world


async def test_old_pods_go_as_new_ones_come() -> None:
    """With one above and none below what is wanted, there is never one too few."""
    async with world("deployment", "replicaset") as w:
        rolling = {"maxSurge": 1, "maxUnavailable": 0}
        strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
        await w.create(Deployment, workload(replicas=2, strategy=strategy))

        await w.patch(Deployment, "web", {"spec": {"template": template("second", app="web")}})

        names = {one.spec.template.spec.containers[0].image: one.metadata.name  # type: ignore[union-attr]
                 for one in await w.client.list(ReplicaSet)}  # fmt: skip
        steps = [
            one.removeprefix("ScalingReplicaSet Scaled ") for one in await w.events("Deployment")
        ]
        old, new = names["good"], names["second"]
        assert steps[1:] == [
            f"up replica set {new} from 0 to 1",
            f"down replica set {old} from 2 to 1",
            f"up replica set {new} from 1 to 2",
            f"down replica set {old} from 1 to 0",
        ]


async def test_a_set_of_a_stranger_with_our_name_is_avoided() -> None:
    """The hash is short; two templates may have the same."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=1))
        (ours,) = await w.client.list(ReplicaSet)
        await w.client.delete(Deployment, "web", propagation="Orphan")
        await w.settle()
        await w.client.patch(ReplicaSet, ours.key, {"metadata": {"labels": {"app": "other"}}})

        await w.create(Deployment, workload(replicas=1))

        found = await w.client.get(Deployment, "web")
        assert found.status.collision_count == 1
        assert found.status.available_replicas == 1
        assert len(await w.client.list(ReplicaSet)) == 2


async def test_a_set_that_was_left_behind_is_taken_in_again() -> None:
    """Deleting a deployment without its pods, and creating it again, changes nothing."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=2))
        before = await w.pod_names()
        await w.client.delete(Deployment, "web", propagation="Orphan")
        await w.settle()

        await w.create(Deployment, workload(replicas=2))

        found = await w.client.get(Deployment, "web")
        condition = find_condition(found.status.conditions, "Progressing")
        assert await w.pod_names() == before
        assert condition is not None
        assert condition.reason == "NewReplicaSetAvailable"


async def test_a_set_that_is_refused_is_told_of() -> None:
    """Nobody looks for a reason there, since replica sets are made by no user."""
    async with world("deployment", "replicaset") as w:
        await w.refuse("apps", "replicasets")

        await w.create(Deployment, workload(replicas=1))

        found = await w.client.get(Deployment, "web")
        condition = find_condition(found.status.conditions, "Progressing")
        assert condition is not None
        assert (condition.status, condition.reason) == ("False", "ReplicaSetCreateError")
        assert any(one.startswith("ReplicaSetCreateError Failed") for one in await w.events())
