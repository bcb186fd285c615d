"""Finds the endpoint for a request to a resource."""

from collections.abc import Awaitable, Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from kubewright.apiserver.authentication.authenticator import Authenticator
from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authorization.attributes import Authorizer
from kubewright.apiserver.backend import Backend, Call
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.wire import problem
from kubewright.apiserver.wire.negotiation import accepted
from kubewright.apiserver.wire.request import Answer, Request, Response, Stream
from kubewright.apiserver.wire.route import Query, Route

if TYPE_CHECKING:
    from kubewright.apiserver.endpoints.reviews import Reviews
    from kubewright.apiserver.endpoints.subresources import Node, Subresources

Endpoint = Callable[[Call], Awaitable[Answer]]

# Module and function: loaded with the first request, to keep the start short.
VERBS: dict[str, tuple[str, str]] = {
    "get": ("read", "get"),
    "list": ("read", "list_objects"),
    "watch": ("watch", "watch"),
    "create": ("create", "create"),
    "update": ("update", "update"),
    "patch": ("patch", "patch"),
    "delete": ("delete", "delete"),
    "deletecollection": ("delete", "delete_collection"),
}
# Verbs that a URL with a name has; the others belong to the collection.
NAMED: frozenset[str] = frozenset({"get", "update", "patch", "delete"})
WARNINGS_LIMIT: int = 4096  # characters of all warnings of an answer
WARNING_LIMIT: int = 256  # and of each of them, if all are more than that
WRITES: frozenset[str] = frozenset({"create", "update", "patch", "delete", "deletecollection"})


@cache
def endpoint_for(verb: str) -> Endpoint:
    """Return the endpoint for *verb*, one of `VERBS`."""
    module, function = VERBS[verb]
    found: Endpoint = getattr(import_module(f"kubewright.apiserver.endpoints.{module}"), function)
    return found


class Dispatcher:
    """Finds the endpoint for a request and calls it."""

    def __init__(
        self,
        backend: Backend,
        users: Authenticator,
        authorizer: Authorizer,
        *,
        accounts: ServiceAccountTokens,
        node: "Node | None" = None,
    ) -> None:
        self._backend = backend
        self._users = users
        self._authorizer = authorizer
        self._accounts = accounts
        self._node = node

    @cached_property
    def _reviews(self) -> "Reviews":
        from kubewright.apiserver.endpoints.reviews import Reviews

        return Reviews(self._users, self._authorizer, clock=self._backend.clock)

    @cached_property
    def _subresources(self) -> "Subresources":
        from kubewright.apiserver.endpoints.subresources import Subresources

        return Subresources(self._backend, self._accounts, self._node)

    async def answer(
        self, request: Request, route: Route, query: Query, *, user: UserInfo
    ) -> Answer:
        """Answer a request to a resource.

        Raises:
            StatusError: There is no such resource or verb, or the endpoint refuses.
        """
        registry = self._backend.registry
        resource = registry.find(route.group, route.version, route.resource)
        if resource is None:
            if route.group in registry.groups and not _only_custom(self._backend, route.group):
                raise status.no_such_path()
            return problem.NOT_FOUND
        _check_scope(resource, route)
        work = resource
        if not resource.custom:
            work = registry.find_hub(resource.storage) or resource
        call = Call(self._backend, request, route, query, user, resource, work)
        endpoint = self._endpoint(call)
        if route.verb in WRITES:
            # Before anything is stored: a refusal must not be half a success.
            accepted(request.headers.get("accept", ""), "table", "partial", "partial-list")
        answer = await endpoint(call)
        return _add_warnings(call, answer)

    def _endpoint(self, call: Call) -> Endpoint:
        resource, verb, sub = call.resource, call.route.verb, call.subresource
        if sub:
            entry = resource.subresources.get(sub)
            if entry is None:
                raise status.no_such_path()
            if verb == "watch":
                raise status.no_such_path()
            if verb not in entry.get("verbs", ()) and not _connects(sub, verb):
                raise status.unsupported_method()
            if sub == "status":
                return endpoint_for(verb)
            return self._subresources.find(call)
        if "delete" not in resource.verbs and (  # such as a review, which is not stored
            special := self._reviews.find(resource.group_resource)
        ):
            if verb not in resource.verbs:
                raise status.unsupported_method()
            return special
        if verb not in resource.verbs or (verb in NAMED) != bool(call.name):
            return self._exceptional_endpoint(call)
        return endpoint_for(verb)

    def _exceptional_endpoint(self, call: Call) -> Endpoint:
        """Return the endpoint for a verb that does not fit its URL, in the cases that allow it."""
        verb, resource = call.route.verb, call.resource
        if verb == "watch" and "watch" in resource.verbs:
            return endpoint_for("watch")
        if resource.custom and "create" not in resource.verbs and verb in VERBS:
            # Its definition is being deleted: its objects can still be deleted.
            if verb != "create":
                return endpoint_for(verb)
            error = status.method_not_allowed(resource.group_resource, verb)
            error.message = "create not allowed while custom resource definition is terminating"
            raise error
        raise status.unsupported_method()


def _connects(sub: str, verb: str) -> bool:
    """Whether *verb* connects to the subresource; RBAC tells these verbs apart."""
    if sub == "proxy":
        return bool(verb)
    return sub in {"exec", "attach", "portforward"} and verb in {"get", "create"}


def _only_custom(backend: Backend, group: str) -> bool:
    versions = backend.registry.groups[group].values()
    return all(resource.custom for version in versions for resource in version.values())


def _check_scope(resource: Resource, route: Route) -> None:
    """Refuse URLs that do not exist: a node in a namespace, a pod outside of one."""
    if not resource.namespaced:
        # A namespace is inside itself only: rights in another namespace do not extend to it.
        itself = resource.plural == "namespaces" and route.namespace == route.name
        if route.namespace and not itself:
            raise status.no_such_path()
    elif not route.namespace:
        if route.name:
            raise status.no_such_path()
        if route.verb in ("create", "deletecollection"):
            raise status.unsupported_method()


def _add_warnings(call: Call, answer: Answer) -> Answer:
    if call.resource.warning:
        call.warn(call.resource.warning)
    if call.warnings and isinstance(answer, (Response, Stream)):
        headers = tuple(("Warning", f"299 - {_quoted(text)}") for text in _fitting(call.warnings))
        answer.headers = (*answer.headers, *headers)
    return answer


def _fitting(warnings: list[str]) -> Iterator[str]:
    """Yield the warnings, or the beginnings of the first ones if all are too long."""
    if sum(map(len, warnings)) <= WARNINGS_LIMIT:
        yield from warnings
        return
    room = WARNINGS_LIMIT
    for text in warnings:
        brief = text[:WARNING_LIMIT]
        room -= len(brief)
        if room < 0:
            return
        yield brief


def _quoted(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in text)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
