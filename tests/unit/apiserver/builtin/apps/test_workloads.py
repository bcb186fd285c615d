"""What all workloads share."""

from kubewright.apiserver.builtin import strategy_for
from kubewright.apiserver.builtin.apps.workloads import (
    runs_for_ever,
    validate_required_selector,
    workload_warnings,
)
from tests.unit.apiserver.builtin.workload_samples import (
    Written,
    a_workload,
    judged,
    template,
)


def test_a_selector_must_be_there_and_select_something() -> None:
    """An empty one would take every pod of the namespace."""
    missing = validate_required_selector(None, "s", kind="thing")
    empty = validate_required_selector({}, "s", kind="thing")

    assert [error.text for error in missing] == ["Required value"]
    assert [error.text for error in empty] == [
        "Invalid value: {}: empty selector is invalid for thing"
    ]


def test_pods_of_a_workload_do_not_end() -> None:
    """The controller would make new ones at once."""
    pattern = template(restartPolicy="OnFailure", activeDeadlineSeconds=1)

    assert len(runs_for_ever(pattern, "t", kind="Thing")) == 2
    assert not runs_for_ever(template(restartPolicy="Always"), "t", kind="Thing")


def test_a_valid_workload_with_a_strange_name_is_taken_with_a_warning() -> None:
    """Its pods get host names from it."""
    workload = a_workload()
    workload["metadata"]["name"] = "a.b"
    write = Written()

    _, errors = judged("apps", "deployments", workload, write)

    assert not errors
    assert write.warnings == list(workload_warnings(workload))
    assert "Pod names and hostnames" in write.warnings[0]


def test_the_status_of_a_new_workload_says_nothing() -> None:
    """A copied manifest carries the status of another one."""
    copied = {**a_workload(), "status": {"replicas": 5}}
    strategy = strategy_for("apps", "replicasets")

    strategy.default(copied)
    strategy.prepare_create(copied, Written())

    assert copied["status"] == {"replicas": 0}
