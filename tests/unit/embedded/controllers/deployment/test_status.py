from datetime import timedelta

import msgspec

from kubewright.api.conditions import find_condition
from kubewright.embedded.controllers.deployment.status import (
    counted,
    is_complete,
    note_pause,
    reported,
    seconds_until_late,
    set_progress,
)
from kubewright.kinds.apps.v1 import Deployment, DeploymentStatus, ReplicaSetCondition
from tests.unit.embedded.controllers.deployment.objects import NOW, deployment, replica_set


def why(status: DeploymentStatus, kind: str = "Progressing") -> str:
    """Return status and reason of a condition."""
    found = find_condition(status.conditions, kind)
    return f"{found.status} {found.reason}" if found is not None else ""


def started(made: Deployment) -> Deployment:
    """Return *made* at the beginning of its rollout."""
    set_progress(made, "NewReplicaSetCreated", "made", now=NOW)
    return made


def test_all_pods_are_counted_and_the_wanted_ones_missed() -> None:
    """Zeros are left out, as Kubernetes does; what is unknown, too."""
    new, old = replica_set("new", 3, available=1), replica_set("old", 8)

    status = counted(deployment(10), new, [old], now=NOW)
    old.status.terminating_replicas = None

    assert (status.replicas, status.updated_replicas) == (11, 3)
    assert (status.ready_replicas, status.available_replicas) == (9, 9)
    assert (status.unavailable_replicas, status.terminating_replicas) == (2, 0)
    assert why(status, "Available") == "True MinimumReplicasAvailable"
    assert counted(deployment(), new, [old], now=NOW).terminating_replicas is None
    assert counted(deployment(0), None, [], now=NOW).replicas is None


def test_too_few_pods_are_not_available() -> None:
    """Less than wanted, minus what may be missing."""
    status = counted(deployment(10), replica_set("new", 10, available=7), [], now=NOW)

    assert why(status, "Available") == "False MinimumReplicasUnavailable"


def test_progress_is_noted_with_its_time_each_time() -> None:
    """The deadline counts from the last step forward."""
    made, later = started(deployment(10)), NOW + timedelta(seconds=30)

    status = reported(made, replica_set("new", 3, available=1), [], now=later)

    condition = find_condition(status.conditions, "Progressing")
    assert condition is not None
    assert why(status) == "True ReplicaSetUpdated"
    assert condition.message == 'ReplicaSet "new" is progressing.'
    assert (condition.last_update_time, condition.last_transition_time) == (later, NOW)


def test_a_whole_rollout_is_complete_and_stays_so() -> None:
    """A pod that dies later does not make the rollout a failure."""
    made = started(deployment(2))
    made.status = reported(made, replica_set("new", 2), [], now=NOW)
    done = is_complete(made, made.status)

    later = reported(made, replica_set("new", 2, available=0), [], now=NOW + timedelta(hours=1))

    assert done
    assert why(made.status) == "True NewReplicaSetAvailable"
    assert why(later) == "True NewReplicaSetAvailable"


def test_a_rollout_that_stands_still_is_late_after_its_deadline() -> None:
    """And it is known when to look."""
    made = started(deployment(2))
    new = replica_set("new", 1, available=0)
    made.status = reported(made, new, [], now=NOW)
    soon, late = NOW + timedelta(seconds=599), NOW + timedelta(seconds=601)

    waits = seconds_until_late(made, now=soon)
    early = reported(made, new, [], now=soon)
    made.status = reported(made, new, [], now=late)

    assert waits == 2.0
    assert why(early) == "True ReplicaSetUpdated"
    assert why(made.status) == "False ProgressDeadlineExceeded"
    assert seconds_until_late(made, now=late) is None


def test_without_a_deadline_nothing_is_said_of_progress() -> None:
    """2147483647 seconds mean none."""
    for deadline in (None, 2147483647):
        made = started(deployment(2, progressDeadlineSeconds=deadline))
        status = reported(made, replica_set("new", 1), [], now=NOW)
        assert why(status) == ""
        assert seconds_until_late(made, now=NOW) is None


def test_a_pause_and_its_end_are_noted() -> None:
    """But they do not hide that a rollout was late."""
    made = started(deployment(2, paused=True))

    note_pause(made, now=NOW)
    paused = why(made.status)
    made.spec.paused = False
    note_pause(made, now=NOW)
    resumed = why(made.status)
    set_progress(made, "ProgressDeadlineExceeded", "late", failed=True, now=NOW)
    made.spec.paused = True
    note_pause(made, now=NOW)

    assert (paused, resumed) == ("Unknown DeploymentPaused", "Unknown DeploymentResumed")
    assert why(made.status) == "False ProgressDeadlineExceeded"


def test_what_a_set_cannot_do_is_said_of_the_deployment() -> None:
    """Until it can."""
    new = replica_set("new", 2)
    failure = ReplicaSetCondition(
        type="ReplicaFailure", status="True", reason="FailedCreate", message="quota"
    )
    new.status.conditions = [failure]
    made = deployment(2)

    made.status = reported(made, new, [], now=NOW)
    new.status.conditions = []
    after = reported(made, new, [], now=NOW)

    assert why(made.status, "ReplicaFailure") == "True FailedCreate"
    assert why(after, "ReplicaFailure") == ""


def test_a_status_that_says_the_same_is_the_same() -> None:
    """Otherwise it would be written again and again."""
    made = started(deployment(2))
    made.status = reported(made, replica_set("new", 2), [], now=NOW)
    before = msgspec.json.encode(made.status)

    after = reported(made, replica_set("new", 2), [], now=NOW + timedelta(hours=1))

    assert msgspec.json.encode(after) == before
