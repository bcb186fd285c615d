from typing import Any

from kubewright.api.conditions import find_condition
from kubewright.kinds.apps.v1 import ReplicaSet
from kubewright.kinds.core.v1 import Pod, ReplicationController
from tests.unit.embedded.controllers.world import World, template, workload, world


async def counts(w: World) -> tuple[int | None, ...]:
    """Return wanted, present, ready, available and terminating."""
    found = await w.client.get(ReplicaSet, "web")
    status = found.status
    return (
        found.spec.replicas,
        status.replicas,
        status.ready_replicas,
        status.available_replicas,
        status.terminating_replicas,
    )


async def test_a_set_gets_its_pods_and_counts_them() -> None:
    """The one thing that everybody expects of a replica set."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=3))

        status = (await w.client.get(ReplicaSet, "web")).status
        assert await counts(w) == (3, 3, 3, 3, 0)
        assert (status.fully_labeled_replicas, status.observed_generation) == (3, 1)
        assert [name[:4] for name in await w.pod_names()] == ["web-"] * 3


async def test_a_pod_that_is_deleted_or_ends_is_replaced() -> None:
    """However it went."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=2))
        gone, ended = await w.pods()

        await w.client.delete(gone)
        await w.client.status.patch(Pod, ended.key, {"status": {"phase": "Failed"}})
        await w.settle()

        assert await counts(w) == (2, 2, 2, 2, 0)
        phases = sorted(pod.status.phase or "" for pod in await w.pods())
        assert phases == ["Failed", "Running", "Running"]


async def test_a_smaller_set_gives_up_those_that_do_not_work() -> None:
    """Pods that serve stay."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=3))
        broken = (await w.pods())[1]
        await w.node.set_ready(broken, ready=False)

        await w.patch(ReplicaSet, "web", {"spec": {"replicas": 2}})

        assert broken.metadata.name not in await w.pod_names()
        assert await counts(w) == (2, 2, 2, 2, 0)


async def test_pods_on_their_way_out_are_counted_apart() -> None:
    """They are not replicas any more, and still use resources."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=2))
        w.node.held |= set(await w.pod_names())

        await w.patch(ReplicaSet, "web", {"spec": {"replicas": 0}})

        assert await counts(w) == (0, 0, None, None, 2)


async def test_a_pod_is_available_after_its_time_and_nobody_has_to_ask() -> None:
    """Nothing else happens then, so the set has to look at the clock."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=1, minReadySeconds=30))
        before = await counts(w)

        await w.settle(30)

        assert before == (1, 1, 1, None, 0)
        assert await counts(w) == (1, 1, 1, 1, 0)


async def test_a_refusal_is_told_in_a_condition_until_it_is_over() -> None:
    """`kubectl describe` shows why pods are missing, in the words of the server."""
    async with world("replicaset") as w:
        await w.refuse("", "pods")
        await w.create(ReplicaSet, workload(replicas=2))
        stuck = (await w.client.get(ReplicaSet, "web")).status
        events = await w.events("ReplicaSet")

        await w.relent()
        await w.settle(60)

        condition = find_condition(stuck.conditions, "ReplicaFailure")
        assert condition is not None
        assert (condition.status, condition.reason) == ("True", "FailedCreate")
        assert "not today" in (condition.message or "")
        assert any(one.startswith("FailedCreate Error creating: pods ") for one in events)
        assert await counts(w) == (2, 2, 2, 2, 0)
        assert (await w.client.get(ReplicaSet, "web")).status.conditions == []


async def test_the_events_name_each_pod() -> None:
    """The only trace of a pod that is gone."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=1))
        (name,) = await w.pod_names()
        await w.patch(ReplicaSet, "web", {"spec": {"replicas": 0}})

        assert await w.events("ReplicaSet") == [
            f"SuccessfulCreate Created pod: {name}",
            f"SuccessfulDelete Deleted pod: {name}",
        ]


async def test_at_rest_nothing_is_written() -> None:
    """A controller that writes the same again keeps the whole cluster busy."""
    async with world("replicaset") as w:
        await w.create(ReplicaSet, workload(replicas=2))
        before = (await w.client.list(Pod)).resource_version

        await w.settle(3600)

        assert (await w.client.list(Pod)).resource_version == before


async def test_a_replication_controller_does_the_same() -> None:
    """The older kind of the same thing, with a plain map as its selector."""
    async with world("replicationcontroller") as w:
        spec: dict[str, Any] = {"replicas": 2, "selector": {"app": "web"}, "template": template()}
        meta = {"name": "web", "namespace": "default"}

        await w.create(ReplicationController, {"metadata": meta, "spec": spec})

        status = (await w.client.get(ReplicationController, "web")).status
        assert (status.replicas, status.ready_replicas, status.available_replicas) == (2, 2, 2)
