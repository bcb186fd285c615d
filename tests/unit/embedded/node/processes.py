"""What the tests of real processes share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import kubewright as kw
from kubewright._aio import Clock
from kubewright.embedded.node.logs import MemoryLog
from kubewright.embedded.node.process.command import ProcessContainer
from kubewright.embedded.node.process.runtime import ProcessRuntime
from kubewright.embedded.node.process.supervision import Start, Supervision
from kubewright.embedded.node.runtime import Exit, Launch
from kubewright.kinds.core.v1 import Container, Pod, PodSpec

PATH = "/usr/local/bin:/usr/bin:/bin"


def is_alive(pid: int) -> bool:
    """Return whether the process *pid* runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def shell(script: str, *, folder: Path | str = "/", owns: bool = True, **env: str) -> Start:
    """Return how a shell is started with a script."""
    environment = {"PATH": PATH, "KUBEWRIGHT_CONTAINER": "c", **env}
    return Start("/bin/sh", ["sh", "-c", script], str(folder), environment, owns=owns)


@asynccontextmanager
async def a_supervision(tmp_path: Path) -> AsyncIterator[Supervision]:
    """Yield a supervisor, and end it."""
    folder = tmp_path / "node"
    folder.mkdir()
    supervision = Supervision(folder)
    supervision.open()
    try:
        yield supervision
    finally:
        await supervision.close()


def a_container(supervision: Supervision, script: str, tmp_path: Path) -> ProcessContainer:
    """Return a container that is about to run a script."""
    words = tmp_path / "words"
    return ProcessContainer(
        "c",
        shell(script, WORDS=str(words)),
        supervision=supervision,
        log=MemoryLog(clock=Clock()),
        last_words=words,
        clock=Clock(),
    )


@asynccontextmanager
async def a_runtime(tmp_path: Path) -> AsyncIterator[ProcessRuntime]:
    """Yield a running runtime."""
    runtime = ProcessRuntime(tmp_path / "node")
    running = asyncio.create_task(runtime.run())
    await runtime.wait_ready()
    try:
        yield runtime
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def launch(
    *command: str, name: str = "main", env: dict[str, str] | None = None, **fields: Any
) -> Launch:
    """Return a container to start."""
    image = fields.pop("image", "busybox")
    args = fields.pop("args", [])
    container = Container(name=name, image=image, **fields)
    pod = a_pod(container)
    return Launch(pod, container, "id", 0, env or {}, list(command), args)


def a_pod(*containers: Container) -> Pod:
    """Return a pod as the server has it."""
    return Pod(
        metadata=kw.ObjectMeta(name="web", namespace="default", uid="1-2-3"),
        spec=PodSpec(containers=list(containers)),
    )


class Waiter:
    """Remembers how a container ended, and waits for it."""

    def __init__(self) -> None:
        self._exit: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()

    def __call__(self, how: Exit) -> None:
        self._exit.set_result(how)

    async def exit(self) -> Exit:
        return await self._exit
