"""The interface between a node and what runs its containers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from kubewright.embedded.node.access import Command, PodConnection
from kubewright.embedded.node.logs import Log
from kubewright.embedded.node.volumes.material import Files
from kubewright.kinds.core.v1 import Container, Pod

__all__ = [
    "ContainerError",
    "Exit",
    "Launch",
    "OnExit",
    "ProbeKind",
    "RunningContainer",
    "Runtime",
    "Sandbox",
    "SimulatedError",
]

ProbeKind: TypeAlias = Literal["startup", "liveness", "readiness"]


class Exit(Struct, frozen=True):
    """How a process ended.

    Attributes:
        code: Its exit code; 128 plus the signal if one ended it.
        signal: The signal that ended it; 0 for none.
        message: What it wrote to its termination message file.
    """

    code: int
    signal: int = 0
    message: str = ""


OnExit: TypeAlias = Callable[[Exit], None]


class Launch(Struct, frozen=True):
    """A container to start.

    Attributes:
        pod: The pod that it belongs to.
        container: What its author wrote.
        id: A unique name for this run of it.
        attempt: How often it was started before.
        environment: Its complete environment.
        command: What to run instead of the entry point of the image; expanded.
        args: Its arguments; expanded.
    """

    pod: Pod
    container: Container
    id: str
    attempt: int
    environment: Mapping[str, str]
    command: Sequence[str]
    args: Sequence[str]


class ContainerError(Exception):
    """A container cannot be started.

    Attributes:
        reason: A word for programs, such as ``ErrImagePull`` or ``StartError``.
        message: What is wrong.
        ended: Whether it counts as a run that failed (exit code 128), and is backed off from;
            otherwise the container waits for the cause to go away.
    """

    def __init__(self, reason: str, message: str, *, ended: bool = False) -> None:
        self.reason: str = reason
        self.message: str = message
        self.ended: bool = ended
        super().__init__(reason, message)

    def __str__(self) -> str:
        return self.message


class SimulatedError(ContainerError):
    """A command cannot run in a simulated container."""

    def __init__(self, message: str) -> None:
        super().__init__("Simulated", message)
        self.args: tuple[Any, ...] = (message,)


class RunningContainer(Protocol):
    """A container that was started."""

    @property
    def id(self) -> str:
        """The id of its launch."""
        ...

    @property
    def is_simulated(self) -> bool:
        """Whether it only pretends to run: then probes and hooks succeed."""
        ...

    def signal(self, number: int) -> None:
        """Send a signal to its process; nothing if it has ended."""
        ...

    def probe_answer(self, kind: ProbeKind) -> bool | None:
        """Return the result of a probe without running it; ``None`` to run it."""
        ...

    async def execute(
        self, command: Sequence[str], *, stdin: bool = False, tty: bool = False
    ) -> Command:
        """Start another command in it.

        Raises:
            SimulatedError: It is simulated, and we do not know what the command would do.
        """
        ...

    async def attach(self, *, stdin: bool = False) -> Command:
        """Return its own process, to read its output and write its input."""
        ...


class Sandbox(Protocol):
    """The environment of one pod: an address, and a folder if the runtime uses files."""

    async def start(self, launch: Launch, on_exit: OnExit) -> RunningContainer:
        """Start a container; *on_exit* is called once, when it has ended.

        Raises:
            ContainerError: It cannot be started.
        """
        ...

    def update(self, pod: Pod, volumes: Mapping[str, Files]) -> None:
        """Note a changed pod, and bring the files of its volumes up to date."""
        ...

    def find_log(self, container: str, *, previous: bool = False) -> Log | None:
        """Return the log of the last run of a container, or of the one before."""
        ...

    async def connect(self, port: int, *, host: str = "", tls: bool = False) -> PodConnection:
        """Connect to a port of the pod, or of another host.

        Raises:
            OSError: Nothing listens there.
        """
        ...

    async def close(self) -> None:
        """Remove the sandbox, once its containers have ended."""
        ...


class Runtime(Protocol):
    """What runs containers."""

    @property
    def version(self) -> str:
        """Its name and version in the status of the node, such as ``simulated://0.1``."""
        ...

    @property
    def uses_files(self) -> bool:
        """Whether it uses volumes and service variables."""
        ...

    async def run(self) -> None:
        """Run until cancelled; when this returns, nothing is left of it."""
        ...

    async def wait_ready(self) -> None:
        """Return once containers can be started."""
        ...

    async def create_sandbox(self, pod: Pod, address: str, volumes: Mapping[str, Files]) -> Sandbox:
        """Create the sandbox of a pod, with its volumes.

        Raises:
            OSError: It cannot be created.
        """
        ...
