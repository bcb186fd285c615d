"""The forms of an AdmissionReview and of its answers."""

import json
from typing import Any

import pytest

from kubewright.apiserver.admission.review import check_decodable, verdict
from kubewright.webhook.review import (
    AdmissionRequest,
    AdmissionResponse,
    GroupVersionKindName,
    GroupVersionResourceName,
    ReviewError,
    User,
    failure,
    is_given,
    read_review,
    write_review,
)
from tests.unit.webhook.reviews import document, patch_in, review

either_version = pytest.mark.parametrize("version", ["v1", "v1beta1"])
PATCH = [{"op": "add", "path": "/spec/size", "value": 2}]


@either_version
def test_a_review_is_read_as_it_is_sent(version: str) -> None:
    """Both versions have the same members; a handler need not know which it was."""
    body = review(
        document(size=2),
        document(),
        version=version,
        subResource="status",
        requestKind={"group": "example.com", "version": "v2", "kind": "Shop"},
        requestResource={"group": "example.com", "version": "v2", "resource": "shops"},
        requestSubResource="status",
        options={"kind": "UpdateOptions"},
    )

    api_version, found = read_review(body)

    assert api_version == f"admission.k8s.io/{version}"
    assert (found.uid, found.operation, found.dry_run) == ("r-1", "UPDATE", False)
    assert (found.name, found.namespace, found.sub_resource) == ("corner", "town", "status")
    assert found.kind == GroupVersionKindName("example.com", "v1", "Shop")
    assert found.resource == GroupVersionResourceName("example.com", "v1", "shops")
    assert found.request_kind == GroupVersionKindName("example.com", "v2", "Shop")
    assert found.request_resource == GroupVersionResourceName("example.com", "v2", "shops")
    assert found.user_info == User("ann", groups=["owners"])
    assert (found.document(), found.old_document()) == (document(size=2), document())


def test_null_stands_for_no_object() -> None:
    """Go sends null for the new object of a delete and for the old one of a create."""
    _, created = read_review(review(document()))
    _, deleted = read_review(review(old=document()))

    assert (created.old_document(), deleted.document()) == (None, None)
    assert not is_given(created.old_object)
    assert not is_given(deleted.object)


@pytest.mark.parametrize("odd", [[1, 2, 3], "a text", 12345, True])
def test_an_object_that_is_none_is_no_document(odd: Any) -> None:
    """A raw handler reads members of it, and would fail with an error that explains nothing."""
    assert read_review(review(odd))[1].document() is None


def test_the_objects_are_kept_to_the_byte() -> None:
    """A patch is made against what was sent, however it was written."""
    body = b"""{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request":
        {"uid": "r-1", "object": {"size": 1.50, "big": 12345678901234567890123}}}"""

    assert bytes(read_review(body)[1].object) == b'{"size": 1.50, "big": 12345678901234567890123}'


def test_nulls_and_members_of_newer_servers_do_no_harm() -> None:
    """Go writes null for empty lists, and a server may be newer than we are."""
    body = review(
        document(), userInfo={"username": "ann", "groups": None, "extra": None, "mood": "good"},
        subResource=None, novelty={"a": 1},
    )  # fmt: skip

    _, found = read_review(body)

    assert (found.user_info, found.sub_resource) == (User("ann"), "")
    assert found.document() == document()


NAMED = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}


