from kubewright.kinds.apps.v1 import ReplicaSet
from tests.unit.embedded.controllers.world import workload, world


async def test_a_set_gets_its_pods_and_counts_them() -> None:
    """The one thing that everybody expects of a replica set."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=3))

        status = (await w.client.get(ReplicaSet, "web")).status
        assert (status.replicas, status.ready_replicas, status.available_replicas) == (3, 3, 3)
        assert (status.fully_labeled_replicas, status.observed_generation) == (3, 1)
        assert [name[:4] for name in await w.pod_names()] == ["web-"] * 3
