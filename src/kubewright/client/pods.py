"""What only pods can do: be evicted, show their logs, run a command, forward a port."""

from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from kubewright import _json
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.requests import Place, Request
from kubewright.api.times import format_time
from kubewright.client.rest import RESTClient
from kubewright.client.target import key_of
from kubewright.client.verbs import Defaults
from kubewright.client.watcher.lines import Lines
from kubewright.errors import APIError, BadRequestError, NotFoundError

if TYPE_CHECKING:
    from kubewright.client.port_forward import PortForward
    from kubewright.client.remote_command import ExecResult, RemoteProcess, Stdin
    from kubewright.kinds.core.v1 import Pod

PODS = RESTMapping("", "v1", "Pod", "pods")


class Logs:
    """The logs of a container: ``await`` them as one text, or ``async for`` line by line."""

    def __init__(self, rest: RESTClient, request: Request) -> None:
        self._rest = rest
        self._request = request

    def __await__(self) -> Generator[Any, None, str]:
        return self._text().__await__()

    async def __aiter__(self) -> AsyncIterator[str]:
        lines = Lines()
        async with self._rest.stream(self._request) as stream:
            async for chunk in stream:
                for line in lines.feed((chunk,)):
                    yield _text(line[:-1])
        if last := lines.rest():
            yield _text(last)

    async def _text(self) -> str:
        response = await self._rest.send(self._request)
        return _text(response.body)


def _text(data: bytes) -> str:
    # Programs may write any bytes; an invalid one must not hide the rest of the log.
    return data.decode("utf-8", "replace")


