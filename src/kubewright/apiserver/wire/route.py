"""`Route`: what a URL asks for, as Kubernetes reads it."""

from typing import Literal
from urllib.parse import parse_qsl, unquote

from msgspec import Struct

Query = dict[str, str]
"""The first value of each parameter; Kubernetes ignores the others."""

_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch"}
_NAMESPACE_PARTS = frozenset({"status", "finalize"})


class Route(Struct):
    """A request to a resource, or to another path.

    Attributes:
        verb: As RBAC names it; the HTTP method in lower case for other paths.
        group: Empty for the core group; meaningless without a resource.
        resource: The plural name; empty if the path is not a resource.
        name: Empty for a collection.
        rest: What follows the subresource, for ``proxy``.
    """

    verb: str
    path: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    prefix: Literal["api", "apis", ""] = ""

    @property
    def is_resource(self) -> bool:
        """Whether the path names a resource."""
        return bool(self.resource)


def parse_query(text: str) -> Query:
    """Return the parameters of a URL; the first one counts."""
    if not text:
        return {}
    found: Query = {}
    for key, value in parse_qsl(text, keep_blank_values=True):
        found.setdefault(key, value)
    return found


def parse_route(method: str, path: str, query: Query) -> Route:
    """Read what *path* asks for."""
    plain = unquote(path) if "%" in path else path
    parts = [part for part in path.split("/") if part]
    if "%" in path:
        parts = [unquote(part) for part in parts]
    if len(parts) > 2 and parts[0] == "api":  # noqa: PLR2004  # /api/v1/…
        route = Route("", plain, "", parts[1], prefix="api")
        rest = parts[2:]
    elif len(parts) > 3 and parts[0] == "apis":  # noqa: PLR2004  # /apis/group/version/…
        route = Route("", plain, parts[1], parts[2], prefix="apis")
        rest = parts[3:]
    else:
        return Route(method.lower(), plain)
    return _resource_route(route, method, rest, query)


def _resource_route(route: Route, method: str, rest: list[str], query: Query) -> Route:
    watched = rest[0] == "watch" and len(rest) > 1
    if watched:
        rest = rest[1:]
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in _NAMESPACE_PARTS:  # noqa: PLR2004
        route.namespace = rest[1]
        rest = rest[2:]
    route.resource = rest[0]
    route.name = rest[1] if len(rest) > 1 else ""
    route.subresource = rest[2] if len(rest) > 2 else ""  # noqa: PLR2004
    route.rest = "/".join(rest[3:])
    if route.resource == "namespaces" and route.group == "" and not route.namespace:
        route.namespace = route.name  # a namespace is inside itself, for access rules
    route.verb = _verb(route, method, query, watched=watched)
    return route


def _verb(route: Route, method: str, query: Query, *, watched: bool) -> str:
    if watched and method not in ("GET", "HEAD"):
        return ""  # such a path can only be watched
    if method == "DELETE":
        return "delete" if route.name else "deletecollection"
    verb = _VERBS.get(method, "")
    if verb != "get":
        return verb
    if watched:
        return "watch"
    if route.name:
        return "get"
    return "watch" if is_true(query.get("watch", "0") or "1") else "list"


def is_true(text: str) -> bool:
    """Read a boolean parameter as Kubernetes does: anything but false and 0 is true."""
    return text.lower() not in ("", "false", "0")