def body_of(**members: Any) -> bytes:
    """Return a review that has these members only."""
    return json.dumps(members).encode()


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "is not an AdmissionReview: cannot decode"),
        (b"hello", "is not an AdmissionReview: .* begins with b'hello'"),
        (b"\xff\xfe", "is not an AdmissionReview"),
        (b"[" * 100_000, "is not an AdmissionReview"),
        (b'{"request": ' * 100_000, "is not an AdmissionReview"),
        (b"null", "is not an AdmissionReview"),
        (b"[]", "is not an AdmissionReview"),
        (b'"AdmissionReview"', "is not an AdmissionReview"),
        (b"{}", "not 'nothing' in ''"),
        (body_of(**NAMED | {"kind": 3}), "at kind: expected `str`"),
        (body_of(**NAMED | {"kind": "TokenReview"}), "not 'TokenReview' in 'admission.k8s.io/v1'"),
        (review(version="v2"), "in admission.k8s.io/v1 or .*v1beta1, not .* in 'admission.*/v2'"),
        (body_of(**NAMED | {"apiVersion": "v1"}), "not 'AdmissionReview' in 'v1'"),
        (body_of(**NAMED), "has no request with a uid"),
        (body_of(**NAMED, request=None), "has no request with a uid"),
        (body_of(**NAMED, request={}), "has no request with a uid"),
        (body_of(**NAMED, request=[]), "decode a AdmissionReview at request: expected `object"),
        (review(document(), uid=""), "has no request with a uid"),
        (review(document(), uid=7), "at request.uid: expected `str`"),
        (review(document(), operation="PATCH"), "at request.operation: invalid enum value 'PATCH'"),
        (review(document(), kind="Shop"), "at request.kind: expected `object`"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_reason(body: bytes, told: str) -> None:
    """Whoever wrote the configuration, or calls by hand, reads what is wrong."""
    with pytest.raises(ReviewError, match=told):
        read_review(body)


def test_the_body_is_not_repeated_to_who_sent_it() -> None:
    """It may have a Secret in it, and errors are logged."""
    with pytest.raises(ReviewError) as refused:
        read_review(review(document(colour="secret"), uid=7))

    assert "secret" not in str(refused.value)


@either_version
def test_an_answer_has_the_version_and_the_uid_of_the_question(version: str) -> None:
    """A server refuses any other."""
    answer = json.loads(write_review(f"admission.k8s.io/{version}", "r-1", AdmissionResponse()))

    assert answer == {
        "kind": "AdmissionReview",
        "apiVersion": f"admission.k8s.io/{version}",
        "response": {"uid": "r-1", "allowed": True},
    }


@either_version
def test_a_server_can_read_all_that_an_answer_says(version: str) -> None:
    """Each member has the form that Go expects; one that has not fails the whole request."""
    answer = AdmissionResponse(patch=PATCH, warnings=["look out"], audit_annotations={"by": "us"})

    body = write_review(f"admission.k8s.io/{version}", "r-1", answer)

    sent = json.loads(body)
    check_decodable(sent, version)
    found = verdict(sent, version=version, uid="r-1", mutating=True)
    assert (found.allowed, found.patch_type, patch_in(body)) == (True, "JSONPatch", PATCH)
    assert (found.warnings, found.annotations) == (["look out"], {"by": "us"})


def test_an_answer_without_a_patch_names_no_patch_type() -> None:
    """A server refuses either without the other, and both from a validating webhook."""
    sent = json.loads(write_review("admission.k8s.io/v1", "r-1", AdmissionResponse()))

    assert verdict(sent, version="v1", uid="r-1", mutating=False).allowed


def test_a_refusal_is_a_status() -> None:
    """The server passes message, reason and code on to the user."""
    answer = AdmissionResponse.refused("no", code=409, reason="Conflict")

    sent = json.loads(write_review("admission.k8s.io/v1", "r-1", answer))

    check_decodable(sent, "v1")
    found = verdict(sent, version="v1", uid="r-1", mutating=False)
    assert (found.allowed, found.result) == (False, failure("no", code=409, reason="Conflict"))


def test_a_refusal_is_forbidden_unless_it_says_otherwise() -> None:
    """As in controller-runtime."""
    status = AdmissionResponse.refused("no").status

    assert status is not None
    assert (status["code"], status["reason"], status["status"]) == (403, "Forbidden", "Failure")


@pytest.mark.parametrize("code", [0, 200, 399, 600, 1000, 2**40])
def test_a_refusal_has_the_code_of_an_error(code: int) -> None:
    """kube-apiserver drops the connection of the user when it is told to answer with 1000."""
    with pytest.raises(ValueError, match=f"a code from 400 to 599, not {code}"):
        AdmissionResponse.refused("no", code=code)


def test_answers_do_not_share_their_lists() -> None:
    """A warning for one user must not be printed for the next."""
    one, other = AdmissionResponse(), AdmissionResponse()
    one.warnings.append("look out")
    one.patch.extend(PATCH)
    one.audit_annotations["by"] = "us"

    assert other == AdmissionResponse(patch=[], warnings=[], audit_annotations={})


def test_requests_do_not_share_their_user() -> None:
    """A handler that adds a group for its own use must not give it to everybody."""
    AdmissionRequest().user_info.groups.append("admins")

    assert AdmissionRequest().user_info.groups == []
