"""`APIServer`: each request passes through it in the order of Kubernetes.

It authenticates, authorizes, finds the endpoint and calls it; the audit log records every request.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec
from msgspec.structs import replace

from kubewright._aio import Clock
from kubewright._pki.files import PathLike, check_writable, named_path
from kubewright.apiserver import bootstrap
from kubewright.apiserver.admission.chain import AdmissionChain
from kubewright.apiserver.admission.objects import RegisteredObjects
from kubewright.apiserver.admission.plugin import PluginContext
from kubewright.apiserver.aggregation import Aggregator
from kubewright.apiserver.audit import AuditEvent, AuditLog
from kubewright.apiserver.authentication.authenticator import Authenticator
from kubewright.apiserver.authentication.impersonation import impersonate
from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens
from kubewright.apiserver.authentication.signing import check_signing_key, prepare_signing_key
from kubewright.apiserver.authentication.user import NOBODY, UserInfo
from kubewright.apiserver.authorization.attributes import (
    AccessAttributes,
    AlwaysAllow,
    Authorizer,
    denied,
)
from kubewright.apiserver.authorization.escalation import Escalation
from kubewright.apiserver.authorization.rbac import RBAC
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers import Controllers
from kubewright.apiserver.controllers.definitions import DefinitionController
from kubewright.apiserver.controllers.roles import RoleAggregator
from kubewright.apiserver.dispatch import Dispatcher
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.metrics import Metrics
from kubewright.apiserver.network import SERVICE_CIDR, Network
from kubewright.apiserver.paths import Paths
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.selection import selected_name
from kubewright.apiserver.registry.strategy import Obj, Reader
from kubewright.apiserver.serving import InProcess, Serving
from kubewright.apiserver.storage import Store
from kubewright.apiserver.webhook.asking import settle
from kubewright.apiserver.webhook.reviewers import Reviewers
from kubewright.apiserver.wire import problem
from kubewright.apiserver.wire.request import JSON, Answer, Request, Response, Upgrade
from kubewright.apiserver.wire.route import Query, Route, is_true, parse_query, parse_route
from kubewright.errors import ConfigError, LifecycleError
from kubewright.log import Logger, get_logger
from kubewright.log.sparing import Sparing

if TYPE_CHECKING:
    from kubewright._serve.messages import Handler
    from kubewright.apiserver.admission.webhook_client import Resolver, WebhookClient
    from kubewright.apiserver.endpoints.subresources import Node
    from kubewright.apiserver.storage.sqlite import SQLiteJournal
    from kubewright.apiserver.webhook.options import AuthenticationWebhook, AuthorizationWebhook

log: Logger = get_logger(__name__)

ALWAYS_ALLOWED: frozenset[str] = frozenset({"/healthz", "/livez", "/readyz"})
COMMANDING: frozenset[str] = frozenset({"exec", "attach", "portforward"})
LONGEST_LOGGED: int = 256  # characters of a client's words in one line of the log
LONGEST_NOTE: int = 2048  # characters of an address or agent that the audit keeps
METHODS: frozenset[str] = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class APIServer:
    """A Kubernetes API server in this process.

    Args:
        data_dir: Where objects are kept across restarts; ``None`` keeps them in memory.
        rbac: Whether users need permissions. Without, whoever has credentials may do everything.
        controllers: Whether to collect garbage, to empty namespaces that are deleted and to let
            claims and volumes go, as kube-controller-manager does beside a real server.
        service_accounts: Whether pods run as a service account, which must exist, and get a volume
            with its token. Off by default: without nodes nobody uses it, and it makes manifests
            longer.
        service_cidr: Where the cluster addresses of services come from; the first is the server's.
        loopback_endpoints: Whether Endpoints and EndpointSlices may name loopback addresses, which
            Kubernetes refuses: for pods that are processes of this machine.
        audit_log: A file to which every call is appended.
        node: What answers for logs, exec and the like; ``None`` if nothing runs containers.
        resolver: Makes what finds the services of webhooks and aggregated servers in the objects
            of this server; without it, only external services are found.
        serving: What serves this server on a network, if anything does.
        authorization_webhook: A webhook that is asked about what RBAC does not allow, or just the
            path of its config file.
        authentication_webhook: A webhook that is asked whose token one is that nobody else knows,
            or just the path of its config file.
        clock: Where time comes from.

    Attributes:
        in_process_webhooks: Webhooks of this process, by the host and port of their URLs: they are
            called without a network.

    Raises:
        ConfigError: The folder, a file or the range of addresses cannot be used.

    Example:
        async with APIServer() as server:
            answer = await server.handle(Request("GET", "/api/v1/namespaces", trusted=True))
    """

    def __init__(  # noqa: PLR0913  # each is for a special need
        self,
        *,
        data_dir: PathLike | None = None,
        rbac: bool = True,
        controllers: bool = True,
        service_accounts: bool = False,
        service_cidr: str = SERVICE_CIDR,
        loopback_endpoints: bool = False,
        audit_log: PathLike | None = None,
        node: "Node | None" = None,
        resolver: "Callable[[Reader], Resolver] | None" = None,
        serving: Serving | None = None,
        authorization_webhook: "AuthorizationWebhook | PathLike | None" = None,
        authentication_webhook: "AuthenticationWebhook | PathLike | None" = None,
        clock: Clock | None = None,
    ) -> None:
        network = Network(service_cidr, loopback_endpoints)
        self.clock: Clock = clock or Clock()
        self._failures = Sparing(self.clock)
        self.data_dir: Path | None = named_path("data_dir", data_dir)
        log_file = named_path("audit_log", audit_log)
        self._serving = serving or InProcess()
        self._make_resolver = resolver
        # Before anything is opened, which nobody would close if a file is wrong.
        self._reviewers = Reviewers(
            self.clock, authorization_webhook, authentication_webhook, rbac=rbac
        )
        self.store: Store = Store(
            journal=_open_journal(self.data_dir) if self.data_dir else None, clock=self.clock
        )
        self.audit: AuditLog = _open_audit_log(log_file, self.store)
        self.registry: Registry = Registry()
        self.accounts: ServiceAccountTokens = ServiceAccountTokens(
            lambda: prepare_signing_key(self.data_dir), self.store, clock=self.clock
        )
        self.users: Authenticator = Authenticator(self.accounts, self._reviewers.tokens)
        roles = RBAC(self.store)
        self.authorizer: Authorizer = self._reviewers.after(roles) if rbac else AlwaysAllow()
        self.metrics: Metrics = Metrics()
        self._webhooks: WebhookClient | None = None
        self.in_process_webhooks: dict[str, Handler] = {}
        objects = RegisteredObjects(self.registry)
        admission = AdmissionChain(
            PluginContext(
                self.store,
                objects,
                self._webhook_client,
                authorizer=self.authorizer,
                find_kind=objects.find_kind,
                clock=self.clock,
            ),
            disabled=frozenset() if service_accounts else frozenset({"ServiceAccount"}),
        )
        escalation = Escalation(roles, self.authorizer) if rbac else None
        self.backend: Backend = Backend(
            self.store,
            self.registry,
            self.clock,
            admission,
            escalation,
            self.authorizer if rbac else None,
            network,
        )
        self.aggregation: Aggregator = Aggregator(
            self.backend, self.handle, resolver=lambda: self._resolver, serving=self._serving
        )
        self._dispatcher = Dispatcher(
            self.backend, self.users, self.authorizer, accounts=self.accounts, node=node
        )
        self._paths = Paths(
            self.backend,
            self.aggregation.remotes,
            accounts=self.accounts,
            metrics=self.metrics,
            serving=self._serving,
        )
        self._definitions = DefinitionController(self.backend, self.handle, self._webhook_client)
        self._controllers = (
            Controllers(self.backend, self.handle, self.accounts) if controllers else None
        )
        self._started = False

    # Life.

    async def start(self) -> None:
        """Store the objects that every cluster has, and start the controllers."""
        if self._started:
            raise LifecycleError("this API server was started before; make another one")
        self._started = True
        bootstrap.fill(
            self.store,
            self.backend.now(),
            network=self.backend.network,
            authorities=self._serving.find_authorities(),
        )
        RoleAggregator(self.store).start()
        self._definitions.begin()
        self.aggregation.begin()
        if self._controllers:
            await self._controllers.start()

    async def stop(self) -> None:
        """End all watches and close the files."""
        if self._controllers:
            await self._controllers.stop()
        await self._definitions.stop()
        await self.aggregation.stop()
        if self._webhooks:
            await self._webhooks.close()
        await self._reviewers.close()
        self.store.close()
        self.audit.close()

    def _webhook_client(self) -> "WebhookClient":
        if self._webhooks is None:
            from kubewright.apiserver.admission.webhook_client import WebhookClient

            self._webhooks = WebhookClient(
                self._resolver, clock=self.clock, in_process=self.in_process_webhooks
            )
        return self._webhooks

    @cached_property
    def _resolver(self) -> "Resolver":
        if self._make_resolver is not None:
            return self._make_resolver(self.store)
        from kubewright.apiserver.admission.webhook_client import NoClusterResolver

        return NoClusterResolver(self.store)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    # Requests.

    async def handle(self, request: Request) -> Answer:
        """Answer *request*, whatever it is."""
        received = self.clock.now()
        query = parse_query(request.query)
        route = parse_route(request.method, request.path, query)
        visit = _Visit(request, route, received)
        try:
            answer = await self._answer(visit, query)
        except StatusError as error:
            visit.refusal = error
            answer = problem.response(error)
        except RecursionError:  # nested too deeply for us
            answer = problem.response(status.bad_request("exceeded max depth"))
        except Exception as error:  # a client must not bring the server down
            if (dropped := self._failures.admit()) is not None:
                path, why = request.path[:LONGEST_LOGGED], repr(error)[:LONGEST_LOGGED]
                log.exception("request failed", path=path, error=why, **dropped)
            answer = problem.response(status.internal_error(f"{type(error).__name__}: {error}"))
        if (
            isinstance(answer, Response)
            and answer.content_type == JSON
            and answer.body
            and _is_pretty(request, query)
        ):
            answer.body = msgspec.json.format(answer.body, indent=2)
        self._note(visit, answer)
        return answer

    async def _answer(self, visit: "_Visit", query: Query) -> Answer:
        request, route = visit.request, visit.route
        visit.user = user = await settle(partial(self.users.authenticate, request))
        selected = selected_name(route, query)
        asked = _attributes(user, route, selected)
        acting = await settle(partial(impersonate, request.headers, asked, self.authorizer))
        if acting is not None:
            visit.impersonated = user = acting.user
            asked = _attributes(user, route, selected)
        if (failure := await self._authorize(asked)) is not None:
            return problem.failure(request, failure)
        if (remote := self.aggregation.find(route)) is not None:
            return await self.aggregation.answer(remote, request, user)
        if not route.is_resource:
            return await self._paths.answer(request, route, user)
        return await self._dispatcher.answer(request, route, query, user=user)

    async def _authorize(self, asked: AccessAttributes) -> str | None:
        """Refuse what is not allowed; return what went wrong if that could not be found out."""
        if asked.path in ALWAYS_ALLOWED:
            return None
        decision = await settle(partial(self.authorizer.authorize, asked))
        if not decision.allowed:
            if decision.error:
                return decision.error
            raise denied(asked, decision.reason)
        if (
            asked.verb == "get"
            and asked.subresource in COMMANDING
            and asked.group == ""
            and asked.resource == "pods"
        ):
            # A websocket begins with GET, but to run commands takes more than the right to read.
            return await self._authorize(replace(asked, verb="create"))
        return None

    def _note(self, visit: "_Visit", answer: Answer) -> None:
        code = 101 if isinstance(answer, Upgrade) else answer.status
        request, route, finished = visit.request, visit.route, self.clock.now()
        counted = self._counted(route, request.method)
        self.metrics.count(counted, code, (finished - visit.received).total_seconds())
        if len(request.path) > LONGEST_NOTE:  # its parts are too long as well
            route = Route(route.verb, "")
        self.audit.record(
            AuditEvent(
                route.verb,
                visit.user or NOBODY,
                _brief(f"{request.path}?{request.query}" if request.query else request.path),
                code,
                visit.received,
                finished,
                GroupResource(route.group, route.resource) if route.resource else None,
                route.version,
                route.subresource,
                route.namespace,
                route.name,
                request.peer,
                _brief(request.headers.get("user-agent", "")),
                visit.impersonated,
                _noted(visit.refusal) if visit.refusal else None,
                request_object=_tree(request.body) if self.audit.wants_request else None,
                response_object=_tree(answer) if self.audit.wants_response else None,
            )
        )

    def _counted(self, route: Route, method: str) -> Route:
        """Return *route*, or one for all that is not served: random paths must not fill memory."""
        known = self.registry.find(route.group, route.version, route.resource)
        if known and (not route.subresource or route.subresource in known.subresources):
            return route
        return Route(method.lower() if method in METHODS else "other", "")


def _open_journal(folder: Path) -> "SQLiteJournal":
    from kubewright.apiserver.storage.sqlite import SQLiteJournal

    check_signing_key(folder)
    return SQLiteJournal(folder)


def _open_audit_log(path: Path | None, store: Store) -> AuditLog:
    try:
        if path is not None:
            check_writable(path)
        return AuditLog(file=path)
    except BaseException as error:
        store.close()  # nobody else can close it any more, and it holds a lock
        if isinstance(error, OSError):
            raise ConfigError(f"cannot write {path}: {error.strerror or error}.") from error
        raise


class _Visit:
    """One request, and what the audit log needs to know about it."""

    __slots__ = ("impersonated", "received", "refusal", "request", "route", "user")

    def __init__(self, request: Request, route: Route, received: datetime) -> None:
        self.received = received
        self.request = request
        self.route = route
        self.user: UserInfo | None = None
        self.impersonated: UserInfo | None = None
        self.refusal: StatusError | None = None


def _brief(text: str) -> str:
    """Return *text* in a length that can be kept for thousands of calls."""
    return text if len(text) <= LONGEST_NOTE else f"{text[:LONGEST_NOTE]}...TRUNCATED"


def _noted(refusal: StatusError) -> Obj:
    """Return a refusal as the audit keeps it; its text may repeat all that a client sent."""
    if len(refusal.message) <= LONGEST_NOTE:
        return refusal.status
    brief = {"message": _brief(refusal.message), "reason": refusal.reason, "code": refusal.code}
    return {"status": "Failure", **brief}


def _tree(content: bytes | Answer) -> Any:
    """Return what was sent or answered as the audit keeps it; nothing if it is not JSON."""
    data = content.body if isinstance(content, Response) else content
    try:
        return msgspec.json.decode(data) if isinstance(data, bytes) else None
    except msgspec.DecodeError:
        return None


def _is_pretty(request: Request, query: Query) -> bool:
    """Whether to indent the answer: the client asks for it, or is a program for people."""
    wanted = query.get("pretty")
    if wanted is not None:
        return is_true(wanted)
    return request.headers.get("user-agent", "").startswith(("curl", "Wget", "Mozilla/5.0"))


def _attributes(user: UserInfo, route: Route, selected: str) -> AccessAttributes:
    if not route.is_resource:
        return AccessAttributes(user, route.verb, path=route.path, is_resource=False)
    return AccessAttributes(
        user,
        route.verb,
        group=route.group,
        version=route.version,
        resource=route.resource,
        subresource=route.subresource,
        name=route.name or selected,
        namespace=route.namespace,
    )
