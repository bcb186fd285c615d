"""`Kubelets`: the nodes of an API server, as it asks them for logs, commands and connections."""

from collections.abc import Iterator
from typing import Any

from kubewright._aio import Clock
from kubewright._serve.messages import Answer, Request
from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints.subresources import PODS
from kubewright.apiserver.meta import status
from kubewright.embedded.kubelet import http_proxy
from kubewright.embedded.kubelet.handler import KubeletHandler
from kubewright.embedded.kubelet.location import Location, located, pod_port, service_port
from kubewright.embedded.kubelet.options import log_options, remote_options
from kubewright.embedded.node.access import AccessError, ContainerAccess
from kubewright.embedded.proxy.resolver import find_endpoints

Obj = dict[str, Any]

_REASONS = {400: "BadRequest", 404: "NotFound", 503: "ServiceUnavailable"}


class Kubelets:
    """Answers for the pods of several nodes; the `Node` of an `APIServer`.

    Args:
        clock: Where time-outs come from.

    Example:
        kubelets = Kubelets()
        api = APIServer(node=kubelets)
        kubelets.add("node-1", node)
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        self._turn = 0
        self._nodes: dict[str, KubeletHandler] = {}

    def add(self, name: str, access: ContainerAccess) -> None:
        """Answer for the pods of the node called *name*."""
        self._nodes[name] = KubeletHandler(access, clock=self._clock)

    def remove(self, name: str) -> None:
        """Stop answering for a node; requests under way go on."""
        self._nodes.pop(name, None)

    async def answer(self, call: Call, pod: Obj) -> Answer:
        """Answer a request to a subresource of *pod*, or to ``proxy`` of a service or a node.

        Raises:
            StatusError: It cannot be answered.
        """
        try:
            if call.subresource == "proxy":
                return await self._proxy(call, pod)
            return await self._container(call, pod)
        except AccessError as error:
            raise _refused(error) from error

    # --- Logs, commands, ports ---

    async def _container(self, call: Call, pod: Obj) -> Answer:
        request, namespace, name = call.request, call.namespace, call.name
        node = self._node_of(pod)
        if call.subresource == "portforward":
            return node.forward(request.headers, namespace, name, query=request.query)
        key = (namespace, name, chosen_container(pod, call.query.get("container", "")))
        if call.subresource == "log":
            options = log_options(request.query, pod=name, clock=self._clock)
            return await node.logs(key, options)
        wanted = remote_options(request.query)
        return node.command(request.headers, key, wanted, runs=call.subresource == "exec")

    def _node_of(self, pod: Obj) -> KubeletHandler:
        return self._node(pod.get("spec", {}).get("nodeName", ""))

    def _node(self, name: str) -> KubeletHandler:
        found = self._nodes.get(name)
        if found is None:
            raise status.service_unavailable(
                f'cannot reach node "{name}": it is not one of those that this server runs'
            )
        return found

    # --- HTTP ---

    async def _proxy(self, call: Call, target: Obj) -> Answer:
        kind = call.group_resource.resource
        location = located(call.name, call.request, kind)
        if kind == "nodes":
            pods = _pods_of(call, location.name)
            return await self._node(location.name).handle(_moved(call.request, location), pods)
        if location.scheme == "https":
            raise status.bad_request("this server does not proxy to https; use http")
        if kind == "pods":
            return await self._pass_on(call, location, target, pod_port(target, location))
        pod, port = self._backend_of(call, location, service_port(target, location))
        return await self._pass_on(call, location, pod, port)

    async def _pass_on(self, call: Call, location: Location, pod: Obj, port: int) -> Answer:
        access, meta = self._node_of(pod).access, pod["metadata"]
        return await http_proxy.answer(
            call.request,
            location.target,
            lambda: access.connect(meta["namespace"], meta["name"], port),
            host=f"{location.name}:{port}",
        )

    def _backend_of(self, call: Call, location: Location, port: str) -> tuple[Obj, int]:
        """Return a pod of a service, and its port; another one each time."""
        store = call.backend.store
        found = [
            (pod, endpoint.port)
            for endpoint in find_endpoints(store, call.namespace, location.name, port)
            if (pod := store.find_object(PODS, endpoint.namespace, endpoint.pod)) is not None
        ]
        if not found:
            text = f'no endpoints available for service "{location.full}"'
            raise status.service_unavailable(text)
        self._turn += 1
        return found[self._turn % len(found)]


def _pods_of(call: Call, node: str) -> Iterator[Obj]:
    """Yield the pods of a node."""
    for pod in call.backend.store.list(PODS):
        if pod.get("spec", {}).get("nodeName") == node:
            yield pod


def _moved(request: Request, location: Location) -> Request:
    """Return *request* as the node reads it: with the path after ``proxy``."""
    path, _, query = location.target.partition("?")
    return Request(request.method, path, query, request.headers, request.body, trusted=True)


def _refused(error: AccessError) -> status.StatusError:
    if error.code not in _REASONS:
        return status.internal_error(error.message)
    return status.StatusError(error.code, _REASONS[error.code], error.message)


def chosen_container(pod: Obj, wanted: str) -> str:
    """Return the container that a request to *pod* is about.

    Raises:
        StatusError: It has no such container, or it has several and none was named.
    """
    name, spec = pod["metadata"]["name"], pod.get("spec", {})
    containers = _container_names(spec, "containers")
    inits = _container_names(spec, "initContainers")
    ephemeral = _container_names(spec, "ephemeralContainers")
    if wanted:
        if wanted not in (*containers, *inits, *ephemeral):
            raise status.bad_request(f"container {wanted} is not valid for pod {name}")
        return wanted
    if len(containers) == 1:
        return containers[0]
    text = f"a container name must be specified for pod {name}"
    if containers:
        text += f", choose one of: [{' '.join(containers)}]"
    if inits:
        text += f" or one of the init containers: [{' '.join(inits)}]"
    raise status.bad_request(text)


def _container_names(spec: Obj, key: str) -> list[str]:
    return [one["name"] for one in spec.get(key) or ()]
