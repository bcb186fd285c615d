"""`ProcessRuntime`: containers as local processes of this user, without any isolation."""

import asyncio
import os
import shutil
import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path

from kubewright._aio import Clock
from kubewright._version import VERSION
from kubewright.embedded.node.access import PodConnection
from kubewright.embedded.node.images import has_no_entrypoint
from kubewright.embedded.node.logs import FileLog, Log, MemoryLog, PodLogs
from kubewright.embedded.node.process.command import ProcessContainer
from kubewright.embedded.node.process.layout import PodFolder, rewritten
from kubewright.embedded.node.process.supervision import Start, Supervision
from kubewright.embedded.node.process.supervisor import remove_tree
from kubewright.embedded.node.runtime import (
    ContainerError,
    Exit,
    Launch,
    OnExit,
    RunningContainer,
    Sandbox,
)
from kubewright.embedded.node.simulated.http import SimulatedConnection
from kubewright.embedded.node.simulated.listener import Listener, StreamConnection
from kubewright.embedded.node.simulated.runtime import SimulatedContainer, not_found
from kubewright.embedded.node.volumes.material import Files
from kubewright.errors import ConfigError, LifecycleError
from kubewright.kinds.core.v1 import Pod

__all__ = ["ProcessRuntime"]

INHERITED: tuple[str, ...] = ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""The only variables of the node that its containers see."""
DEFAULT_PATH: str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HINT: str = "containers are processes here, so their commands must exist on this machine"


class ProcessRuntime:
    """Containers as local processes of this user, without any isolation.

    The command of a container is run with the programs of this machine, whatever its image is. An
    image without a command is simulated, with a tiny HTTP server at the pod's address and ports.

    Each pod has a folder, and `layout` says how processes find what is mounted. Besides the
    variables of its container, a process sees ``HOSTNAME``, ``POD_IP``, which it should listen at,
    and ``KUBEWRIGHT_ROOT``. When the node ends, even by SIGKILL, so does every
    process that a pod has started, and the folder is removed.

    Args:
        folder: The parent of the folders of pods; a new one unless given. It is removed at the end.
        claims: The parent of the folders of volume claims, which outlive pods; in *folder* unless
            given, and then removed with it. Nodes that share it share claims.
        clock: Where time comes from; real time, since processes live in it.

    Raises:
        ConfigError: This system cannot guard processes: only Linux can.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        claims: str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        if not hasattr(os, "memfd_create"):
            raise ConfigError(
                "local processes need Linux, which can end them whatever they do:"
                " simulate containers here"
            )
        self._folder = None if folder is None else Path(folder).resolve()
        self._claims = None if claims is None else Path(claims).resolve()
        self._clock = clock or Clock()
        self._supervision: Supervision | None = None
        self._ready = asyncio.Event()

    @property
    def version(self) -> str:
        """Its name and version in the status of the node."""
        return f"processes://{VERSION}"

    @property
    def uses_files(self) -> bool:
        """Whether it uses volumes."""
        return True

    async def run(self) -> None:
        """Run the supervisor until cancelled; when this returns, no process is left."""
        folder = self._folder or Path(tempfile.mkdtemp(prefix="kubewright-node-"))
        # For this user only: it holds Secrets.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._supervision = supervision = Supervision(folder)
        supervision.on_lost = supervision.open
        supervision.open()
        self._ready.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._ready.clear()
            await supervision.close()
            remove_tree(folder)

    async def wait_ready(self) -> None:
        """Return once containers can be started."""
        await self._ready.wait()

    async def create_sandbox(self, pod: Pod, address: str, volumes: Mapping[str, Files]) -> Sandbox:
        """Create the folder of a pod, with its volumes."""
        supervision = self._supervision
        if supervision is None:
            raise LifecycleError("no process can be started: the runtime does not run")
        place = supervision.folder / "pods" / (pod.metadata.uid or "")
        folder = PodFolder(place, self._claims or supervision.folder / "claims")
        folder.write(volumes)
        return ProcessSandbox(pod, address, folder, supervision=supervision, clock=self._clock)


