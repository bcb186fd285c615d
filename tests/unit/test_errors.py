import copy
import pickle
import re
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from kubewright import errors
from kubewright.errors import (
    AlreadyExistsError,
    APIError,
    Attempt,
    BadRequestError,
    ConflictError,
    DecodeError,
    ForbiddenError,
    GoneError,
    InvalidError,
    KubewrightError,
    NoMatchError,
    NotFoundError,
    PatchError,
    PatchTestError,
    RetryAfter,
    ServerError,
    Status,
    StatusCause,
    StatusDetails,
    TooManyRequestsError,
    TransportError,
    TransportTimeoutError,
    UnauthorizedError,
    api_error,
)

CREATE = Attempt("create", "deployments", group="apps", namespace="shop")
EVERY = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)
]


def test_every_error_descends_from_one_root() -> None:
    """``except KubewrightError`` catches all of ours."""
    assert len(EVERY) > 20
    assert all(issubclass(kind, KubewrightError) for kind in EVERY)


def test_the_tree_in_the_docstring_names_every_error() -> None:
    """People read the tree to know what to catch; one that is missing is never caught."""
    drawn = set(re.findall(r"── (\w+)", errors.__doc__ or "")) | {"KubewrightError"}

    assert {kind.__name__ for kind in EVERY} == drawn
    assert {kind.__name__ for kind in EVERY} <= set(errors.__all__)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (DecodeError, ValueError),
        (NoMatchError, LookupError),
        (NotFoundError, LookupError),
        (PatchError, ValueError),
        (TransportTimeoutError, TimeoutError),
        (TransportTimeoutError, TransportError),
        (PatchTestError, PatchError),
    ],
)
def test_an_error_is_also_the_builtin_that_fits(
    kind: type[Exception], builtin: type[Exception]
) -> None:
    """Code that does not know us can still catch what it expects."""
    assert issubclass(kind, builtin)


def test_already_exists_is_no_conflict() -> None:
    """Both are 409, but only a conflict is worth another try."""
    assert not issubclass(AlreadyExistsError, ConflictError)


@pytest.mark.parametrize(
    ("reason", "code", "kind"),
    [
        ("AlreadyExists", 409, AlreadyExistsError),
        ("Conflict", 409, ConflictError),
        ("Expired", 410, GoneError),
        ("Gone", 410, GoneError),
        ("Timeout", 504, ServerError),
        ("NotFound", 404, NotFoundError),
        ("Invalid", 422, InvalidError),
        ("SomethingNew", 409, ConflictError),
        (None, 400, BadRequestError),
        (None, 401, UnauthorizedError),
        (None, 403, ForbiddenError),
        (None, 404, NotFoundError),
        (None, 410, GoneError),
        (None, 422, InvalidError),
        (None, 429, TooManyRequestsError),
        (None, 500, ServerError),
        (None, 599, ServerError),
        (None, 418, APIError),
        (None, None, APIError),
    ],
)
def test_the_error_follows_the_reason_then_the_code(
    reason: str | None, code: int | None, kind: type[APIError]
) -> None:
    """Proxies send codes without reasons, and newer servers reasons that we do not know."""
    assert type(api_error(CREATE, Status(reason=reason, code=code))) is kind


def test_a_forbidden_error_prints_the_rule_that_is_missing() -> None:
    """The first deploy of every operator meets a 403, so the message is the fix."""
    error = api_error(CREATE, Status(message="not allowed", code=403))

    assert str(error) == (
        "cannot create deployments.apps in namespace 'shop': not allowed\n"
        "Add this rule to the operator's Role:\n"
        '  - apiGroups: ["apps"]\n'
        '    resources: ["deployments"]\n'
        '    verbs: ["create"]'
    )


@pytest.mark.parametrize(
    ("message", "has_rule"),
    [
        ('secrets "a" is forbidden: exceeded quota: q, used: count/secrets=1', False),
        ('pods "a" is forbidden: violates PodSecurity "restricted:latest"', False),
        ('secrets "a" is forbidden: namespace b is being terminated', False),
        ('secrets "a" is forbidden: User "u" cannot get resource "secrets"', True),
        ('secrets is forbidden: User "u" cannot list resource "secrets"', True),
    ],
)
def test_no_rule_helps_against_a_quota(message: str, has_rule: bool) -> None:
    """People would widen the Role, and meet the same again."""
    error = api_error(CREATE, Status(message=message, code=403))

    assert isinstance(error, ForbiddenError)
    assert bool(error.rule) == ("Add this rule" in str(error)) == has_rule


def test_the_missing_rule_names_subresources_and_the_cluster() -> None:
    """``pods/status`` is another resource for RBAC than ``pods``."""
    error = api_error(Attempt("update", "nodes", subresource="status", name="n"), Status(code=403))

    assert "the operator's ClusterRole" in str(error)
    assert 'resources: ["nodes/status"]' in str(error)
    assert str(error).startswith("cannot update nodes/status 'n': HTTP 403")


