from kubewright.api.conditions import find_condition
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet, StatefulSet
from kubewright.kinds.core.v1 import Namespace, Pod
from tests.unit.embedded.controllers.world import BAD_IMAGE, World, template, workload, world

REVISION = "deployment.kubernetes.io/revision"


async def sizes(w: World) -> dict[str, tuple[int, int]]:
    """Return the wanted and the ready replicas of each set, by revision."""
    found = await w.client.list(ReplicaSet)
    return {
        one.metadata.annotations[REVISION]: (
            one.spec.replicas or 0,
            one.status.ready_replicas or 0,
        )
        for one in found
    }


def why(deployment: Deployment, kind: str = "Progressing") -> str:
    """Return status and reason of a condition."""
    found = find_condition(deployment.status.conditions, kind)
    return f"{found.status} {found.reason}" if found is not None else ""


async def test_a_deployment_brings_up_its_pods_and_says_so() -> None:
    """The one thing that everybody does first."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=3))

        found = await w.client.get(Deployment, "web")
        status = found.status
        assert (status.replicas, status.updated_replicas, status.available_replicas) == (3, 3, 3)
        assert (status.unavailable_replicas, status.observed_generation) == (None, 1)
        assert why(found) == "True NewReplicaSetAvailable"
        assert why(found, "Available") == "True MinimumReplicasAvailable"
        assert found.metadata.annotations[REVISION] == "1"
        assert found.metadata.generation == 1


async def test_a_new_template_replaces_all_pods_and_keeps_the_old_set() -> None:
    """A rollout ends with the new pods only, and with a set to go back to."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=4))

        await w.patch(Deployment, "web", {"spec": {"template": template("better", app="web")}})

        assert await sizes(w) == {"1": (0, 0), "2": (4, 4)}
        assert {pod.spec.containers[0].image for pod in await w.pods()} == {"better"}
        assert why(await w.client.get(Deployment, "web")) == "True NewReplicaSetAvailable"


async def test_a_bad_image_stops_the_rollout_and_is_late_after_the_deadline() -> None:
    """Enough old pods stay, and `kubectl rollout status` fails in the end."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=4, progressDeadlineSeconds=30))

        await w.patch(Deployment, "web", {"spec": {"template": template(BAD_IMAGE, app="web")}})
        stuck = await sizes(w)
        await w.settle(60)

        assert stuck == await sizes(w) == {"1": (3, 3), "2": (2, 0)}
        found = await w.client.get(Deployment, "web")
        assert why(found) == "False ProgressDeadlineExceeded"
        assert why(found, "Available") == "True MinimumReplicasAvailable"


async def test_going_back_takes_the_old_set_under_a_new_revision() -> None:
    """So `kubectl rollout undo` does not pull images again, and history shows what happened."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=2))
        await w.patch(Deployment, "web", {"spec": {"template": template("better", app="web")}})

        await w.patch(Deployment, "web", {"spec": {"template": template(app="web")}})

        assert await sizes(w) == {"2": (0, 0), "3": (2, 2)}
        notes = [one.metadata.annotations for one in await w.client.list(ReplicaSet)]
        history = "deployment.kubernetes.io/revision-history"
        assert [note[history] for note in notes if history in note] == ["1"]


async def test_while_paused_a_new_template_waits() -> None:
    """Who changes several things at once wants one rollout for them."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=2))
        await w.patch(Deployment, "web", {"spec": {"paused": True}})
        await w.patch(Deployment, "web", {"spec": {"template": template("better", app="web")}})
        waiting = await sizes(w)
        paused = why(await w.client.get(Deployment, "web"))

        await w.patch(Deployment, "web", {"spec": {"paused": False}})

        assert (waiting, paused) == ({"1": (2, 2)}, "Unknown DeploymentPaused")
        assert await sizes(w) == {"1": (0, 0), "2": (2, 2)}
        assert why(await w.client.get(Deployment, "web")) == "True NewReplicaSetAvailable"


async def test_recreate_ends_all_old_pods_before_it_begins_new_ones() -> None:
    """Two versions must never run side by side where a user says so."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=2, strategy={"type": "Recreate"}))
        first, second = await w.pod_names()
        w.node.held |= {first, second}

        await w.patch(Deployment, "web", {"spec": {"template": template("better", app="web")}})
        ending = await w.pod_names()
        w.node.release(first, second)
        await w.settle()

        assert ending == [first, second]
        assert await sizes(w) == {"1": (0, 0), "2": (2, 2)}


async def test_only_so_many_old_sets_are_kept() -> None:
    """Otherwise each rollout leaves something behind for ever."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=1, revisionHistoryLimit=1))

        for image in ("second", "third", "fourth"):
            await w.patch(Deployment, "web", {"spec": {"template": template(image, app="web")}})

        assert await sizes(w) == {"3": (0, 0), "4": (1, 1)}


async def test_a_resize_in_the_middle_of_a_rollout_keeps_the_proportions() -> None:
    """More pods must not mean that only the bad new template gets them."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=10))
        await w.patch(Deployment, "web", {"spec": {"template": template(BAD_IMAGE, app="web")}})
        before = {key: wanted for key, (wanted, _) in (await sizes(w)).items()}

        await w.patch(Deployment, "web", {"spec": {"replicas": 20}})

        after = {key: wanted for key, (wanted, _) in (await sizes(w)).items()}
        assert before == {"1": 8, "2": 5}
        assert after == {"1": 15, "2": 10}


async def test_the_events_tell_the_story() -> None:
    """`kubectl describe` shows them, and people read nothing else."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=1))
        await w.patch(Deployment, "web", {"spec": {"replicas": 2}})

        (name,) = [one.metadata.name for one in await w.client.list(ReplicaSet)]
        assert await w.events("Deployment") == [
            f"ScalingReplicaSet Scaled up replica set {name} from 0 to 1",
            f"ScalingReplicaSet Scaled up replica set {name} from 1 to 2",
        ]


async def test_a_deleted_deployment_takes_everything_with_it() -> None:
    """Nothing may be created again while the garbage is collected."""
    async with world("deployment", "replicaset") as w:
        await w.create(Deployment, workload(replicas=2))

        await w.client.delete(Deployment, "web", propagation="Foreground")
        await w.settle(5)

        assert list(await w.client.list(Deployment)) == []
        assert list(await w.client.list(ReplicaSet)) == []
        assert list(await w.client.list(Pod)) == []


async def test_a_namespace_goes_away_with_its_workloads() -> None:
    """Nobody may fill it again while it is emptied."""
    async with world("deployment", "replicaset", "statefulset", "daemonset") as w:
        await w.create(Namespace, {"metadata": {"name": "shop"}})
        for kind in (Deployment, StatefulSet):
            spec = workload(f"web-{kind.__name__.lower()}", replicas=3)
            spec["metadata"]["namespace"] = "shop"
            await w.create(kind, spec)

        await w.client.delete(Namespace, "shop")
        await w.settle(30)

        assert await w.client.find(Namespace, "shop") is None
        assert await w.pods() == []
