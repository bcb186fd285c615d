from datetime import UTC, datetime, timedelta

import pytest

from kubewright.embedded.node.pod.state import (
    ContainerRecord,
    Delay,
    Ended,
    Fresh,
    Running,
    ended,
    role_of,
    roles,
    started,
    wait_before_restart,
)
from kubewright.kinds.core.v1 import Container, Lifecycle, LifecycleHandler, PodSpec, Probe

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def run(record: ContainerRecord, at: float, lasts: float, **fields: object) -> ContainerRecord:
    """Return the record after one more run that fails."""
    container = Container(name="c", **fields)  # type: ignore[arg-type]
    begin = NOON + timedelta(seconds=at)
    record = started(record, container=container, container_id="x", image_id="i", now=begin)
    return ended(record, Ended(1, "Error", begin, begin + timedelta(seconds=lasts), "x"))


def test_the_first_restart_is_at_once_and_the_next_ones_wait_twice_as_long_each_time() -> None:
    """Ten seconds, doubled up to five minutes: the numbers that everybody knows from Kubernetes."""
    record, waits = ContainerRecord("c"), []
    at = 0.0
    for _ in range(8):
        record = run(record, at, 0)
        waits.append(wait_before_restart(record, NOON + timedelta(seconds=at)))
        at += waits[-1]

    assert waits == [0, 10, 20, 40, 80, 160, 300, 300]


def test_a_container_that_ran_for_long_starts_with_the_first_delay_again() -> None:
    """One crash a day is not a crash loop."""
    record = run(run(run(ContainerRecord("c"), 0, 0), 0, 0), 10, 0)
    assert record.delay == Delay(20, NOON + timedelta(seconds=10))

    record = run(record, 30, 601)

    assert wait_before_restart(record, NOON + timedelta(seconds=631)) == 0


def test_only_what_has_ended_waits() -> None:
    """A first start has nothing to wait for."""
    assert wait_before_restart(ContainerRecord("c", delay=Delay(10, NOON)), NOON) == 0


def test_a_restart_is_counted_and_the_last_end_is_kept() -> None:
    """``kubectl describe`` shows how the last run ended while the present one goes on."""
    first = run(ContainerRecord("c"), 0, 1)

    again = started(first, container=Container(name="c"), container_id="y", image_id="i", now=NOON)

    assert (first.restarts, again.restarts) == (0, 1)
    assert again.last == first.state
    assert again.state == Running(NOON)
    assert again.container_id == "y"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, (True, True, True)),
        ({"startup_probe": Probe()}, (True, False, True)),
        ({"readiness_probe": Probe()}, (True, True, False)),
        ({"lifecycle": Lifecycle(post_start=LifecycleHandler())}, (False, False, True)),
        ({"lifecycle": Lifecycle(pre_stop=LifecycleHandler())}, (True, True, True)),
    ],
)
def test_what_is_not_probed_is_taken_for_well(
    fields: dict[str, object], expected: tuple[bool, bool, bool]
) -> None:
    """Without probes and hooks a container is ready as soon as it runs."""
    container = Container(name="c", **fields)  # type: ignore[arg-type]

    record = started(
        ContainerRecord("c"), container=container, container_id="x", image_id="i", now=NOON
    )

    assert (record.hooked, record.started, record.ready) == expected


def test_what_has_ended_is_neither_started_nor_ready() -> None:
    """Whatever its probes said before."""
    record = run(ContainerRecord("c"), 0, 1)

    assert not record.started
    assert not record.ready
    assert not record.is_running
    assert record.has_run
    assert not ContainerRecord("c", Fresh()).has_run


def test_an_init_container_that_always_restarts_is_a_sidecar() -> None:
    """That is how Kubernetes spells it; for other containers the word means something else."""
    always, plain = Container(name="a", restart_policy="Always"), Container(name="b")

    assert role_of(always, init=True) == "sidecar"
    assert role_of(always, init=False) == "app"
    spec = PodSpec(init_containers=[plain, always], containers=[Container(name="c")])
    assert [role for _, role in roles(spec)] == ["init", "sidecar", "app"]
