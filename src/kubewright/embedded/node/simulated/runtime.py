"""`SimulatedRuntime`: containers that only pretend to run; no process, no socket, any clock."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial

from kubewright._aio import Clock
from kubewright._aio.clock import Timer
from kubewright._version import VERSION
from kubewright.embedded.node.access import Command, Output, PodConnection
from kubewright.embedded.node.images import has_no_entrypoint
from kubewright.embedded.node.logs import Log, MemoryLog, PodLogs
from kubewright.embedded.node.runtime import (
    ContainerError,
    Exit,
    Launch,
    OnExit,
    ProbeKind,
    RunningContainer,
    Sandbox,
    SimulatedError,
)
from kubewright.embedded.node.simulated.http import SimulatedConnection
from kubewright.embedded.node.simulated.script import (
    End,
    Say,
    Script,
    Step,
    Wait,
    annotated,
    duration,
    interpreted,
)
from kubewright.embedded.node.volumes.material import Files
from kubewright.kinds.core.v1 import Pod

__all__ = ["SimulatedContainer", "SimulatedRuntime"]


class SimulatedRuntime:
    """Containers that only pretend to run: they start, become ready, and write output.

    An image without a command runs until it is told to end, and answers HTTP at any port. For what
    commands do, and how a pod can fail on purpose, see `kubewright.embedded.node.simulated.script`.

    Args:
        clock: Where time comes from; may be a virtual clock.
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()

    @property
    def version(self) -> str:
        """Its name and version in the status of the node."""
        return f"simulated://{VERSION}"

    @property
    def uses_files(self) -> bool:
        """Whether it uses volumes; there are no files here."""
        return False

    async def run(self) -> None:
        """Wait to be cancelled; there is nothing to do."""
        await asyncio.get_running_loop().create_future()

    async def wait_ready(self) -> None:
        """Return at once."""

    async def create_sandbox(self, pod: Pod, address: str, volumes: Mapping[str, Files]) -> Sandbox:
        """Create the sandbox of a pod."""
        return SimulatedSandbox(pod, clock=self._clock)


class SimulatedSandbox:
    """The sandbox of simulated containers."""

    def __init__(self, pod: Pod, *, clock: Clock) -> None:
        self._pod = pod
        self._clock = clock
        self._logs = PodLogs()

    async def start(self, launch: Launch, on_exit: OnExit) -> RunningContainer:
        """Start a simulated container."""
        log = MemoryLog(clock=self._clock)
        container = SimulatedContainer(
            launch, on_exit, log=log, clock=self._clock, pod=lambda: self._pod
        )
        container.start()
        self._logs.add(launch.container.name, log)
        return container

    def update(self, pod: Pod, volumes: Mapping[str, Files]) -> None:
        """Note a changed pod: its annotations decide what probes find."""
        self._pod = pod

    def find_log(self, container: str, *, previous: bool = False) -> Log | None:
        """Return the log of the last run of a container, or of the one before."""
        return self._logs.find(container, previous=previous)

    async def connect(self, port: int, *, host: str = "", tls: bool = False) -> PodConnection:
        """Connect to any port, where a tiny HTTP server answers."""
        image = self._pod.spec.containers[0].image or ""
        return SimulatedConnection(pod=self._pod.metadata.name or "", image=image)

    async def close(self) -> None:
        """Forget its logs."""
        self._logs.close()


