"""What clients may ask of the containers of a node: logs, commands, connections.

The node implements `ContainerAccess`; what serves ``kubectl logs``, ``exec``, ``attach`` and
``port-forward`` knows nothing else of it.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from kubewright.errors import TransportError

OutputStream = Literal["stdout", "stderr"]


class LogOptions(Struct, frozen=True):
    """Which part of a log is wanted; the words are those of ``kubectl logs``."""

    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    tail_lines: int | None = None
    since: datetime | None = None
    limit_bytes: int | None = None


class Output(NamedTuple):
    """A piece of what a command wrote."""

    stream: OutputStream
    data: bytes


class Command(Protocol):
    """A command that runs in a container, or the container's own process when attached to."""

    def output(self) -> AsyncIterator[Output]:
        """Yield what it writes, until it has closed both streams."""
        ...

    async def write(self, data: bytes) -> None:
        """Write to its standard input; data that nobody reads is dropped."""
        ...

    async def close_input(self) -> None:
        """Close its standard input."""
        ...

    def resize(self, width: int, height: int) -> None:
        """Set the size of its terminal, if it has one."""
        ...

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        ...

    async def close(self) -> None:
        """End it if it still runs (when attached: only detach from it); may be called twice."""
        ...


class PodConnection(Protocol):
    """A connection to a port of a pod."""

    async def read(self) -> bytes:
        """Wait for bytes and return all that are there; empty at the end."""
        ...

    async def write(self, data: bytes) -> None:
        """Send *data*."""
        ...

    async def end(self) -> None:
        """End our side; reading goes on."""
        ...

    async def close(self) -> None:
        """Close it; may be called twice."""
        ...


class ContainerAccess(Protocol):
    """The containers of a node, as seen from outside.

    Pods are given by name; the node knows which of them it has. Every method raises `AccessError`
    if that cannot be done: no such pod or container, it does not run, nothing listens.
    """

    def logs(
        self, namespace: str, pod: str, container: str, options: LogOptions
    ) -> AsyncIterator[bytes]:
        """Yield the log of a container, in pieces; the first one may raise `AccessError`."""
        ...

    async def execute(
        self,
        namespace: str,
        pod: str,
        container: str,
        command: Sequence[str],
        *,
        stdin: bool = False,
        tty: bool = False,
    ) -> Command:
        """Start *command* in a running container."""
        ...

    async def attach(
        self, namespace: str, pod: str, container: str, *, stdin: bool = False
    ) -> Command:
        """Return the process of a running container, to read its output and write its input."""
        ...

    async def connect(self, namespace: str, pod: str, port: int) -> PodConnection:
        """Connect to a port of a pod."""
        ...


class AccessError(Exception):
    """What was asked of a container cannot be done.

    Attributes:
        code: The HTTP status that says so: 400, 404 or 500.
        message: Why; the kubelet's own message where it has one.
    """

    def __init__(self, code: int, message: str) -> None:
        self.code: int = code
        self.message: str = message
        super().__init__(code, message)

    def __str__(self) -> str:
        return self.message


BROKEN: tuple[type[Exception], ...] = (AccessError, OSError, TransportError)
"""What a connection raises when its other side breaks it."""
