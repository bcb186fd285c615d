"""Watch pods that belong to others: log what changes, and answer which pod has an address."""

import asyncio
import json
import os
from contextlib import closing, suppress
from http import HTTPStatus

import kubewright as kw
from kubewright import log
from kubewright.kinds.core.v1 import Pod

PORT = int(os.environ.get("PODWATCH_PORT", "8090"))
BY_IP = "ip"
PATIENCE = 10.0
"""Seconds that a client may take for its request."""

logger = log.get_logger("podwatch")
operator = kw.Operator("podwatch")
asked = kw.Channel("http")
"""Pods that outside requests want to be reconciled."""


def addresses(pod: Pod) -> list[str]:
    """Return the addresses of a pod: none before it has one."""
    return [pod.status.pod_ip] if pod.status.pod_ip else []


operator.index(Pod, BY_IP, addresses)


@kw.predicate
def address_changed(event: kw.Event[Pod]) -> bool:
    """Return whether the address has changed."""
    old, new = event.old, event.new
    return old is None or new is None or addresses(old.object) != addresses(new.object)


@operator.reconciler(
    kw.For(Pod, writes_status=False),  # the kubelet does
    sources=[asked],
    predicate=kw.labels_changed | address_changed,
)
async def reconcile(pod: Pod, ctx: kw.Context) -> None:
    """Log the pod; its namespace and name are in every line of its reconcile anyway."""
    ctx.log.info("pod seen", labels=pod.metadata.labels, ip=pod.status.pod_ip)


class Endpoint:
    """Answers over HTTP, from the cache: it never asks the API server.

    - ``GET /pods``: all pods; ``GET /pods/IP``: those that have the address.
    - ``POST /reconcile/NAMESPACE/NAME``: queue a reconcile.
    """

    def __init__(self, cluster: kw.Cluster) -> None:
        self.cache = cluster.cache

    async def run(self) -> None:
        """Listen until cancelled; the manager starts us once the cache is filled."""
        async with await asyncio.start_server(self.talk, "127.0.0.1", PORT) as server:
            host, port = server.sockets[0].getsockname()
            logger.info("endpoint listens", address=f"http://{host}:{port}")
            await server.serve_forever()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, and close; clients that do not speak HTTP get no answer."""
        with closing(writer), suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(PATIENCE):
                method, path, _ = (await reader.readline()).decode().split()
                while (await reader.readline()).strip():
                    pass  # skip the headers
                status, content = self.answer(method, path)
                body = json.dumps(content).encode() + b"\n"
                head = f"HTTP/1.1 {status} {status.phrase}\r\nConnection: close\r\n"
                head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + body)
                await writer.drain()

    def answer(self, method: str, path: str) -> tuple[HTTPStatus, object]:
        """Return the answer to a request."""
        match [method, *path.strip("/").split("/")]:
            case ["GET", "pods"]:
                return HTTPStatus.OK, [described(pod) for pod in self.cache.list(Pod)]
            case ["GET", "pods", ip]:
                found = self.cache.list(Pod, index=BY_IP, value=ip)
                return HTTPStatus.OK, [described(pod) for pod in found]
            case ["POST", "reconcile", namespace, name]:
                if self.cache.find(Pod, name, namespace=namespace) is None:
                    return HTTPStatus.NOT_FOUND, f"there is no pod {namespace}/{name}"
                if not asked.send_nowait(f"{namespace}/{name}"):
                    return HTTPStatus.SERVICE_UNAVAILABLE, "too many are waiting: try again later"
                return HTTPStatus.ACCEPTED, f"{namespace}/{name} is queued"
        return HTTPStatus.NOT_FOUND, "try GET /pods, GET /pods/IP, POST /reconcile/NAMESPACE/NAME"


def described(pod: Pod) -> dict[str, object]:
    """Return what the endpoint shows of a pod."""
    meta = pod.metadata
    named = {"namespace": meta.namespace, "name": meta.name}
    return {**named, "labels": meta.labels, "ip": pod.status.pod_ip}


operator.add(Endpoint)
