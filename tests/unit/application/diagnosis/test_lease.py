from msgspec.structs import replace

from kubewright.application.diagnosis.finding import Finding
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.lease import judge
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Pod
from tests.unit.application.diagnosis.ward import NOW, installed, made, told

SUBJECT = "lease/shop in namespace shops"
READY = "{phase: Running, conditions: [{type: Ready, status: 'True'}]}"


def lease(holder: str, renewed: str = "2026-11-01T11:59:55Z") -> Lease:
    """Return a Lease of 15 seconds."""
    return made(
        Lease,
        f"""
        metadata: {{name: shop, namespace: shops}}
        spec:
          holderIdentity: "{holder}"
          leaseDurationSeconds: 15
          acquireTime: 2026-11-01T11:00:00.000000Z
          renewTime: {renewed.replace("Z", ".000000Z")}
        """,
    )


def judged(one: Lease, place: Installation, *more: Pod) -> list[Finding]:
    """Return the findings about a Lease."""
    return list(judge(one, place, pods=[*place.pods, *more], now=NOW))


def test_a_pod_of_the_deployment_may_hold_it() -> None:
    """It says who, and since when."""
    (found,) = judged(lease("shop-1_abc"), installed(pods=READY))

    assert found.severity == "fine"
    assert found.what == f"{SUBJECT} is held by shop-1_abc since 2026-11-01 11:00:00 UTC"


def test_a_pod_in_the_network_of_its_node_has_the_name_of_the_node() -> None:
    """It is not a foreigner."""
    place = installed(pods=READY)
    pod = place.pods[0]
    pod.spec.host_network, pod.spec.node_name = True, "node-7"

    (found,) = judged(lease("node-7_abc"), place)

    assert found.severity == "fine"


def test_a_holder_that_went_silent_is_told() -> None:
    """Nobody has taken it over, so nobody works."""
    (found,) = judged(lease("shop-1_abc", "2026-11-01T11:58:00Z"), installed(pods=READY))

    assert told([found]) == [("warning", SUBJECT)]
    assert "it ended 105 seconds ago" in found.what
    assert found.mend[-1] == "kubectl delete lease shop --namespace shops"


def test_somebody_elses_hold_is_told() -> None:
    """All replicas of the Deployment wait."""
    (found,) = judged(lease("laptop_abc"), installed(pods=READY))

    assert told([found]) == [("warning", SUBJECT)]
    assert "That is not a pod of this Deployment" in found.what


def test_a_pod_of_another_deployment_is_named_with_its_owner() -> None:
    """Two Deployments with one Lease: one of them never works."""
    other = made(
        Pod,
        """
        metadata:
          name: copy-1
          uid: u2
          ownerReferences:
          - {apiVersion: apps/v1, kind: ReplicaSet, name: copy-6f, uid: u3, controller: true}
        spec: {containers: []}
        """,
    )

    (found,) = judged(lease("copy-1_abc"), installed(pods=READY), other)

    assert "a pod of ReplicaSet copy-6f, another operator with the same Lease" in found.what


def test_a_holder_without_any_deployment_is_a_hint() -> None:
    """That is what development looks like."""
    place = replace(installed(), deployment=None)

    assert told(judged(lease("laptop_abc"), place)) == [("info", SUBJECT)]


def test_a_lease_that_nobody_holds_matters_if_somebody_should() -> None:
    """After a clean stop it is empty, and that is fine."""
    running = installed(flags="--leader-elect", pods=READY)

    long_ago, just_now = "2026-11-01T11:30:00Z", "2026-11-01T11:59:59Z"
    assert told(judged(lease("", long_ago), running)) == [("warning", SUBJECT)]
    assert judged(lease("", just_now), running) == []  # a rollout: the next one takes it
    assert judged(lease("", long_ago), installed(pods=READY)) == []
