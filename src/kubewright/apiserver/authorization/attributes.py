"""Requests as authorization sees them, and its decisions."""

from typing import NamedTuple, Protocol

from msgspec import Struct

from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj

Rule = Obj
"""A PolicyRule as JSON."""


class AccessAttributes(Struct):
    """A request as RBAC sees it.

    Attributes:
        name: Empty for a collection, and for create.
        namespace: Empty for the whole cluster; a namespace counts as being inside itself.
        path: The path of a request that is not about a resource.
        is_resource: Whether the request is about a resource, not about a path.
    """

    user: UserInfo
    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    namespace: str = ""
    path: str = ""
    is_resource: bool = True


class Decision(NamedTuple):
    """Whether a request is allowed; the reason says why, or what was wrong with the rules.

    Attributes:
        error: Why nobody could be asked; empty if all could.
        denied: Whether somebody said no, and not only that they have no opinion.
    """

    allowed: bool
    reason: str = ""
    error: str = ""
    denied: bool = False


class Authorizer(Protocol):
    """Decides what users may do.

    Attributes:
        knows_all_rules: Whether `rules_for` returns all that is ever allowed.
    """

    knows_all_rules: bool

    def authorize(self, attributes: AccessAttributes) -> Decision:
        """Decide about one request.

        Raises:
            UnansweredError: A webhook must be asked first, so call this by `settle`.
        """
        ...

    def rules_for(self, user: UserInfo, namespace: str) -> tuple[list[Rule], list[str]]:
        """Return all rules for *user* in *namespace*, and what could not be resolved."""
        ...


class AlwaysAllow:
    """Lets every user do everything."""

    knows_all_rules: bool = True

    def authorize(self, attributes: AccessAttributes) -> Decision:
        """Say yes."""
        return _YES

    def rules_for(self, user: UserInfo, namespace: str) -> tuple[list[Rule], list[str]]:
        """Return the rules that allow everything."""
        everything = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
        return [everything, {"verbs": ["*"], "nonResourceURLs": ["*"]}], []


_YES = Decision(allowed=True)
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def denied(attributes: AccessAttributes, reason: str = "") -> StatusError:
    """Return the refusal of a request, as the server words it."""
    why = _explained(attributes).translate(_HTML)
    if reason:
        why = f"{why}: {reason}"
    resource = GroupResource(attributes.group, attributes.resource)
    details = {
        key: value
        for key, value in (
            ("name", attributes.name),
            ("group", attributes.group),
            ("kind", attributes.resource),
        )
        if value
    }
    if not attributes.resource:
        subject = "forbidden"
    elif attributes.name:
        subject = f'{resource} "{attributes.name}" is forbidden'
    else:
        subject = f"{resource} is forbidden"
    return StatusError(403, "Forbidden", f"{subject}: {why}", details)


def _explained(attributes: AccessAttributes) -> str:
    who = f"User {quoted(attributes.user.name)} cannot {attributes.verb}"
    if not attributes.is_resource:
        return f"{who} path {quoted(attributes.path)}"
    resource = attributes.resource
    if attributes.subresource:
        resource += f"/{attributes.subresource}"
    what = f"{who} resource {quoted(resource)} in API group {quoted(attributes.group)}"
    if attributes.namespace:
        return f"{what} in the namespace {quoted(attributes.namespace)}"
    return f"{what} at the cluster scope"
