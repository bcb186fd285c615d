"""Refusals, text by text."""

import pickle

import pytest

from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.names import GroupKind, GroupResource

PODS = GroupResource("", "pods")
APPS = GroupResource("apps", "deployments")


@pytest.mark.parametrize(
    ("error", "code", "reason", "message"),
    [
        (status.not_found(APPS, "a"), 404, "NotFound", 'deployments.apps "a" not found'),
        (
            status.no_such_path(),
            404,
            "NotFound",
            "the server could not find the requested resource",
        ),
        (status.already_exists(PODS, "a"), 409, "AlreadyExists", 'pods "a" already exists'),
        (
            status.stale(PODS, "a"),
            409,
            "Conflict",
            (
                'Operation cannot be fulfilled on pods "a": the object has been modified; please'
                " apply your changes to the latest version and try again"
            ),
        ),
        (status.forbidden(PODS, "", "no"), 403, "Forbidden", "pods is forbidden: no"),
        (status.forbidden(PODS, "a", "no"), 403, "Forbidden", 'pods "a" is forbidden: no'),
        (status.unauthorized(), 401, "Unauthorized", "Unauthorized"),
        (
            status.method_not_allowed(PODS, "create"),
            405,
            "MethodNotAllowed",
            'create is not supported on resources of kind "pods"',
        ),
        (
            status.unsupported_method(),
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        ),
        (
            status.not_acceptable(("a", "b")),
            406,
            "NotAcceptable",
            "only the following media types are accepted: a, b",
        ),
        (
            status.unsupported_media_type(("a",)),
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: a",
        ),
        (status.too_old(3, 9), 410, "Expired", "too old resource version: 3 (9)"),
        (
            status.too_large(5),
            413,
            "RequestEntityTooLarge",
            "Request entity too large: limit is 5",
        ),
        (status.too_many_requests("x"), 429, "TooManyRequests", "x"),
        (status.internal_error("x"), 500, "InternalError", "Internal error occurred: x"),
        (status.service_unavailable("x"), 503, "ServiceUnavailable", "x"),
        (status.timeout("x"), 504, "Timeout", "Timeout: x"),
    ],
)
def test_refusals_say_what_kubernetes_says(
    error: status.StatusError, code: int, reason: str, message: str
) -> None:
    """Programs go by code and reason, people and tests by the text."""
    body = error.status

    assert (body["code"], body["reason"], body["message"]) == (code, reason, message)
    assert (body["kind"], body["status"], str(error)) == ("Status", "Failure", message)


def test_every_broken_rule_is_a_cause_and_is_told_once() -> None:
    """A list is told in brackets, a single rule without; the same text is not repeated."""
    one = field.required("a")
    kind = GroupKind("apps", "Deployment")

    single, several = (
        status.invalid(kind, "x", [one]),
        status.invalid(kind, "x", [one, one, field.required("b")]),
    )

    head = 'Deployment.apps "x" is invalid: '
    assert single.message == f"{head}a: Required value"
    assert several.message == f"{head}[a: Required value, b: Required value]"
    assert len(several.details["causes"]) == 3


def test_details_leave_out_what_is_empty() -> None:
    """Only refusals of addresses carry details without anything in them."""
    assert status.not_found(PODS, "a").status["details"] == {"name": "a", "kind": "pods"}
    assert status.no_such_path().status["details"] == {}
    assert "details" not in status.bad_request("x").status


def test_an_error_survives_a_pickle() -> None:
    """Copies are made of errors, and must say the same."""
    error = pickle.loads(pickle.dumps(status.too_many_requests("x")))

    assert error.status == status.too_many_requests("x").status
