"""Containers that do what a test says; the seam is the `Runtime`."""

from collections.abc import AsyncIterator, Mapping, Sequence

from kubewright.embedded.node.access import Command, Output, PodConnection
from kubewright.embedded.node.logs import Log
from kubewright.embedded.node.pod.actions import ActionTarget
from kubewright.embedded.node.runtime import Launch, OnExit, ProbeKind, RunningContainer
from kubewright.embedded.node.volumes.material import Files
from kubewright.kinds.core.v1 import Container, Pod


class ACommand:
    """A command with a known end."""

    def __init__(self, output: bytes, code: int) -> None:
        self._output, self._code = output, code

    async def output(self) -> AsyncIterator[Output]:
        yield Output("stdout", self._output)

    async def write(self, data: bytes) -> None:
        return

    async def close_input(self) -> None:
        return

    def resize(self, width: int, height: int) -> None:
        return

    async def wait(self) -> int:
        return self._code

    async def close(self) -> None:
        return


class AConnection:
    """A connection that answers the same to everything."""

    def __init__(self, answer: bytes) -> None:
        self.answer, self.sent = answer, b""

    async def read(self) -> bytes:
        answer, self.answer = self.answer, b""
        return answer

    async def write(self, data: bytes) -> None:
        self.sent += data

    async def end(self) -> None:
        return

    async def close(self) -> None:
        return


class AContainer:
    """A container that remembers its signals."""

    id = "x"
    is_simulated = False

    def __init__(self, *, output: bytes = b"", code: int = 0) -> None:
        self.signals: list[int] = []
        self.commands: list[list[str]] = []
        self.answers: dict[ProbeKind, bool] = {}
        self._end = (output, code)

    def signal(self, number: int) -> None:
        self.signals.append(number)

    def probe_answer(self, kind: ProbeKind) -> bool | None:
        return self.answers.get(kind)

    async def execute(
        self, command: Sequence[str], *, stdin: bool = False, tty: bool = False
    ) -> Command:
        self.commands.append(list(command))
        return ACommand(*self._end)

    async def attach(self, *, stdin: bool = False) -> Command:
        return ACommand(*self._end)


class ASandbox:
    """A pod at whose ports something listens, or nothing."""

    def __init__(self, answer: bytes | None = b"HTTP/1.1 200 OK\r\n\r\n") -> None:
        self.answer = answer
        self.connections: list[AConnection] = []
        self.asked: list[tuple[int, str, bool]] = []

    async def start(self, launch: Launch, on_exit: OnExit) -> RunningContainer:
        return AContainer()

    def update(self, pod: Pod, volumes: Mapping[str, Files]) -> None:
        return

    def find_log(self, container: str, *, previous: bool = False) -> Log | None:
        return None

    async def connect(self, port: int, *, host: str = "", tls: bool = False) -> PodConnection:
        self.asked.append((port, host, tls))
        if self.answer is None:
            raise ConnectionRefusedError(111, "Connection refused")
        self.connections.append(AConnection(self.answer))
        return self.connections[-1]

    async def close(self) -> None:
        return


def target(
    container: Container | None = None,
    *,
    handle: AContainer | None = None,
    sandbox: ASandbox | None = None,
) -> ActionTarget:
    """Return what probes and hooks act on."""
    return ActionTarget(
        container or Container(name="main"),
        handle or AContainer(),
        sandbox or ASandbox(),
        "127.1.0.1",
    )
