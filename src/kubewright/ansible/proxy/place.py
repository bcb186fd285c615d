"""`Place`: what a request of a run is about, as its path says."""

from urllib.parse import parse_qs, unquote

import msgspec

from kubewright._serve.messages import Request
from kubewright.errors import Attempt

__all__ = ["Place", "attempt_for", "is_true", "place_of"]

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "GET": "get"}
_UNSTORED = frozenset({"authentication.k8s.io", "authorization.k8s.io"})
_CORE_PARTS, _GROUP_PARTS = 2, 3
_NAMESPACE_SUBRESOURCES = frozenset({"status", "finalize"})


class Place(msgspec.Struct, frozen=True):
    """An object, a collection or a subresource.

    Attributes:
        group: The API group.
        version: Its version.
        resource: The plural.
        namespace: The namespace; empty for objects without one.
        name: The name; empty for a collection.
        subresource: The subresource, if it is one.
    """

    group: str
    version: str
    resource: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def is_child(self) -> bool:
        """Whether it is, or may become, something that belongs to an object.

        Events, reviews and subresources are not.
        """
        is_event = self.resource == "events" and self.group in {"", "events.k8s.io"}
        return not (self.subresource or is_event or self.group in _UNSTORED)


def place_of(path: str) -> Place | None:
    """Return what *path*, as on the wire, is about; ``None`` if it is not about objects."""
    parts = [unquote(one) for one in path.strip("/").split("/")]
    if parts[0] == "api" and len(parts) > _CORE_PARTS:
        group, version, rest = "", parts[1], parts[_CORE_PARTS:]
    elif parts[0] == "apis" and len(parts) > _GROUP_PARTS:
        group, version, rest = parts[1], parts[2], parts[_GROUP_PARTS:]
    else:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > _CORE_PARTS:
        is_own = rest[2] in _NAMESPACE_SUBRESOURCES and len(rest) == _GROUP_PARTS
        if not is_own:
            namespace, rest = rest[1], rest[2:]
    resource, name, *below = [*rest, ""]
    return Place(group, version, resource, namespace, name, "/".join(below).rstrip("/"))


def is_true(request: Request, *names: str) -> bool:
    """Say whether one of the parameters *names* of the query of *request* is on."""
    query = parse_qs(request.query, keep_blank_values=True)
    return any(query.get(name, ["false"])[0] not in {"false", "0"} for name in names)


def attempt_for(request: Request, place: Place | None) -> Attempt:
    """Return what *request* tries to do, in the words of RBAC."""
    verb = _VERBS.get(request.method, request.method.lower())
    if place is None:
        return Attempt(verb, request.path)
    if verb == "get" and not place.name:
        verb = "watch" if is_true(request, "watch") else "list"
    if verb == "delete" and not place.name:
        verb = "deletecollection"
    return Attempt(
        verb, place.resource, place.group, place.subresource, place.namespace, place.name
    )
