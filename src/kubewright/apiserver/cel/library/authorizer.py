"""Authorization checks: ``authorizer.group('').resource('pods').check('get').allowed()``.

The caller of an expression passes an `Authorizer` as the variable, made with a function that
decides.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import TYPES
from kubewright.apiserver.meta import naming

_PREFIX: Final = "kubernetes.authorization."
_AUTHORIZER: Final = f"{_PREFIX}Authorizer"
_PATH: Final = f"{_PREFIX}PathCheck"
_GROUP: Final = f"{_PREFIX}GroupCheck"
_RESOURCE: Final = f"{_PREFIX}ResourceCheck"
_DECISION: Final = f"{_PREFIX}Decision"


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a check."""

    allowed: bool
    reason: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A request for authorization of either a path or a resource."""

    service_account: tuple[str, str] | None = None
    """Namespace and name of a service account to check instead of the requesting user."""
    verb: str = ""
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""


@dataclass(frozen=True, slots=True)
class Authorizer:
    """The value of the variable ``authorizer``; *decide* answers a `Question`."""

    decide: Callable[[Question], Decision]
    question: Question = field(default_factory=Question)


class PathCheck(Authorizer):
    """A check of a path that still needs a verb."""

    __slots__ = ()


class GroupCheck(Authorizer):
    """A check of an API group that still needs a resource."""

    __slots__ = ()


class ResourceCheck(Authorizer):
    """A check of a resource that still needs a verb, such as ``authorizer.requestResource``."""

    __slots__ = ()


AUTHORIZER: Final = Type("object", _AUTHORIZER)
RESOURCE_CHECK: Final = Type("object", _RESOURCE)
TYPES.update(
    {
        Authorizer: AUTHORIZER,
        PathCheck: Type("object", _PATH),
        GroupCheck: Type("object", _GROUP),
        ResourceCheck: RESOURCE_CHECK,
        Decision: Type("object", _DECISION),
    }
)


def _path(asker: Authorizer, path: str) -> PathCheck:
    if not path.strip():
        raise EvaluationError("path must not be empty")
    return PathCheck(asker.decide, replace(asker.question, path=path))


def _group(asker: Authorizer, group: str) -> GroupCheck:
    return GroupCheck(asker.decide, replace(asker.question, group=group))


def _service_account(asker: Authorizer, namespace: str, name: str) -> Authorizer:
    if naming.dns_subdomain(name):
        raise EvaluationError("Invalid service account name")
    if naming.dns_label(namespace):
        raise EvaluationError("Invalid service account namespace")
    return Authorizer(asker.decide, replace(asker.question, service_account=(namespace, name)))


def _resource(check: GroupCheck, resource: str) -> ResourceCheck:
    if not resource.strip():
        raise EvaluationError("resource must not be empty")
    return ResourceCheck(check.decide, replace(check.question, resource=resource))


def _narrowed(part: str) -> Callable[[ResourceCheck, str], ResourceCheck]:
    def narrow(check: ResourceCheck, value: str) -> ResourceCheck:
        changed: dict[str, Any] = {part: value}
        return ResourceCheck(check.decide, replace(check.question, **changed))

    return narrow


def _check(check: Authorizer, verb: str) -> Decision:
    return check.decide(replace(check.question, verb=verb))


def _narrowing(function: str, overload: str, part: str) -> dict[str, list[Overload]]:
    signature = f"{_RESOURCE}.(string) -> {_RESOURCE}"
    return {function: [Overload(overload, signature, _narrowed(part))]}


declare(
    {
        "path": [Overload("authorizer_path", f"{_AUTHORIZER}.(string) -> {_PATH}", _path)],
        "group": [Overload("authorizer_group", f"{_AUTHORIZER}.(string) -> {_GROUP}", _group)],
        "serviceAccount": [
            Overload(
                "authorizer_serviceaccount",
                f"{_AUTHORIZER}.(string, string) -> {_AUTHORIZER}",
                _service_account,
            )
        ],
        "resource": [
            Overload("groupcheck_resource", f"{_GROUP}.(string) -> {_RESOURCE}", _resource)
        ],
        **_narrowing("subresource", "resourcecheck_subresource", "subresource"),
        **_narrowing("namespace", "resourcecheck_namespace", "namespace"),
        **_narrowing("name", "resourcecheck_name", "name"),
        **_narrowing("fieldSelector", "authorizer_fieldselector", "field_selector"),
        **_narrowing("labelSelector", "authorizer_labelselector", "label_selector"),
        "check": [
            Overload("pathcheck_check", f"{_PATH}.(string) -> {_DECISION}", _check),
            Overload("resourcecheck_check", f"{_RESOURCE}.(string) -> {_DECISION}", _check),
        ],
        "errored": [
            Overload("decision_errored", f"{_DECISION}.() -> bool", lambda d: bool(d.error))
        ],
        "error": [Overload("decision_error", f"{_DECISION}.() -> string", lambda d: d.error)],
        "allowed": [Overload("decision_allowed", f"{_DECISION}.() -> bool", lambda d: d.allowed)],
        "reason": [Overload("decision_reason", f"{_DECISION}.() -> string", lambda d: d.reason)],
    }
)
