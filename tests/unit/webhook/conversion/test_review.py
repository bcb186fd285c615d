"""The forms of a ConversionReview and of its answers."""

import json
from typing import Any

import msgspec
import pytest

from kubewright import _json
from kubewright.webhook.conversion.review import failure, read_review, success
from kubewright.webhook.review import ReviewError
from tests.unit.webhook.conversion.shops import document, review


def test_a_review_is_read_with_its_objects_as_bytes() -> None:
    """Objects are decoded as their class at once, and not twice."""
    read, request = read_review(review(document()))

    assert read.api_version == "apiextensions.k8s.io/v1"
    assert (request.uid, request.wanted) == ("r-1", "example.com/v1")
    assert [json.loads(bytes(one)) for one in request.objects or ()] == [document()]


def test_what_the_server_adds_to_a_review_is_ignored() -> None:
    """It sends an empty response along."""
    response: dict[str, Any] = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}

    assert read_review(review(response=response))[1].uid == "r-1"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "cannot decode"),
        (b"hello", "hello"),
        (b"[]", "expected"),
        (b'{"kind": 3}', "kind"),
        (b"{}", "got no apiVersion, no kind"),
        (review(kind="AdmissionReview"), "got apiextensions.k8s.io/v1, AdmissionReview"),
        (review(apiVersion="apiextensions.k8s.io/v2"), "got apiextensions.k8s.io/v2"),
        (review(request=None), "has no request"),
        (review(request={"objects": []}), "has no uid"),
        (review(request={"uid": "x", "objects": {}}), "request.objects"),
    ],
)
def test_what_is_no_review_is_refused(body: bytes, told: str) -> None:
    """The sender reads why."""
    with pytest.raises(ReviewError, match=told):
        read_review(body)


def test_answers_are_in_the_version_of_the_question() -> None:
    """Kubernetes refuses an answer in another one."""
    for version in ("v1", "v1beta1"):
        read, _ = read_review(review(version=version))

        found = json.loads(success(read, "r-1", [msgspec.Raw(b'{"a":1}')]))

        assert found == {
            "apiVersion": f"apiextensions.k8s.io/{version}",
            "kind": "ConversionReview",
            "response": {
                "uid": "r-1",
                "result": {"status": "Success"},
                "convertedObjects": [{"a": 1}],
            },
        }


def test_a_failure_has_a_message_and_no_objects() -> None:
    """Kubernetes shows the message to whoever asked for the object."""
    read, _ = read_review(review())

    found = failure(read, "r-1", "no")

    assert _json.loads(found)["response"] == {
        "uid": "r-1",
        "result": {"status": "Failure", "message": "no"},
    }
