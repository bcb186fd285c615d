from kubewright.apiserver.fieldmanager.conflict import Conflict, ConflictsError
from kubewright.apiserver.fieldmanager.entries import owner

KUBECTL = owner("kubectl-client-side-apply", "Update", "apps/v1", "")
HPA = owner("hpa", "Update", "apps/v1", "scale")
APPLIER = owner("argo", "Apply", "apps/v1", "")
REPLICAS = ("f:spec", "f:replicas")


def test_one_conflict_is_told_in_one_line() -> None:
    """The user of kubectl reads this as it is."""
    status = ConflictsError([Conflict(KUBECTL, REPLICAS)]).status

    assert (status.code, status.reason) == (409, "Conflict")
    assert status.message == (
        'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1:'
        " .spec.replicas"
    )
    assert status.details["causes"] == [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "kubectl-client-side-apply" using apps/v1',
            "field": ".spec.replicas",
        }
    ]


def test_several_conflicts_are_listed_by_owner() -> None:
    """Appliers have no version; subresources are named."""
    path = ("f:spec", "f:ports", 'k:{"port":80}')
    conflicts = [Conflict(HPA, REPLICAS), Conflict(APPLIER, REPLICAS), Conflict(APPLIER, path)]

    assert ConflictsError(conflicts).status.message == (
        'Apply failed with 3 conflicts: conflicts with "argo":\n'
        "- .spec.replicas\n"
        "- .spec.ports[port=80]\n"
        'conflicts with "hpa" with subresource "scale" using apps/v1:\n'
        "- .spec.replicas"
    )
