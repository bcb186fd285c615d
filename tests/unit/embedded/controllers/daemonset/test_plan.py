from typing import Any

from kubewright.embedded.controllers.daemonset.placement import Fit
from kubewright.embedded.controllers.daemonset.plan import Situation, Todo, kept, reported, rolled
from kubewright.embedded.controllers.pod_state import PodState
from tests.unit.embedded.controllers.daemonset.objects import daemon_set
from tests.unit.embedded.controllers.pods import NOW, state

HERE, NOWHERE, STAYS = Fit(True, True), Fit(False, False), Fit(False, True)


def pod(name: str, *, new: bool = False, up: bool = True, **options: Any) -> PodState:
    """Return a pod, of the present template or of an old one."""
    labels = {"controller-revision-hash": "new" if new else "old"}
    return state(name, labels=labels, ready_for=60 if up else None, node="n", **options)


def at(pods: dict[str, list[PodState]], fits: dict[str, Fit] | None = None, **rolling: Any) -> Any:
    """Return a situation; every node with pods takes them unless it is said."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling or {"maxUnavailable": 1}}
    owner = daemon_set(updateStrategy=strategy)
    owner.metadata.annotations = {}
    return Situation(owner, "new", fits or dict.fromkeys(pods, HERE), pods, NOW)


def done(todo: Todo) -> tuple[list[str], list[str]]:
    """Return the nodes that get pods, and the names of pods that go."""
    return sorted(todo.create), sorted(one.name for one in todo.delete)


def test_nodes_get_what_they_take_and_lose_what_they_do_not() -> None:
    """A pod that may stay stays, also where no new one would come."""
    pods = {"b": [pod("b")], "c": [pod("c")], "d": [pod("d")]}
    fits = {"a": HERE, "b": HERE, "c": NOWHERE, "d": STAYS}

    assert done(kept(at(pods, fits))) == (["a"], ["c"])


def test_of_two_pods_on_a_node_the_older_stays() -> None:
    """Whoever made the second."""
    pods = {"a": [pod("young", age=1), pod("old", age=100)]}

    assert done(kept(at(pods))) == ([], ["young"])


def test_a_pod_on_its_way_to_a_node_that_is_gone_goes() -> None:
    """It would be pending for ever."""
    waiting = state("waiting", phase="Pending")

    assert done(kept(at({"gone": [waiting]}, {"a": STAYS}))) == ([], ["waiting"])


def test_so_many_old_pods_go_as_may_be_missing() -> None:
    """Those that do not work go at once."""
    pods = {
        "a": [pod("a")],
        "b": [pod("b")],
        "c": [pod("c", up=False)],
        "d": [pod("d", new=True)],
    }

    assert done(rolled(at(pods))) == ([], ["a", "c"])
    assert done(rolled(at(pods, maxUnavailable="50%"))) == ([], ["a", "b", "c"])


def test_a_new_pod_that_does_not_work_stops_the_update() -> None:
    """Otherwise a bad template would reach every node."""
    pods = {"a": [pod("a")], "b": [pod("b", new=True, up=False)]}

    assert done(rolled(at(pods))) == ([], [])


def test_a_node_whose_pod_ends_counts_as_without() -> None:
    """Its new pod is still to come."""
    pods = {"a": [pod("a")], "b": [pod("b", deleting=True)]}

    assert done(rolled(at(pods))) == ([], [])


def test_with_surge_old_pods_go_when_new_ones_work() -> None:
    """New ones come first, so many at a time as is said."""
    surge: dict[str, Any] = {"maxSurge": 1, "maxUnavailable": 0}
    begin = {"a": [pod("a")], "b": [pod("b")]}
    waiting = {"a": [pod("a"), pod("a2", new=True, up=False)], "b": [pod("b")]}
    working = {"a": [pod("a"), pod("a2", new=True)], "b": [pod("b")]}

    assert done(rolled(at(begin, **surge))) == (["a"], [])
    assert done(rolled(at(waiting, **surge))) == ([], [])
    assert done(rolled(at(working, **surge))) == (["b"], ["a"])
    assert done(kept(at(waiting, **surge))) == ([], [])
    assert done(kept(at(working, **surge))) == ([], ["a"])


def test_the_status_counts_nodes_not_pods() -> None:
    """Two pods on one node are one."""
    pods = {
        "a": [pod("a", new=True), pod("a2")],
        "b": [pod("b", up=False)],
        "c": [pod("c")],
    }
    fits = {"a": HERE, "b": HERE, "c": STAYS, "d": HERE}

    status = reported(at(pods, fits), collisions=0)

    assert (status.desired_number_scheduled, status.current_number_scheduled) == (3, 2)
    assert (status.number_ready, status.number_available, status.number_unavailable) == (1, 1, 2)
    assert (status.updated_number_scheduled, status.number_misscheduled) == (1, 1)
