from typing import Any

from msgspec.structs import replace

from kubewright.application.diagnosis.deployment import judge
from kubewright.application.diagnosis.finding import Finding
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.pods import troubles
from kubewright.kinds.apps.v1 import DeploymentCondition
from tests.unit.application.diagnosis.ward import installed, told

SUBJECT = "deployment/shop in namespace shops"


def judged(place: Installation) -> list[Finding]:
    """Return the findings about a Deployment."""
    found = list(troubles(place)) if place.deployment is not None else []
    return list(judge(place, found, {}, deploy="kubewright deploy", suspects=("crd/a",)))


def with_condition(place: Installation, **fields: Any) -> Installation:
    """Return *place* with a condition of its Deployment."""
    assert place.deployment is not None
    place.deployment.status.conditions = [DeploymentCondition(**fields)]
    return place


def test_one_with_all_of_its_pods_is_fine() -> None:
    """There is nothing to say."""
    assert judged(installed()) == []


def test_one_that_is_scaled_to_nothing_says_how_to_scale_it() -> None:
    """Somebody did that for a moment, months ago."""
    (found,) = judged(installed(replicas=0, ready=0))

    assert found.what == "It is scaled to 0: the operator does not run."
    assert found.mend == ("kubectl scale deployment/shop --namespace shops --replicas 1",)


def test_one_that_does_not_exist_is_an_error_if_it_was_asked_for() -> None:
    """In development there is none, and that is fine."""
    nothing = replace(installed(), deployment=None)

    assert told(judged(nothing)) == [("info", "namespace/shops")]
    assert told(judged(replace(nothing, exists=False))) == [("info", "namespace/shops")]
    assert told(judged(replace(nothing, wanted="shop"))) == [("error", SUBJECT)]
    assert judged(nothing)[0].mend == ("kubewright deploy",)


def test_pods_that_are_refused_are_told_with_the_reason() -> None:
    """A quota, a missing account, a policy: it is in a condition."""
    place = with_condition(
        installed(ready=0), type="ReplicaFailure", status="True", message="exceeded quota: small"
    )

    (found,) = judged(place)

    assert "Its pods cannot be created: exceeded quota: small." in found.what


def test_too_few_pods_without_any_other_reason_are_told() -> None:
    """The reason may be anywhere, so this at least is said."""
    (found,) = judged(installed(replicas=2, ready=1, flags="--leader-elect"))

    assert found.what == "1 of 2 pods are available. There are no pods at all."


def test_one_that_no_controller_has_seen_is_a_hint() -> None:
    """A moment after a change, that is normal."""
    place = installed(ready=0)
    assert place.deployment is not None
    place.deployment.metadata.generation = 2

    assert told(judged(place)) == [("info", SUBJECT)]


def test_a_paused_rollout_is_told() -> None:
    """A new version is deployed, and nothing happens."""
    place = installed()
    assert place.deployment is not None
    place.deployment.spec.paused = True

    assert judged(place)[0].mend == ("kubectl rollout resume deployment/shop --namespace shops",)


def test_a_rollout_that_is_stuck_can_be_undone() -> None:
    """Two versions of an operator at work is more than one too many."""
    place = with_condition(
        installed(), type="Progressing", status="False", reason="ProgressDeadlineExceeded"
    )
    assert place.deployment is not None
    place.deployment.status.replicas, place.deployment.status.updated_replicas = 2, 1

    assert judged(place)[0].mend[-1] == "kubectl rollout undo deployment/shop --namespace shops"


def test_replicas_without_leader_election_are_told() -> None:
    """All of them do the same work."""
    assert told(judged(installed(replicas=2, ready=2))) == [("warning", SUBJECT)]
    assert judged(installed(replicas=2, ready=2, flags="--leader-elect")) == []


def test_a_pod_that_is_not_ready_may_wait_for_a_crd() -> None:
    """Then it is one fault, that of the CRD."""
    pods = "{phase: Running, conditions: [{type: Ready, status: 'False'}]}"

    (found,) = judged(installed(ready=0, pods=pods))

    assert found.causes == ("crd/a",)