class ProcessSandbox:
    """The folder and the address of one pod."""

    def __init__(
        self,
        pod: Pod,
        address: str,
        folder: PodFolder,
        *,
        supervision: Supervision,
        clock: Clock,
    ) -> None:
        self._pod = pod
        self._address = address
        self._folder = folder
        self._supervision = supervision
        self._clock = clock
        self._logs = PodLogs()
        self._listeners: dict[str, Listener] = {}

    # --- Containers ---

    async def start(self, launch: Launch, on_exit: OnExit) -> RunningContainer:
        """Start a container as a process, or simulate it if it has no command."""
        command = list(launch.command)
        if not command and has_no_entrypoint(launch.container.image or ""):
            command = ["sh"] if not launch.args else []
        elif not command:
            return await self._simulate(launch, on_exit)
        return await self._run([*command, *launch.args], launch, on_exit)

    async def _simulate(self, launch: Launch, on_exit: OnExit) -> RunningContainer:
        name = launch.container.name
        log = MemoryLog(clock=self._clock)
        listener = Listener(self._pod, launch.container, self._address)

        def note_exit(how: Exit) -> None:
            listener.close()
            self._listeners.pop(name, None)
            on_exit(how)

        container = SimulatedContainer(
            launch, note_exit, log=log, clock=self._clock, pod=lambda: self._pod
        )
        container.start()
        self._logs.add(name, log)
        self._listeners[name] = listener
        await listener.open()
        return container

    async def _run(self, command: list[str], launch: Launch, on_exit: OnExit) -> RunningContainer:
        container = launch.container
        places = self._folder.make_root(container)
        root = self._folder.root(container.name)
        folder = root / (container.working_dir or "").strip("/")
        folder.mkdir(parents=True, exist_ok=True)
        environment = {
            **self._own_variables(root),
            **{name: rewritten(text, places) for name, text in launch.environment.items()},
            # Last, so that the pod cannot change them: by these we find the processes to end.
            "KUBEWRIGHT_NODE": str(self._supervision.folder),
            "KUBEWRIGHT_CONTAINER": launch.id,
        }
        if container.tty:
            environment.setdefault("TERM", "xterm")
        words = [rewritten(word, places) for word in command]
        start = Start(
            find_program(words[0], environment, folder),
            words,
            str(folder),
            environment,
            terminal=bool(container.tty),
            owns=True,
        )
        log = FileLog(self._folder.log(container.name, launch.attempt), clock=self._clock)
        process = ProcessContainer(
            launch.id,
            start,
            supervision=self._supervision,
            log=log,
            last_words=self._folder.termination_log(container),
            places=places,
            clock=self._clock,
        )
        await process.start(
            on_exit, stdin=bool(container.stdin), stdin_once=bool(container.stdin_once)
        )
        self._logs.add(container.name, log)
        return process

    def _own_variables(self, root: Path) -> dict[str, str]:
        """Return the variables that every process has, unless its container says otherwise."""
        kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
        return {
            "PATH": DEFAULT_PATH,
            **kept,
            "HOME": str(root),
            "HOSTNAME": self._pod.spec.hostname or self._pod.metadata.name or "",
            "POD_IP": self._address,
            "KUBEWRIGHT_ROOT": str(root),
        }

    # --- What the node calls ---

    def update(self, pod: Pod, volumes: Mapping[str, Files]) -> None:
        """Bring the files of volumes up to date."""
        self._pod = pod
        self._folder.write(volumes)

    def find_log(self, container: str, *, previous: bool = False) -> Log | None:
        """Return the log of the last run of a container, or of the one before."""
        return self._logs.find(container, previous=previous)

    async def connect(self, port: int, *, host: str = "", tls: bool = False) -> PodConnection:
        """Connect to a port of the pod; if nothing listens there, a simulated container answers."""
        try:
            return await _connect(host or self._address, port, tls=tls)
        except ConnectionRefusedError:
            if host:
                raise
            if self._listeners and not tls:
                image = self._pod.spec.containers[0].image or ""
                return SimulatedConnection(pod=self._pod.metadata.name or "", image=image)
            raise

    async def close(self) -> None:
        """Remove the folder."""
        for listener in self._listeners.values():
            listener.close()
        self._listeners.clear()
        self._logs.close()
        self._folder.remove()


async def _connect(host: str, port: int, *, tls: bool) -> PodConnection:
    context = None
    if tls:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # as probes do: any answer will do
    return StreamConnection(*await asyncio.open_connection(host, port, ssl=context))


def find_program(program: str, environment: Mapping[str, str], folder: Path) -> str:
    """Return the path of a program.

    Raises:
        ContainerError: It is not on this machine.
    """
    problem = ""
    if "/" in program:
        path = folder / program
        if path.is_dir():
            problem = f'exec: "{program}": is a directory'
        elif not path.exists():
            problem = f'exec: "{program}": stat {program}: no such file or directory'
        found: str | None = str(path)
    else:
        found = shutil.which(program, path=environment.get("PATH"))
    if problem or found is None:
        raise ContainerError("StartError", f"{problem or not_found(program)} ({HINT})", ended=True)
    return found
