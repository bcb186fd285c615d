"""What probes and hooks do in a container: run a command, ask by HTTP, connect, or wait."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from kubewright._aio import Clock
from kubewright.api.intorstring import IntOrString
from kubewright.embedded.node.access import Connection
from kubewright.embedded.node.runtime import ContainerError, RunningContainer, Sandbox
from kubewright.kinds.core.v1 import (
    Container,
    HTTPGetAction,
    LifecycleHandler,
    Probe,
    TCPSocketAction,
)

__all__ = ["Outcome", "Target", "perform"]

MOST_OUTPUT: int = 10 * 1024
HEAD_END: bytes = b"\r\n\r\n"


class Outcome(NamedTuple):
    """How it went, and why if badly."""

    ok: bool
    message: str = ""


class Target(NamedTuple):
    """The container that something is done in.

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


async def perform(action: Probe | LifecycleHandler, target: Target, *, clock: Clock) -> Outcome:
    """Do what *action* says, once; it takes as long as it takes."""
    try:
        if action.exec is not None:
            return await _execute(action.exec.command, target)
        if action.http_get is not None:
            return await _http_get(action.http_get, target)
        if action.tcp_socket is not None:
            return await _connect(action.tcp_socket, target)
    except (OSError, ContainerError, ValueError) as error:
        return Outcome(False, str(error))
    if isinstance(action, LifecycleHandler) and action.sleep is not None:
        await clock.sleep(action.sleep.seconds)
        return Outcome(True)
    return Outcome(False, "only exec, httpGet, tcpSocket and sleep are supported; grpc is not")


async def _execute(command: Sequence[str], target: Target) -> Outcome:
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


async def _connect(action: TCPSocketAction, target: Target) -> Outcome:
    port, host = port_number(action.port, target.container), action.host or ""
    try:
        connection = await target.sandbox.connect(port, host=host)
    except OSError as error:
        return Outcome(False, f"dial tcp {host or target.address}:{port}: {_why(error)}")
    await connection.close()
    return Outcome(True)


async def _http_get(action: HTTPGetAction, target: Target) -> Outcome:
    port, host = port_number(action.port, target.container), action.host or ""
    scheme = (action.scheme or "HTTP").lower()
    authority = f"{host or target.address}:{port}"
    path = action.path or "/"
    url = f"{scheme}://{authority}{path}"
    headers = {"Host": authority, "User-Agent": "kube-probe/1.37", "Accept": "*/*"}
    headers |= {header.name: header.value for header in action.http_headers}
    try:
        connection = await target.sandbox.connect(port, host=host, tls=scheme == "https")
    except OSError as error:
        return Outcome(False, f'Get "{url}": dial tcp {authority}: {_why(error)}')
    try:
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
        await connection.write("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        status = _status(await _head(connection))
    except (OSError, ValueError) as error:
        return Outcome(False, f'Get "{url}": {error}')
    finally:
        with suppress(OSError):
            await connection.close()
    ok = 200 <= status < 400  # noqa: PLR2004  # what counts as an answer
    return Outcome(ok, "" if ok else f"HTTP probe failed with statuscode: {status}")


async def _head(connection: Connection) -> bytes:
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
        raise ValueError("EOF" if not head else "malformed HTTP response")
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
