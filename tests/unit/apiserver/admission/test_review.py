from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import GroupVersionKind, GroupVersionResource
from kubewright.apiserver.admission.review import (
    check_decodable,
    refusal,
    request,
    verdict,
)
from kubewright.apiserver.admission.rules import Match
from tests.unit.apiserver.admission.writes import config_map, write

WHOLE = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}


def read(response: dict[str, Any], *, mutating: bool = True, version: str = "v1") -> Any:
    answer = {**WHOLE, "response": {"uid": "1", **response}}
    return verdict(answer, version=version, uid="1", mutating=mutating)


def test_a_request_shows_what_was_asked_and_what_is_shown() -> None:
    """They differ when a webhook wants another version; what is empty is left out."""
    shown = Match(
        GroupVersionResource("", "v2", "configmaps"), GroupVersionKind("", "v2", "ConfigMap")
    )
    attributes = write(subresource="status")

    asked = request(attributes, shown, uid="1", obj=config_map(), old=None)

    assert asked["kind"]["version"] == "v2"
    assert asked["requestKind"]["version"] == "v1"
    assert asked["subResource"] == asked["requestSubResource"] == "status"
    assert "subResource" not in request(write(), shown, uid="1", obj=None, old=None)


def test_what_is_missing_means_no() -> None:
    """A webhook that forgets to allow refuses."""
    assert read({}).allowed is False
    assert read({"allowed": True}).allowed is True


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"patchType": "JSONPatch"}, "response.patchType but not response.patch"),
        ({"patch": "W10="}, "response.patch but not response.patchType"),
        ({"patch": "W10=", "patchType": ""}, 'invalid response.patchType of ""'),
        ({"patch": "?", "patchType": "JSONPatch"}, "illegal base64 data"),
        ({"uid": "2"}, 'expected response.uid="1", got "2"'),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(response: dict[str, Any], said: str) -> None:
    """What it meant cannot be known."""
    with pytest.raises(ValueError, match=said):
        read(response)


def test_the_old_version_is_less_strict() -> None:
    """It was never checked, so webhooks rely on it."""
    found = read({"uid": "", "patch": "W10=", "allowed": True}, version="v1beta1")

    assert (found.patch, found.patch_type) == (b"[]", "JSONPatch")


@pytest.mark.parametrize("allowed", ["yes", 3])
def test_allowed_is_true_or_false(allowed: object) -> None:
    """Go would not read anything else."""
    with pytest.raises(ValueError, match=r"AdmissionResponse\.response\.allowed of type bool"):
        check_decodable({**WHOLE, "response": {"allowed": allowed}}, "v1")


def test_a_refusal_never_looks_like_a_success() -> None:
    """Whatever the webhook says."""
    error = refusal("h", {"code": 200, "status": "Success", "details": {"name": "x"}})

    assert (error.code, error.details) == (400, {"name": "x"})
    assert error.status["status"] == "Failure"
