"""Subresources: scale, bindings, evictions, tokens, logs."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from msgspec import structs

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.authentication.reviews import TokenRequests, default_request
from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens
from kubewright.apiserver.authorization.labels import label_selector
from kubewright.apiserver.backend import Backend, Call
from kubewright.apiserver.endpoints import commit, connect, delete, scale
from kubewright.apiserver.endpoints.parts import PARTS
from kubewright.apiserver.endpoints.read import find, get
from kubewright.apiserver.endpoints.update import UpdateMode, replace, update
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource, api_version
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.conform import conform
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.wire import bodies, output
from kubewright.apiserver.wire.options import (
    DeleteOptions,
    WriteOptions,
    delete_options,
    write_options,
)
from kubewright.apiserver.wire.request import Answer, Response

Endpoint = Callable[[Call], Awaitable[Answer]]

PODS = GroupResource("", "pods")
BUDGETS = GroupResource("policy", "poddisruptionbudgets")
DISRUPTED: str = "DisruptionTarget"


class Node(Protocol):
    """Whatever runs the containers: it answers for logs, exec, attach, port-forward and proxy."""

    async def answer(self, call: Call, pod: Obj) -> Answer:
        """Answer a request to one of these subresources of *pod*."""
        ...


class Subresources:
    """Finds what answers for a subresource.

    Args:
        backend: The state behind the endpoints.
        accounts: Makes tokens of service accounts.
        node: What runs the containers; ``None`` if nothing does.
    """

    def __init__(self, backend: Backend, accounts: ServiceAccountTokens, node: Node | None) -> None:
        self._node = node
        self._tokens = TokenRequests(accounts, backend.store, clock=backend.clock)

    def find(self, call: Call) -> Endpoint:
        """Return the endpoint.

        Raises:
            StatusError: There is none.
        """
        name, verb = call.subresource, call.route.verb
        if name == "scale":
            return scale.ENDPOINTS[verb]
        if name in PARTS:
            if verb == "patch":
                from kubewright.apiserver.endpoints.patch import patch

                return patch
            return get if verb == "get" else update
        found: Endpoint | None = {
            "binding": bind,
            "eviction": evict,
            "token": self._token,
        }.get(name)
        return found or self._connect

    async def _token(self, call: Call) -> Response:
        """Make a token for a service account."""
        options = write_options(call.query, "CreateOptions")
        request = _document(call, "TokenRequest", "authentication.k8s.io")
        asked = await _admit(call, default_request(request), options)

        async def validate(completed: Obj) -> None:
            asked.object = completed
            await call.backend.admission.validate(asked)

        assert asked.object is not None
        made = await self._tokens.create(
            asked.object, namespace=call.namespace, name=call.name, validate=validate
        )
        return output.body(made, code=201)

    async def _connect(self, call: Call) -> Answer:
        """Hand over to the node of a pod."""
        if call.subresource in connect.CONNECTS:
            call = await connect.admit(call)
        pod = find(_without_port(call)).decode()
        node = self._node
        if call.group_resource == PODS and not pod.get("spec", {}).get("nodeName"):
            raise status.bad_request(f"pod {call.name} does not have a host assigned")
        if node is None:
            raise status.service_unavailable(
                f"cannot reach the {call.subresource} of {call.name}: no node is attached to this"
                " server, so nothing runs"
            )
        return await node.answer(call, pod)


def _without_port(call: Call) -> Call:
    """Return the call as one about the object itself: the name may contain a port for the proxy.

    Such a name is ``web:8080``, or ``http:web:8080``.
    """
    if call.subresource != "proxy" or ":" not in call.name:
        return call
    parts = call.name.split(":")
    name = parts[1] if len(parts) > 2 else parts[0]  # noqa: PLR2004  # with the scheme
    return structs.replace(call, route=structs.replace(call.route, name=name))


async def bind(call: Call) -> Response:
    """Assign a pod to a node."""
    from kubewright.apiserver.builtin.core.pod import subresources as pod_subresources

    options = write_options(call.query, "CreateOptions")
    asked = await _admit(call, _document(call, "Binding"), options)
    binding = asked.object or {}
    pod_subresources.check_binding(binding)
    await call.backend.admission.validate(asked)
    call.route.name = call.name or binding["metadata"].get("name", "")
    call = _pods(call)

    async def make(stored: Stored) -> Obj:
        pod = await view.load(call.work, stored)
        pod_subresources.bind(pod, binding, now=call.backend.now())
        return pod

    await replace(call, make, options, UpdateMode(admitted=True))
    return _created()


def _pods(call: Call) -> Call:
    """Return the call as one about the pod itself."""
    pods = call.backend.registry.find_hub(PODS)
    assert pods is not None
    call.route.subresource = "binding"
    return Call(
        call.backend, call.request, call.route, call.query, call.user, pods, pods, call.warnings
    )


def _document(call: Call, kind: str, group: str = "") -> Obj:
    document = bodies.read_document(call.request)
    if not isinstance(document, dict) or document.get("kind", kind) != kind:
        raise status.bad_request(f"the body must be of kind {kind}")
    schema = definitions.find(group, "v1", kind)
    assert schema is not None
    document["kind"], document["apiVersion"] = kind, api_version(group, "v1")
    conform(document, schema)
    document["metadata"] = {"namespace": call.namespace, **(document.get("metadata") or {})}
    return document


async def _admit(call: Call, document: Obj, options: WriteOptions) -> Attributes:
    """Let admission change the document of a subresource; return the write that it saw."""
    created = options.json("CreateOptions")
    dry_run = options.dry_run
    asked = commit.attributes(call, "CREATE", document, None, dry_run=dry_run, options=created)
    await call.backend.admission.admit(asked)
    return asked


def _created() -> Response:
    content = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return output.body({**content, "code": 201}, code=201)


async def evict(call: Call) -> Response:
    """Delete a pod, if its disruption budget allows."""
    options = write_options(call.query, "CreateOptions")
    asked = await _admit(call, _document(call, "Eviction", "policy"), options)
    eviction = asked.object or {}
    named = eviction["metadata"].get("name")
    if named and named != call.name:
        raise status.bad_request("name in URL does not match name in Eviction object")
    await call.backend.admission.validate(asked)
    pod = find(call).decode()
    source = dict(eviction.get("deleteOptions") or {})
    if options.dry_run:
        source["dryRun"] = ["All"]
    deletion = delete_options({}, source)
    budget = None if _needs_no_budget(pod) else _budget(call, pod)
    if budget is not None and not _spares(budget, pod):
        await _spend(call, budget, options, pod=call.name)
    if not deletion.dry_run:
        deletion = _mark(call, deletion)
    await delete.delete_with(call, deletion, admitted=True)
    return _created()


def _mark(call: Call, deletion: DeleteOptions) -> DeleteOptions:
    """Set the condition of an eviction in the pod; the failure policy of a Job reads it.

    Return the options to delete it with; a version in them becomes the new one.
    """
    pod = find(call).decode()
    delete.check_preconditions(call, pod, deletion)
    state = pod.setdefault("status", {})
    conditions = state.setdefault("conditions", [])
    found = next((one for one in conditions if one["type"] == DISRUPTED), None)
    if found is None:
        found = {"type": DISRUPTED}
        conditions.append(found)
    if found.get("status") != "True":
        found |= {"status": "True", "lastTransitionTime": call.backend.now()}
    found |= {"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}
    stored = call.backend.store.put(PODS, pod)
    if deletion.resource_version is None:
        return deletion
    return structs.replace(deletion, resource_version=str(stored.revision))


def _spares(budget: Obj, pod: Obj) -> bool:
    """Whether the pod is not ready, so that its eviction costs the budget nothing."""
    conditions = pod.get("status", {}).get("conditions") or ()
    if any(one["type"] == "Ready" and one["status"] == "True" for one in conditions):
        return False
    if budget.get("spec", {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    state = budget.get("status", {})
    wanted, healthy = state.get("desiredHealthy", 0), state.get("currentHealthy", 0)
    return bool(0 < wanted <= healthy)


def _needs_no_budget(pod: Obj) -> bool:
    phase = pod.get("status", {}).get("phase", "")
    return phase in ("Succeeded", "Failed", "Pending") or bool(
        pod["metadata"].get("deletionTimestamp")
    )


def _budget(call: Call, pod: Obj) -> Obj | None:
    labels = pod["metadata"].get("labels", {})
    found = [
        budget
        for budget in call.backend.store.list(BUDGETS, call.namespace)
        if label_selector(budget.get("spec", {}).get("selector")).matches(labels)
    ]
    if len(found) > 1:
        raise status.StatusError(
            500,
            "InternalError",
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does"
            " not support.",
        )
    return found[0] if found else None


async def _spend(call: Call, budget: Obj, options: WriteOptions, *, pod: str) -> None:
    """Take one disruption from the budget, or refuse."""
    name = budget["metadata"]["name"]
    state: dict[str, Any] = budget.get("status", {})
    behind = (budget["metadata"].get("generation") or 0) > state.get("observedGeneration", 0)
    if behind:
        message = "Cannot evict pod as it would violate the pod's disruption budget."
        error = status.too_many_requests(message, retry_after=10)
        text = f"The disruption budget {name} is still being processed by the server."
        error.details["causes"] = [{"reason": "DisruptionBudget", "message": text}]
        raise error
    if state.get("disruptionsAllowed", 0) <= 0:
        error = status.too_many_requests(
            "Cannot evict pod as it would violate the pod's disruption budget.", retry_after=0
        )
        healthy, wanted = state.get("currentHealthy", 0), state.get("desiredHealthy", 0)
        text = (
            f"The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
        )
        error.details = {"causes": [{"reason": "DisruptionBudget", "message": text}]}
        raise error
    if options.dry_run:
        return
    state = {**state, "disruptionsAllowed": state["disruptionsAllowed"] - 1}
    disrupted = {**state.get("disruptedPods", {}), pod: call.backend.now()}
    budget["status"] = {**state, "disruptedPods": disrupted}
    call.backend.store.put(BUDGETS, budget)