class SimulatedContainer:
    """A container that does what its script says, as time passes.

    Args:
        launch: The container to start.
        on_exit: Called when it has ended.
        log: Where its output goes.
        clock: Where time comes from.
        pod: Returns the pod as it is now; its annotations say what probes find.
    """

    def __init__(
        self,
        launch: Launch,
        on_exit: OnExit,
        *,
        log: Log,
        clock: Clock,
        pod: Callable[[], Pod],
    ) -> None:
        self._launch = launch
        self._on_exit = on_exit
        self._log = log
        self._clock = clock
        self._pod = pod
        self._timer: Timer | None = None
        self._ended = False
        self._command = [*launch.command, *launch.args]
        self._done = asyncio.Event()
        self.exit_code: int = 0
        """How it ended."""

    @property
    def id(self) -> str:
        """The id of its launch."""
        return self._launch.id

    @property
    def is_simulated(self) -> bool:
        """Whether it only pretends to run."""
        return True

    def start(self) -> None:
        """Do the first steps.

        Raises:
            ContainerError: An annotation says that it cannot be started, or is not understood.
        """
        script = self._script(self._launch.pod)
        image = self._launch.container.image or ""
        if script.words.get("pull") == "error":
            raise ContainerError("ErrImagePull", f'failed to pull image "{image}": not found')
        if script.words.get("start") == "error":
            name = self._command[0] if self._command else image
            raise ContainerError("StartError", not_found(name), ended=True)
        steps = script.steps
        if steps is None and (self._launch.command or has_no_entrypoint(image)):
            steps = interpreted(self._command, self._launch.environment)
        # Not at once: its start must have returned before it ends.
        if steps:
            asyncio.get_running_loop().call_soon(self._go, steps)

    def _script(self, pod: Pod) -> Script:
        try:
            annotations = pod.metadata.annotations
            return annotated(annotations, self._launch.container.name, self._launch.attempt)
        except ValueError as error:
            raise ContainerError("CreateContainerConfigError", str(error)) from None

    def _go(self, steps: Sequence[Step]) -> None:
        for number, step in enumerate(steps):
            match step:
                case Say(text):
                    self._log.write("stdout", text.encode() + b"\n")
                case End(code):
                    self._end(Exit(code))
                    return
                case Wait(seconds):
                    rest = steps[number + 1 :]
                    self._timer = self._clock.call_later(seconds, partial(self._go, rest))
                    return

    def _end(self, how: Exit) -> None:
        if self._ended:
            return
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        self.exit_code = how.code
        self._log.close()
        self._done.set()
        self._on_exit(how)

    def signal(self, number: int) -> None:
        """End it, as a program would that handles this signal well."""
        killed = Exit(128 + number, number)
        if number == signal.SIGKILL:
            self._end(killed)
            return
        term = self._words().get("term", "")
        if term == "ignore":
            return
        # A server that is told to stop says that all is well; a plain command is just ended.
        how = killed if self._command else Exit(0)
        if term:
            self._timer = self._clock.call_later(duration(term), lambda: self._end(how))
        else:
            self._end(how)

    def probe_answer(self, kind: ProbeKind) -> bool | None:
        """Return the result of a probe that the annotations of the pod ask for."""
        found = self._words().get(kind)
        return None if found is None else found != "fail"

    def _words(self) -> Mapping[str, str]:
        try:
            return self._script(self._pod()).words
        except ContainerError:
            return {}

    async def execute(
        self, command: Sequence[str], *, stdin: bool = False, tty: bool = False
    ) -> Command:
        """Pretend to run a command that is understood: it writes what it would write.

        Raises:
            SimulatedError: It is not understood, and reporting success would be wrong.
        """
        steps = interpreted(command, self._launch.environment)
        if steps is None:
            raise SimulatedError(_not_run(command[0], self._launch.container.name))
        return SimulatedCommand(steps, clock=self._clock)

    async def attach(self, *, stdin: bool = False) -> Command:
        """Return what follows its output from now on."""
        return Attached(self._log, self)

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        await self._done.wait()
        return self.exit_code


class SimulatedCommand:
    """A command in a simulated container."""

    def __init__(self, steps: Sequence[Step], *, clock: Clock) -> None:
        self._clock = clock
        self._code = 0
        self._ended = asyncio.Event()
        self._steps = steps

    async def output(self) -> AsyncIterator[Output]:
        """Yield what it would write."""
        for step in self._steps:
            match step:
                case Say(text):
                    yield Output("stdout", text.encode() + b"\n")
                case Wait(seconds):
                    await self._clock.sleep(seconds)
                case End(code):
                    self._code = code
        self._ended.set()

    async def write(self, data: bytes) -> None:
        """Drop *data*: simulated containers read nothing."""

    async def close_input(self) -> None:
        """Do nothing: simulated containers read nothing."""

    def resize(self, width: int, height: int) -> None:
        """Do nothing: there is no terminal."""

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        if not self._ended.is_set():
            async for _ in self.output():
                pass
        return self._code

    async def close(self) -> None:
        """Detach from it."""
        self._ended.set()


class Attached:
    """A container's own process, as a client that attaches follows it."""

    def __init__(self, log: Log, container: SimulatedContainer) -> None:
        self._log = log
        self._container = container
        self._lines = log.lines()
        next(self._lines)

    async def output(self) -> AsyncIterator[Output]:
        """Yield what it writes from now on."""
        while True:
            for line in next(self._lines):
                yield Output("stderr" if line.stream == "stderr" else "stdout", line.text)
            if self._log.closed:
                return
            await self._log.wait()

    async def write(self, data: bytes) -> None:
        """Drop *data*: simulated containers read nothing."""

    async def close_input(self) -> None:
        """Do nothing: simulated containers read nothing."""

    def resize(self, width: int, height: int) -> None:
        """Do nothing: there is no terminal."""

    async def wait(self) -> int:
        """Wait for its end and return the exit code."""
        return await self._container.wait()

    async def close(self) -> None:
        """Detach from it."""


def _not_run(program: str, container: str) -> str:
    return (
        f"{program!r} did not run: the container {container!r} is simulated. To run commands in it,"
        " give it a command of its own, and start the cluster without --simulate."
    )


def not_found(program: str) -> str:
    """Return the usual message for a program that is missing; a hint may follow it."""
    return f'exec: "{program}": executable file not found in $PATH'