class PodVerbs:
    """The verbs that a client has for pods."""

    _rest: RESTClient
    _defaults: Defaults

    async def evict(
        self,
        pod: "str | ObjectKey | Pod",
        *,
        namespace: str | None = None,
        grace_period: int | None = None,
        dry_run: bool | None = None,
    ) -> None:
        """Evict a pod, unless a PodDisruptionBudget forbids it.

        Args:
            pod: The pod, its name or its key.
            namespace: Its namespace; the client's own by default.
            grace_period: Seconds to shut down; the pod's own by default.
            dry_run: Check and answer, but evict nothing.

        Raises:
            TooManyRequestsError: The budget forbids it now; try again later.
            NotFoundError: There is no such pod.
        """
        try:
            await self._evict("policy/v1", pod, namespace, grace_period, dry_run)
        except (BadRequestError, NotFoundError) as error:
            if not _is_unknown_version(error):
                raise
            # Servers before 1.22 know evictions only in the version that is gone today.
            await self._evict("policy/v1beta1", pod, namespace, grace_period, dry_run)

    async def _evict(
        self,
        api_version: str,
        pod: "str | ObjectKey | Pod",
        namespace: str | None,
        grace_period: int | None,
        dry_run: bool | None,
    ) -> None:
        place = self._pod(pod, namespace, "eviction")
        options: dict[str, Any] = {}
        if grace_period is not None:
            options["gracePeriodSeconds"] = grace_period
        if self._defaults.dry_run if dry_run is None else dry_run:
            options["dryRun"] = ["All"]
        body = {
            "apiVersion": api_version,
            "kind": "Eviction",
            "metadata": {"name": place.name, "namespace": place.namespace},
            "deleteOptions": options,
        }
        await self._rest.send(
            place.request(
                "POST", "create", body=_json.encode(body), content_type="application/json"
            )
        )

    def logs(  # noqa: PLR0913  # PodLogOptions has that many
        self,
        pod: "str | ObjectKey | Pod",
        *,
        namespace: str | None = None,
        container: str = "",
        follow: bool = False,
        previous: bool = False,
        timestamps: bool = False,
        tail: int | None = None,
        since: datetime | float | None = None,
        limit_bytes: int | None = None,
    ) -> Logs:
        """Return the log of a container: ``await`` it for a text, ``async for`` it for lines.

        Args:
            pod: The pod, its name or its key.
            namespace: Its namespace; the client's own by default.
            container: Which container; needed if there are several.
            follow: Wait for new lines; use it with ``async for``.
            previous: Show the instance before the last restart.
            timestamps: Begin each line with its time.
            tail: Only that many lines from the end.
            since: Only lines after a time, or from the last seconds.
            limit_bytes: Show no more than this.
        """
        query = [
            ("container", container),
            ("follow", "true" if follow else ""),
            ("previous", "true" if previous else ""),
            ("timestamps", "true" if timestamps else ""),
            ("tailLines", "" if tail is None else str(tail)),
            ("limitBytes", "" if limit_bytes is None else str(limit_bytes)),
            _since(since),
        ]
        place = self._pod(pod, namespace, "log")
        said = [(name, value) for name, value in query if value]
        return Logs(self._rest, place.request("GET", "get", said, accept="*/*"))

    async def exec(  # noqa: PLR0913  # PodExecOptions has that many
        self,
        pod: "str | ObjectKey | Pod",
        command: Sequence[str],
        *,
        namespace: str | None = None,
        container: str = "",
        stdin: "Stdin | None" = None,
        tty: bool = False,
        check: bool = False,
        timeout: float | None = None,  # as in subprocess.run
        limit_bytes: int | None = 64 * 1024 * 1024,
    ) -> "ExecResult":
        """Run a command in a container and return its output and exit code.

        It needs the extra ``kubewright[exec]``. Use `exec_stream` for output as it arrives.

        Args:
            pod: The pod, its name or its key.
            command: The words of the command; for a shell's work, ``["sh", "-c", "..."]``.
            namespace: Its namespace; the client's own by default.
            container: The container; the pod's default one if empty.
            stdin: What the command reads. Servers before Kubernetes 1.30 cannot tell it that this
                is the end, so a command such as ``cat`` never ends there.
            tty: Give it a terminal, which has one output for both.
            check: Raise if the exit code is not 0.
            timeout: Seconds within which it must end. After that it is abandoned, not stopped:
                Kubernetes has no way to stop it.
            limit_bytes: More output than this is refused; ``None`` for no limit.

        Raises:
            CommandError: The exit code is not 0, and *check* is set.
            APIError: The server refused, or the command could not be run.
            TransportTimeoutError: It did not end in time.
            TransportError: The connection broke; the command may still be running.
        """
        from kubewright.client import remote_command

        request = remote_command.exec_request(
            self._pod(pod, namespace, "exec"), command,
            container=container, stdin=stdin is not None, tty=tty,
        )  # fmt: skip
        result = await remote_command.run_command(
            self._rest, request, stdin=stdin, tty=tty, seconds=timeout, limit_bytes=limit_bytes
        )
        if check and result.exit_code:
            where = f"pod {request.attempt.name!r} of namespace {request.attempt.namespace!r}"
            raise remote_command.CommandError(f"{list(command)} in {where}", result)
        return result

    def exec_stream(
        self,
        pod: "str | ObjectKey | Pod",
        command: Sequence[str],
        *,
        namespace: str | None = None,
        container: str = "",
        stdin: bool = False,
        tty: bool = False,
    ) -> "AbstractAsyncContextManager[RemoteProcess]":
        """Run a command in a container and talk to it while it runs.

        Use it as ``async with client.exec_stream("web", ["sh"], stdin=True) as process:``. The
        arguments are those of `exec`, except that *stdin* says whether to open it.
        """
        from kubewright.client import remote_command

        request = remote_command.exec_request(
            self._pod(pod, namespace, "exec"), command, container=container, stdin=stdin, tty=tty
        )
        return remote_command.open_process(self._rest, request, stdin=stdin, tty=tty)

    def attach(
        self,
        pod: "str | ObjectKey | Pod",
        *,
        namespace: str | None = None,
        container: str = "",
        stdin: bool = False,
        tty: bool = False,
    ) -> "AbstractAsyncContextManager[RemoteProcess]":
        """Talk to the main process of a container.

        Use it as `exec_stream`. *stdin* and *tty* must match the container's settings.
        """
        from kubewright.client import remote_command

        request = remote_command.exec_request(
            self._pod(pod, namespace, "attach"), None, container=container, stdin=stdin, tty=tty
        )
        return remote_command.open_process(self._rest, request, stdin=stdin, tty=tty)

    def port_forward(
        self, pod: "str | ObjectKey | Pod", port: int, *, namespace: str | None = None
    ) -> "PortForward":
        """Reach a port of a pod through the API server.

        Use it as ``async with client.port_forward("web", 8080) as forward:``, and then
        ``await forward.connect()`` for a connection, or ``await forward.listen()`` for a port on
        this machine. It needs the extra ``kubewright[exec]``.
        """
        from kubewright.client import port_forward

        request = port_forward.port_forward_request(self._pod(pod, namespace, "portforward"), port)
        return port_forward.PortForward(self._rest, request, port=port)

    def _pod(self, pod: "str | ObjectKey | Pod", namespace: str | None, subresource: str) -> Place:
        key = key_of(pod, namespace)
        if not key.name:
            raise ValueError("which of the pods? The name is empty")
        return Place(PODS, key.namespace or self._defaults.namespace, key.name, subresource)


def _since(since: datetime | float | None) -> tuple[str, str]:
    if isinstance(since, datetime):
        return "sinceTime", format_time(since)
    return "sinceSeconds", "" if since is None else str(max(1, round(since)))


def _is_unknown_version(error: APIError) -> bool:
    said = error.status.message or ""
    return "policy/v1" in said or "no kind" in said or "could not find the requested" in said
