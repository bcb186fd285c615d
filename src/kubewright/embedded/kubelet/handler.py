"""What a kubelet answers over HTTP: to a kube-apiserver, and to ``nodes/proxy``."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from kubewright import _json
from kubewright._aio import Clock
from kubewright._serve.messages import Answer, Headers, Request, Response
from kubewright.apiserver.meta.status import StatusError
from kubewright.embedded.kubelet import logs, port_forward, remote_command
from kubewright.embedded.kubelet.options import RemoteOptions, log_options, ports, remote_options
from kubewright.embedded.node.access import (
    AccessError,
    Command,
    ContainerAccess,
    LogOptions,
    PodConnection,
)

Obj = dict[str, Any]

ContainerKey = tuple[str, str, str]
"""A namespace, a pod and a container."""

_TEXT = "text/plain; charset=utf-8"
_KEY = 3  # a namespace, a pod and a container


class KubeletHandler:
    """Answers HTTP requests as a kubelet does.

    Args:
        access: The containers of the node.
        clock: Where time-outs come from.

    Attributes:
        access: The containers of the node.
    """

    def __init__(self, access: ContainerAccess, *, clock: Clock) -> None:
        self.access: ContainerAccess = access
        self._clock = clock

    async def handle(self, request: Request, pods: Iterable[Obj] = ()) -> Answer:
        """Answer *request*; errors are plain texts, as a kubelet's are.

        Args:
            request: The request.
            pods: The pods of the node, as trees.
        """
        first, *rest = [unquote(part) for part in request.path.split("/") if part] or [""]
        try:
            if first == "pods" and not rest:
                return _listed(pods)
            return await self._answer(request, first, rest)
        except AccessError as error:
            return _text(error.code, error.message)
        except StatusError as error:
            return _text(error.code, error.message)

    async def logs(self, key: ContainerKey, options: LogOptions) -> Answer:
        """Answer with the log of a container.

        Raises:
            AccessError: There is none.
        """
        return await logs.answer(self.access, key, options, clock=self._clock)

    def command(
        self, headers: Headers, key: ContainerKey, options: RemoteOptions, *, runs: bool
    ) -> Answer:
        """Answer a request to run a command in a container, or to attach to it.

        Raises:
            AccessError: The request is invalid.
        """
        namespace, pod, container = key
        access, stdin, words = self.access, options.stdin, options.command
        if runs and not words:
            raise AccessError(400, "you must specify at least one command for the container")

        async def start() -> Command:
            if not runs:
                return await access.attach(namespace, pod, container, stdin=stdin)
            tty = options.tty
            return await access.execute(namespace, pod, container, words, stdin=stdin, tty=tty)

        return remote_command.answer(headers, options, start, clock=self._clock)

    def forward(self, headers: Headers, namespace: str, pod: str, *, query: str) -> Answer:
        """Answer a request to forward ports of a pod.

        Raises:
            AccessError: The request is invalid.
        """

        async def connect(port: int) -> PodConnection:
            return await self.access.connect(namespace, pod, port)

        return port_forward.answer(headers, ports(query), connect, clock=self._clock)

    async def _answer(self, request: Request, first: str, rest: list[str]) -> Answer:
        count, headers, query = len(rest), request.headers, request.query
        if first == "healthz":
            return _text(200, "ok")
        if first == "containerLogs" and count == _KEY:
            options = log_options(query, pod=rest[1], clock=self._clock)
            return await self.logs((rest[0], rest[1], rest[2]), options)
        # A uid may follow the name of a pod.
        if first in {"exec", "attach"} and count in {_KEY, _KEY + 1}:
            wanted = remote_options(query, kubelet=True)
            return self.command(headers, (rest[0], rest[1], rest[-1]), wanted, runs=first == "exec")
        if first == "portForward" and count in {_KEY - 1, _KEY}:
            return self.forward(headers, rest[0], rest[1], query=query)
        return _text(404, "404 page not found\n")


def _listed(pods: Iterable[Obj]) -> Response:
    head = {"kind": "PodList", "apiVersion": "v1", "metadata": {}}
    return Response(200, _json.encode({**head, "items": list(pods)}))


def _text(code: int, text: str) -> Response:
    return Response(code, text.encode(), _TEXT)
