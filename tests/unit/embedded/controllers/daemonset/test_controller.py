from typing import Any

from kubewright.kinds.apps.v1 import ControllerRevision, DaemonSet
from kubewright.kinds.core.v1 import Node
from tests.unit.embedded.controllers.world import BAD_IMAGE, World, template, workload, world


async def add_node(w: World, name: str, **spec: Any) -> None:
    """Add a node that is ready: the server taints new ones until somebody says that they are."""
    await w.create(Node, {"metadata": {"name": name, "labels": {"name": name}}})
    await w.patch(Node, name, {"spec": {"taints": None, **spec}})


async def add_nodes(w: World, count: int) -> None:
    """Add so many nodes."""
    for number in range(count):
        await add_node(w, f"node-{number}")


async def images(w: World) -> dict[str | None, str | None]:
    """Return which image runs on which node."""
    return {pod.spec.node_name: pod.spec.containers[0].image for pod in await w.pods()}


async def test_every_node_gets_a_pod() -> None:
    """Also one that comes later."""
    async with world("daemonset") as w:
        await add_nodes(w, 2)
        await w.create(DaemonSet, workload())

        await add_node(w, "late")

        assert set(await images(w)) == {"node-0", "node-1", "late"}
        status = (await w.client.get(DaemonSet, "web")).status
        assert (status.desired_number_scheduled, status.current_number_scheduled) == (3, 3)
        assert (status.number_ready, status.number_available) == (3, 3)
        assert (status.updated_number_scheduled, status.number_unavailable) == (3, None)
        assert status.observed_generation == 1


async def test_a_pod_asks_for_its_node_and_tolerates_what_is_wrong_with_it() -> None:
    """The scheduler binds it there, and a node that is not ready keeps it."""
    async with world("daemonset") as w:
        await add_nodes(w, 1)

        await w.create(DaemonSet, workload())

        (pod,) = await w.pods()
        keys = {one.key for one in pod.spec.tolerations}
        assert "node.kubernetes.io/not-ready" in keys
        assert "node.kubernetes.io/unschedulable" in keys
        assert pod.metadata.labels["pod-template-generation"] == "1"
        (revision,) = await w.client.list(ControllerRevision)
        label = "controller-revision-hash"
        assert pod.metadata.labels[label] == revision.metadata.labels[label]


async def test_nodes_that_do_not_take_it_get_none() -> None:
    """By selector and by taint; and a pod leaves when its node turns against it."""
    async with world("daemonset") as w:
        await add_nodes(w, 2)
        await add_node(w, "tainted", taints=[{"key": "gpu", "effect": "NoSchedule"}])
        await w.create(DaemonSet, workload())
        before = set(await images(w))

        taints = [{"key": "down", "effect": "NoExecute"}]
        await w.patch(Node, "node-1", {"spec": {"taints": taints}})

        assert before == {"node-0", "node-1"}
        assert set(await images(w)) == {"node-0"}


async def test_a_new_template_replaces_one_pod_at_a_time() -> None:
    """And it stops at the first that does not come up."""
    async with world("daemonset") as w:
        await add_nodes(w, 3)
        await w.create(DaemonSet, workload())

        await w.patch(DaemonSet, "web", {"spec": {"template": template(BAD_IMAGE, app="web")}})
        stuck = sorted(map(str, (await images(w)).values()))
        await w.patch(DaemonSet, "web", {"spec": {"template": template("better", app="web")}})

        assert stuck == [BAD_IMAGE, "good", "good"]
        assert set((await images(w)).values()) == {"better"}


async def test_with_surge_the_new_pod_comes_before_the_old_one_goes() -> None:
    """No node is without a pod that works."""
    async with world("daemonset") as w:
        await add_nodes(w, 2)
        rolling = {"maxSurge": 1, "maxUnavailable": 0}
        strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
        await w.create(DaemonSet, workload(updateStrategy=strategy))

        await w.patch(DaemonSet, "web", {"spec": {"template": template(BAD_IMAGE, app="web")}})
        stuck = sorted(pod.spec.containers[0].image or "" for pod in await w.pods())
        await w.patch(DaemonSet, "web", {"spec": {"template": template("better", app="web")}})

        assert stuck == [BAD_IMAGE, "good", "good"]
        assert await images(w) == {"node-0": "better", "node-1": "better"}
        assert len(await w.pods()) == 2


async def test_on_delete_leaves_the_replacement_to_the_user() -> None:
    """Nothing moves until somebody deletes a pod."""
    async with world("daemonset") as w:
        await add_nodes(w, 2)
        await w.create(DaemonSet, workload(updateStrategy={"type": "OnDelete"}))
        await w.patch(DaemonSet, "web", {"spec": {"template": template("better", app="web")}})
        before = set((await images(w)).values())

        await w.client.delete((await w.pods())[0])
        await w.settle()

        assert before == {"good"}
        assert sorted(map(str, (await images(w)).values())) == ["better", "good"]


async def test_a_pod_that_fails_again_and_again_is_replaced_more_and_more_slowly() -> None:
    """A broken daemon must not keep the whole cluster busy."""
    async with world("daemonset") as w:
        await add_nodes(w, 1)
        await w.create(DaemonSet, workload())

        for _ in range(2):
            (pod,) = await w.pods()
            await w.client.status.patch(type(pod), pod.key, {"status": {"phase": "Failed"}})
            await w.settle(0.1)
        (waiting,) = await w.pods()
        await w.settle(5)

        assert waiting.status.phase == "Failed"
        (pod,) = await w.pods()
        assert pod.status.phase == "Running"
        assert any(one.startswith("FailedDaemonPod Found failed") for one in await w.events())


async def test_only_so_many_revisions_are_kept() -> None:
    """Otherwise each update leaves something behind for ever."""
    async with world("daemonset") as w:
        await add_nodes(w, 1)
        await w.create(DaemonSet, workload(revisionHistoryLimit=1))

        for image in ("second", "third", "fourth"):
            await w.patch(DaemonSet, "web", {"spec": {"template": template(image, app="web")}})

        found = await w.client.list(ControllerRevision)
        assert sorted(one.revision or 0 for one in found) == [3, 4]