def test_a_path_that_is_no_resource_has_a_rule_of_its_own() -> None:
    """``/metrics`` and the like are granted by URL."""
    error = api_error(Attempt("get", "/metrics"), Status(code=403))

    assert 'nonResourceURLs: ["/metrics"]' in str(error)
    assert "apiGroups" not in str(error)


def test_the_text_is_the_message_then_the_reason_then_the_code() -> None:
    """Whatever the server gave."""
    assert str(api_error(CREATE, Status(message="m", reason="R", code=400))).endswith(": m")
    assert str(api_error(CREATE, Status(reason="R", code=400))).endswith(": R")
    assert str(api_error(CREATE, Status(code=400))).endswith(": HTTP 400")


def test_an_unauthorized_error_says_where_to_look() -> None:
    """The server itself says only "Unauthorized"."""
    assert "kubectl config view" in str(api_error(CREATE, Status(code=401)))


def test_the_server_may_say_when_to_come_back() -> None:
    """In the header, which wins, or in the body."""
    status = Status(code=429, details=StatusDetails(retry_after_seconds=7))

    assert api_error(CREATE, status).retry_after == 7.0
    assert api_error(CREATE, status, 2.5).retry_after == 2.5
    assert api_error(CREATE, Status(code=429)).retry_after is None


def test_an_invalid_error_names_each_field() -> None:
    """One 422 may be about many fields."""
    cause = StatusCause(reason="FieldValueRequired", message="Required value", field="spec.size")
    error = api_error(CREATE, Status(code=422, details=StatusDetails(causes=[cause])))

    assert isinstance(error, InvalidError)
    assert error.causes == (cause,)
    assert InvalidError(CREATE, Status()).causes == ()
    assert InvalidError(CREATE, Status(details=StatusDetails())).causes == ()


@pytest.mark.parametrize(
    "error",
    [
        api_error(CREATE, Status(message="no", code=403), 1.5),
        PatchTestError(3, "/spec/size", "expected 1, found 2"),
        KubewrightError("text"),
        TransportError("connection reset", lost=True),
        RetryAfter(30, "no database"),
    ],
)
def test_errors_survive_copy_and_pickle(error: Exception) -> None:
    """Process pools and test runners send them around."""
    for twin in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


def test_a_status_is_read_from_the_answer_of_a_server() -> None:
    """The shape of metav1.Status, with more fields than we need."""
    raw = (
        b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone",'
        b'"reason":"Expired","details":{"name":"a","retryAfterSeconds":3,"causes":[{"field":"x"}]},'
        b'"code":410}'
    )

    status = msgspec.json.decode(raw, type=Status)

    assert status.code == 410
    assert status.details == StatusDetails(
        name="a", retry_after_seconds=3, causes=[StatusCause(field="x")]
    )


def test_a_403_names_the_verb_that_the_server_asked_for() -> None:
    """To apply what is not there is to create it; RBAC knows no apply."""
    said = 'User "robot" cannot create resource "configmaps" in API group ""'
    error = ForbiddenError(Attempt("patch", "configmaps"), Status(message=said, code=403))

    assert 'verbs: ["create", "patch"]' in str(error)


def test_a_403_of_an_apply_names_both_verbs_of_it() -> None:
    """Whoever adds the one that is missing now would be refused for the other one next."""
    attempt = Attempt("patch", "configmaps", action="apply")
    said = 'User "robot" cannot patch resource "configmaps" in API group ""'

    assert 'verbs: ["create", "patch"]' in str(
        ForbiddenError(attempt, Status(message=said, code=403))
    )


def test_a_403_of_nobody_speaks_of_credentials() -> None:
    """Rights for anonymous users are the last thing to advise."""
    said = 'User "system:anonymous" cannot list resource "pods"'
    error = ForbiddenError(Attempt("list", "pods"), Status(message=said, code=403))

    assert "carried no credentials" in str(error)
    assert "verbs" not in str(error)


def test_a_403_of_a_webhook_speaks_of_no_right() -> None:
    """No rule in a Role lets in what a validator has refused."""
    said = 'admission webhook "validate.shops.example.com" denied the request: the town is full'
    error = ForbiddenError(Attempt("create", "shops"), Status(message=said, code=403))

    assert str(error).endswith("the town is full")


@pytest.mark.parametrize("delay", [0, -1, float("inf"), float("nan"), timedelta(-1), "5", True])
def test_a_delay_that_cannot_pass_is_refused(delay: Any) -> None:
    """At once would be a loop that never rests, and a delay without end is a `TerminalError`."""
    with pytest.raises((TypeError, ValueError), match="delay"):
        RetryAfter(delay)
