import pytest

from kubewright.application.diagnosis.finding import Severity
from kubewright.application.diagnosis.pods import Trouble, troubles
from tests.unit.application.diagnosis.ward import installed

CRASHES = "restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}}, lastState:"
UNREADY = "conditions: [{type: Ready, status: 'False'}]"


def found(container: str, *, phase: str = "Running") -> list[Trouble]:
    """Return what is wrong with a pod whose container has that status."""
    status = "{name: manager, image: shop:1, imageID: '', ready: false, " + container + "}"
    pods = f"{{phase: {phase}, {UNREADY}, containerStatuses: [{status}]}}"
    return list(troubles(installed(pods=pods)))


@pytest.mark.parametrize(
    ("container", "text"),
    [
        (
            "restartCount: 0, state: {waiting: {reason: ImagePullBackOff, message: no such tag}}",
            "the image shop:1 cannot be pulled: no such tag.",
        ),
        (
            "restartCount: 0, state: {waiting: {reason: RunContainerError, message: no x}}",
            "the container manager cannot be started: no x.",
        ),
        (
            f"{CRASHES} {{terminated: {{exitCode: 3}}}}",
            "the container manager crashes again and again: exit code 3, 4 restarts.",
        ),
        (
            f"{CRASHES} {{terminated: {{exitCode: 137, reason: OOMKilled}}}}",
            "it needs more memory than its limit allows (OOMKilled)",
        ),
        (
            "restartCount: 0, state: {waiting: {reason: ContainerCreating}}",
            "its containers wait (ContainerCreating), maybe for a volume.",
        ),
        ("restartCount: 0, state: {running: {}}", "its readiness probe fails."),
    ],
)
def test_the_reason_is_told_in_plain_words(container: str, text: str) -> None:
    """The words of the status are for programs."""
    (trouble,) = found(container)

    assert text in trouble.what
    assert trouble.severity is Severity.ERROR


def test_one_that_runs_after_crashes_is_a_warning() -> None:
    """It will crash again."""
    (trouble,) = found(
        "restartCount: 9, state: {running: {}}, lastState: {terminated: {exitCode: 1}}"
    )

    assert trouble.severity is Severity.WARNING
    assert trouble.crashed


def test_a_pod_without_a_node_says_why() -> None:
    """The scheduler knows, and nobody asks it."""
    pods = (
        "{phase: Pending, conditions:"
        " [{type: PodScheduled, status: 'False', message: 0/3 nodes are available}]}"
    )

    (trouble,) = troubles(installed(pods=pods))

    assert trouble.what == "no node can take it: 0/3 nodes are available."


def test_a_pod_that_ends_or_is_ready_is_fine() -> None:
    """A rollout is no fault."""
    ready = installed(pods="{phase: Running, conditions: [{type: Ready, status: 'True'}]}")

    assert list(troubles(ready)) == []


def test_many_pods_with_one_trouble_are_one_finding() -> None:
    """Ten replicas crash for one reason."""
    place = installed(pods=f"{{phase: Running, {UNREADY}}}")
    ten = type(place)(
        namespace="shops", account=place.account, deployment=place.deployment, pods=place.pods * 10
    )

    assert len(list(troubles(ten))) == 1


def test_the_last_words_are_part_of_the_finding() -> None:
    """The reason of a crash is nowhere else."""
    (trouble,) = found(f"{CRASHES} {{terminated: {{exitCode: 3}}}}")

    finding = trouble.finding(installed(), "Traceback\nValueError: x", ("crd/a",))

    assert finding.what.endswith("Its last words:\n  Traceback\n  ValueError: x")
    assert finding.causes == ()  # it says itself what ails it
