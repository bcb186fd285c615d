from datetime import UTC, datetime, timedelta

import kubewright as kw
from kubewright.embedded.controllers.job.indexes import ANNOTATION
from kubewright.embedded.controllers.job.pods import (
    FAILURES,
    IGNORED_FAILURES,
    finish_time,
    is_failed,
    pod_for,
    surplus,
)
from kubewright.kinds.core.v1 import Pod, PodSpec, PodStatus
from tests.unit.embedded.controllers.job.samples import failed, indexed, job, stored

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def pod(name: str, *, phase: str = "Pending", node: str = "", **annotations: str) -> Pod:
    return Pod(
        metadata=kw.ObjectMeta(name=name, uid=name, annotations=annotations),
        spec=PodSpec(node_name=node or None),
        status=PodStatus(phase=phase),
    )


def test_the_template_stays_as_it_is() -> None:
    """A second pod must not inherit what the first one was given."""
    one = stored(indexed(2))

    first, second = pod_for(one, 0), pod_for(one, 1)

    assert len(first.spec.containers[0].env) == len(second.spec.containers[0].env) == 1
    assert one.spec.template.spec.containers[0].env == []
    assert one.spec.template.metadata.labels == {}


def test_a_long_name_leaves_room_for_the_index() -> None:
    """A host name has at most 63 characters."""
    one = stored(indexed(20))
    one.metadata.name = "a" * 63

    made = pod_for(one, 12)

    assert made.spec.hostname == "a" * 60 + "-12"
    assert made.metadata.generate_name == "a" * 54 + "-12-"


def test_failures_of_an_index_are_passed_on() -> None:
    """Those that count, and those that do not."""
    one = stored(indexed(1, backoff_limit_per_index=9))
    before = failed(annotations={FAILURES: "2", IGNORED_FAILURES: "1"})

    counted = pod_for(one, 0, after=before).metadata.annotations
    ignored = pod_for(one, 0, after=before, counted=False).metadata.annotations

    assert (counted[FAILURES], counted[IGNORED_FAILURES]) == ("3", "1")
    assert (ignored[FAILURES], ignored[IGNORED_FAILURES]) == ("2", "2")


def test_a_deleted_pod_has_failed_unless_its_end_is_waited_for() -> None:
    """PodReplacementPolicy says which."""
    deleted = pod("a", phase="Running")
    deleted.metadata.deletion_timestamp = NOON

    assert is_failed(job(), deleted)
    assert not is_failed(job(pod_replacement_policy="Failed"), deleted)


def test_a_pod_ended_with_its_last_container_or_its_deletion() -> None:
    """The wait after a failure counts from then."""
    deleted = pod("a")
    deleted.metadata.deletion_timestamp = NOON
    deleted.metadata.deletion_grace_period_seconds = 30
    young = pod("b")
    young.metadata.creation_timestamp = NOON

    assert finish_time(deleted) == NOON - timedelta(seconds=30)
    assert finish_time(young) == NOON


def test_what_has_done_the_least_is_given_up_first() -> None:
    """A pod without a node before one that runs."""
    pods = [pod("c", phase="Running", node="n"), pod("b", node="n"), pod("a")]

    assert [one.metadata.name for one in surplus(job(), pods, 2)] == ["a", "b"]
    assert surplus(job(), pods, -3) == []


def test_a_second_pod_of_an_index_is_of_no_use() -> None:
    """Nor is one beyond the end."""
    pods = [pod("a", **{ANNOTATION: "0"}), pod("b", node="n", **{ANNOTATION: "0"})]
    pods.append(pod("c", **{ANNOTATION: "7"}))

    found = surplus(indexed(2), pods, 0)

    assert sorted(one.metadata.name for one in found) == ["a", "c"]
