"""What probes and hooks do in a container: run a command, ask by HTTP, connect, or wait."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

from kubewright._aio import Clock
from kubewright.api.intorstring import IntOrString
from kubewright.embedded.node.access import PodConnection
from kubewright.embedded.node.runtime import (
    ContainerError,
    RunningContainer,
    Sandbox,
    SimulatedError,
)
from kubewright.kinds.core.v1 import (
    Container,
    HTTPGetAction,
    LifecycleHandler,
    Probe,
    TCPSocketAction,
)

__all__ = ["ActionTarget", "Outcome", "perform", "timeout_message"]

MOST_OUTPUT: int = 10 * 1024
MOST_REQUESTS: int = 10
REDIRECTS: frozenset[int] = frozenset({301, 302, 303, 307, 308})
HEAD_END: bytes = b"\r\n\r\n"


class Outcome(NamedTuple):
    """The result of a probe or a hook.

    Attributes:
        ok: Whether it succeeded.
        message: Its output, or why it failed.
        errored: Whether it could not even be tried, which says nothing about the container.
    """

    ok: bool
    message: str = ""
    errored: bool = False


_WELL = Outcome(True)


class ActionTarget(NamedTuple):
    """The container that a probe or hook runs in.

    Attributes:
        container: What its author wrote; names of ports are looked up there.
        handle: The container as it runs.
        sandbox: Where it runs.
        address: The address of the pod.
    """

    container: Container
    handle: RunningContainer
    sandbox: Sandbox
    address: str


async def perform(
    action: Probe | LifecycleHandler, target: ActionTarget, *, clock: Clock
) -> Outcome:
    """Perform *action* once, without a time-out.

    In a simulated container it succeeds, unless we know how the command would end.
    """
    try:
        return await _do(action, target, clock)
    except SimulatedError:
        return _WELL
    except (OSError, ContainerError, ValueError) as error:
        return Outcome(False, str(error), errored=True)


async def _do(action: Probe | LifecycleHandler, target: ActionTarget, clock: Clock) -> Outcome:
    simulated = target.handle.is_simulated
    if action.exec is not None:
        return await _execute(action.exec.command, target)
    if action.http_get is not None:
        purpose = "probe" if isinstance(action, Probe) else "lifecycle"
        _url(action.http_get, target)  # an unknown port is an error even if simulated
        return _WELL if simulated else await _http_get(action.http_get, target, purpose)
    if action.tcp_socket is not None:
        return await _connect(action.tcp_socket, target)
    if isinstance(action, LifecycleHandler) and action.sleep is not None:
        await clock.sleep(action.sleep.seconds)
        return _WELL
    if simulated:
        return _WELL
    return Outcome(False, "only exec, httpGet, tcpSocket and sleep are supported; grpc is not")


async def _execute(command: Sequence[str], target: ActionTarget) -> Outcome:
    process = await target.handle.execute(command)
    try:
        output = b""
        async for _, data in process.output():
            output = (output + data)[:MOST_OUTPUT]
        code = await process.wait()
    finally:
        await process.close()
    text = output.decode("utf-8", "replace")
    return Outcome(code == 0, text)


async def _connect(action: TCPSocketAction, target: ActionTarget) -> Outcome:
    port, host = port_number(action.port, target.container), action.host or ""
    try:
        connection = await target.sandbox.connect(port, host=host)
    except OSError as error:
        return Outcome(False, f"dial tcp {host or target.address}:{port}: {_why(error)}")
    await connection.close()
    return Outcome(True)


def timeout_message(action: Probe, target: ActionTarget, seconds: int) -> str:
    """Return the message for a probe that timed out after *seconds*."""
    if action.http_get is not None:
        why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        return f'Get "{_url(action.http_get, target)}": {why}'
    if action.tcp_socket is not None:
        port = port_number(action.tcp_socket.port, target.container)
        return f"dial tcp {action.tcp_socket.host or target.address}:{port}: i/o timeout"
    command = " ".join(action.exec.command) if action.exec is not None else ""
    return f'command timed out: "{command}" timed out after {seconds}s'


def _url(action: HTTPGetAction, target: ActionTarget) -> str:
    host = action.host or target.address
    host = f"[{host}]" if ":" in host else host
    port = port_number(action.port, target.container)
    path = (action.path or "").removeprefix("/")
    return f"{(action.scheme or 'HTTP').lower()}://{host}:{port}/{path}"


def _request(action: HTTPGetAction, url: SplitResult, purpose: str) -> bytes:
    given = {header.name.lower() for header in action.http_headers}
    headers = [("Host", url.netloc), ("User-Agent", f"kube-{purpose}/1.37"), ("Accept", "*/*")]
    headers = [(name, text) for name, text in headers if name.lower() not in given]
    headers += [(header.name, header.value) for header in action.http_headers]
    query = f"?{url.query}" if url.query else ""
    lines = [f"GET {url.path or '/'}{query} HTTP/1.1"]
    # With an empty Accept, the author asks for no such header.
    lines += [f"{name}: {text}" for name, text in headers if text or name.lower() != "accept"]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode()


async def _http_get(action: HTTPGetAction, target: ActionTarget, purpose: str) -> Outcome:
    url = first = last = _url(action, target)
    if purpose == "lifecycle":
        # For a hook, any answer is a success.
        answer = await _ask(action, target, url, purpose)
        return answer if isinstance(answer, Outcome) else Outcome(True)
    for _ in range(MOST_REQUESTS):
        answer = await _ask(action, target, url, purpose)
        if isinstance(answer, Outcome):
            return answer
        onward = urljoin(url, answer.location) if answer.location else ""
        # Redirects to another host are not followed: its answer is not about this container.
        if not onward or urlsplit(onward).hostname != urlsplit(first).hostname:
            ok = 200 <= answer.status < 400  # noqa: PLR2004  # what counts as success
            return Outcome(ok, "" if ok else f"HTTP probe failed with statuscode: {answer.status}")
        last, url = answer.location, onward
    return Outcome(False, f'Get "{last}": stopped after {MOST_REQUESTS} redirects')


class _Answer(NamedTuple):
    status: int
    location: str


async def _ask(
    action: HTTPGetAction, target: ActionTarget, url: str, purpose: str
) -> _Answer | Outcome:
    """Send one request; return the answer, or how it failed."""
    parts = urlsplit(url)
    tls = parts.scheme == "https"
    port = parts.port or (443 if tls else 80)
    try:
        connection = await target.sandbox.connect(port, host=action.host or "", tls=tls)
    except OSError as error:
        address = f"{action.host or target.address}:{port}"
        return Outcome(False, f'Get "{url}": dial tcp {address}: {_why(error)}')
    try:
        await connection.write(_request(action, parts, purpose))
        head = await _read_head(connection)
        return _Answer(_status(head), _location(head))
    except (OSError, ValueError) as error:
        return Outcome(False, f'Get "{url}": {error}')
    finally:
        with suppress(OSError):
            await connection.close()


def _location(head: bytes) -> str:
    """Return the target of a redirect; empty if the answer is not one."""
    if _status(head) not in REDIRECTS:
        return ""
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"location":
            return value.strip().decode("utf-8", "replace")
    return ""


async def _read_head(connection: PodConnection) -> bytes:
    head = b""
    while HEAD_END not in head and len(head) < MOST_OUTPUT:
        data = await connection.read()
        if not data:
            break
        head += data
    return head


def _status(head: bytes) -> int:
    words = head.split(b"\r\n", 1)[0].split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/"):  # noqa: PLR2004  # version and status
        line = head.split(b"\r\n", 1)[0].decode("utf-8", "replace")
        broken = f'net/http: HTTP/1.x transport connection broken: malformed HTTP response "{line}"'
        raise ValueError(broken if head else "EOF")
    return int(words[1])


def port_number(port: IntOrString, container: Container) -> int:
    """Return the number of a port that may be given by its name.

    Raises:
        ValueError: The container has no port of that name.
    """
    if isinstance(port, int):
        return port
    if port.isdecimal():
        return int(port)
    for one in container.ports:
        if one.name == port:
            return one.container_port
    raise ValueError(f"couldn't find port: {port} in container {container.name}")


def _why(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "connect: connection refused"
    return error.strerror or str(error)
