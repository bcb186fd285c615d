import kubewright as kw
from kubewright.embedded.controllers.history import Snapshot
from kubewright.embedded.controllers.pod_state import PodState
from kubewright.embedded.controllers.statefulset.status import is_up, reported
from kubewright.kinds.apps.v1 import ControllerRevision
from tests.unit.embedded.controllers.pods import NOW, state
from tests.unit.embedded.controllers.statefulset.objects import stateful_set

NEW = Snapshot(ControllerRevision(metadata=kw.ObjectMeta(name="new")), 0)


def pod(number: int, revision: str, *, ready_for: float | None = 60) -> PodState:
    """Return a pod of a revision."""
    labels = {"controller-revision-hash": revision}
    return state(f"web-{number}", labels=labels, ready_for=ready_for)


def test_pods_are_counted_by_revision() -> None:
    """In the middle of an update the two numbers say how far it is."""
    pods = [pod(0, "old"), pod(1, "old", ready_for=5), pod(2, "new", ready_for=None)]

    status = reported(stateful_set(3, minReadySeconds=10), pods, current="old", update=NEW, now=NOW)

    assert (status.replicas, status.ready_replicas, status.available_replicas) == (3, 2, 1)
    assert (status.current_replicas, status.updated_replicas) == (2, 1)
    assert (status.current_revision, status.update_revision) == ("old", "new")


def test_the_last_new_pod_ends_the_update() -> None:
    """Then the new revision is the one that the next update begins from."""
    pods = [pod(number, "new") for number in range(3)]

    status = reported(stateful_set(3), pods, current="old", update=NEW, now=NOW)
    by_hand = stateful_set(3, updateStrategy={"type": "OnDelete"})
    unfinished = reported(by_hand, pods, current="old", update=NEW, now=NOW)

    assert (status.current_revision, status.current_replicas) == ("new", 3)
    assert (unfinished.current_revision, unfinished.current_replicas) == ("old", None)


def test_a_pod_is_up_when_it_runs_and_was_ready_for_long_enough() -> None:
    """Others wait for it until then."""
    assert is_up(pod(0, "new"), 10, NOW)
    assert not is_up(pod(0, "new", ready_for=5), 10, NOW)
    assert not is_up(state(phase="Succeeded", ready_for=60), 10, NOW)
