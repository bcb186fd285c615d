"""What ``kubewright cluster start`` and ``stop`` do."""

import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from getpass import getuser
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit

import msgspec

from kubewright._pki import kubeconfig as kubeconfigs
from kubewright.cli.cluster.clusters import DEFAULT, ClusterFolder, Clusters, Lock, State
from kubewright.cli.cluster.order import Order, Report
from kubewright.cli.cluster.settings import Settings, read_settings
from kubewright.errors import ConfigError, KubewrightError

__all__ = ["Options", "StartError", "containers_text", "start", "stop"]

TAIL: int = 20
"""Lines of the log that are shown when a start fails."""
STOP_FOR: float = 30.0
"""Seconds that a cluster gets to stop by itself."""
POLL_EVERY: float = 0.05


class StartError(KubewrightError):
    """A cluster did not start; the message ends with the last lines of its log."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright cluster start --help``."""

    name: str = DEFAULT
    kubeconfig: Path | None = None
    data_dir: Path | None = None
    nodes: int | None = None
    simulate: bool | None = None
    rbac: bool = True
    port: int = 0
    wait: float = 60.0


def start(options: Options) -> None:
    """Start a cluster in the background; return when it answers.

    Raises:
        ConfigError: The options cannot be used; nothing was started.
        StartError: It failed, and nothing is left of it.
    """
    folder = Clusters.of_user().folder(options.name)
    if options.kubeconfig is not None:
        kubeconfigs.check_target(options.kubeconfig)
    lock = _lock(folder, options.wait)
    if lock is None:
        running = folder.state
        assert running is not None
        since = f"since {running.since:%H:%M:%S} UTC"
        _say(_welcome(folder, running, how=f"runs already, {since}"))
        _say_what_differs(folder, running, options)
        return
    try:
        if folder.state is not None:
            _say(f"{_name(folder)} was dead; cleaned up after it.")
            folder.remove_copy()
        folder.remove_contents()
        settings = _settings(options)
        _launch(folder, lock, options, settings)
    except BaseException:
        folder.remove()
        raise
    finally:
        lock.release()
    state = folder.state
    assert state is not None
    _say(_welcome(folder, state))


def stop(name: str) -> None:
    """Stop a cluster and all processes of its pods.

    Raises:
        ConfigError: There is none of that name.
    """
    clusters = Clusters.of_user()
    folder = clusters.folder(name)
    state = folder.state
    if not folder.is_held:
        if folder.clean():
            _say(f"{_name(folder)} was dead; cleaned up after it.")
            return
        raise ConfigError(f"cannot stop it: {clusters.missing(name)}")
    if state is None:
        raise ConfigError(f"cannot stop cluster {name!r}: it is just starting. Try again.")
    if not _stop_process(folder, state.pid):
        _say(f"{_name(folder)} did not stop within {STOP_FOR:g} s, so it was killed.")
    folder.clean()
    kept = f" Its objects are kept in {state.data_dir}." if state.data_dir else ""
    _say(f"{_name(folder)} is stopped.{kept}")


def containers_text(*, simulate: bool) -> str:
    """Return the sentence about what happens to the commands of containers."""
    if simulate:
        return "Containers are simulated: no command of theirs runs."
    return (
        f"Commands of containers run as local processes of the user {getuser()} on this machine,"
        " not isolated: start only what you trust, or use --simulate."
    )


# Starting.


def _lock(folder: ClusterFolder, patience: float) -> Lock | None:
    """Lock the folder; return None if a cluster runs there, after waiting for it to be ready."""
    deadline = time.monotonic() + patience
    while (lock := folder.lock()) is None:
        if folder.state is not None and folder.is_held:
            return None
        if time.monotonic() > deadline:
            raise ConfigError(
                f"cannot start cluster {folder.name!r}: somebody else is starting it, and it does"
                f" not get ready. Its log is {folder.log}"
            )
        time.sleep(POLL_EVERY)  # another process runs in real time, without a `Clock`
    return lock


def _settings(options: Options) -> Settings:
    """Return the settings to start with: the earlier ones, unless the user gives others."""
    before = read_settings(options.data_dir) if options.data_dir is not None else None
    kept = before or Settings()
    wanted = Settings(
        nodes=kept.nodes if options.nodes is None else options.nodes,
        simulate=kept.simulate if options.simulate is None else options.simulate,
    )
    if before is not None and wanted != before:
        was, now = _shape(before), _shape(wanted)
        _say(f"The cluster in {options.data_dir} was started with {was} before; now with {now}.")
    return wanted


def _shape(settings: Settings) -> str:
    return f"--nodes {settings.nodes} {'--simulate' if settings.simulate else '--no-simulate'}"


def _launch(folder: ClusterFolder, lock: Lock, options: Options, settings: Settings) -> None:
    ours, theirs = os.pipe()
    order = Order(
        folder=str(folder.path),
        lock=lock.descriptor,
        report=theirs,
        nodes=settings.nodes,
        simulate=settings.simulate,
        rbac=options.rbac,
        port=options.port,
        data_dir=_absolute(options.data_dir),
        kubeconfig=_absolute(options.kubeconfig),
    )
    command = [
        sys.executable,
        "-m",
        "kubewright.cli.cluster.daemon",
        msgspec.json.encode(order).decode(),
    ]
    with os.fdopen(ours, "rb") as answer:
        try:
            with folder.log.open("wb") as output:
                process = subprocess.Popen(  # noqa: S603  # ourselves
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(lock.descriptor, theirs),
                    start_new_session=True,
                )
        finally:
            os.close(theirs)
        try:
            _check(folder, _report(answer.fileno(), options.wait), options.wait)
        except BaseException:
            _end(process)
            raise
    process.returncode = 0  # it outlives us; without this, Popen would warn


def _report(descriptor: int, patience: float) -> bytes | None:
    """Return the report of the process; empty if it ended before, None after *patience*."""
    deadline, said = time.monotonic() + patience, b""
    while not said.endswith(b"\n"):
        if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return None
        if not (data := os.read(descriptor, 65536)):
            return b""
        said += data
    return said


def _check(folder: ClusterFolder, said: bytes | None, patience: float) -> None:
    if said:
        error = msgspec.json.decode(said, type=Report).error
        if error:
            raise ConfigError(f"cannot start cluster {folder.name!r}: {error}")
        return
    what = "it ended at once" if said is not None else f"it was not ready within {patience:g} s"
    lines = folder.log.read_text(errors="replace").splitlines()[-TAIL:]
    shown = "\n".join(f"  {line}" for line in lines) or "  (nothing)"
    raise StartError(
        f"cannot start cluster {folder.name!r}: {what}. The last lines of its log:\n{shown}"
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_FOR)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


# Stopping.


def _stop_process(folder: ClusterFolder, pid: int) -> bool:
    """Ask the process to end, and wait for it; return False if it had to be killed."""
    process = _Process(pid)
    try:
        if not folder.is_held:  # the pid may be another process by now
            return True
        process.send(signal.SIGTERM)
        if process.wait(folder, STOP_FOR):
            return True
        process.send(signal.SIGKILL)
        process.wait(folder, STOP_FOR)
        return False
    finally:
        process.close()


class _Process:
    """A process that is not our child; by a pidfd where the system has them."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._handle: int | None = None
        if hasattr(os, "pidfd_open"):
            try:
                self._handle = os.pidfd_open(pid)
            except OSError:
                self._handle = None  # it is gone, or the kernel is old

    def send(self, number: signal.Signals) -> None:
        try:
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, number)
            else:
                os.kill(self._pid, number)
        except ProcessLookupError:
            pass

    def wait(self, folder: ClusterFolder, seconds: float) -> bool:
        """Wait for its end; return whether it came in time."""
        deadline = time.monotonic() + seconds
        if self._handle is not None:
            return bool(select.select([self._handle], [], [], seconds)[0])
        while folder.is_held and time.monotonic() < deadline:
            time.sleep(POLL_EVERY)  # as above
        return not folder.is_held

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)


# What is printed.


def _welcome(folder: ClusterFolder, state: State, *, how: str = "runs") -> str:
    nodes = "1 node" if state.nodes == 1 else f"{state.nodes} nodes"
    kept = f"objects are kept in {state.data_dir}" if state.data_dir else "objects are in memory"
    return (
        f"{_name(folder)} {how}: {state.url} ({nodes}, {kept})\n"
        f"{containers_text(simulate=state.simulate)}\n"
        f"{_how_to_use(folder, state)}"
    )


def _say_what_differs(folder: ClusterFolder, running: State, options: Options) -> None:
    """Say which options were ignored; above all `--simulate`, since commands do run then."""
    wanted = {
        "--simulate": options.simulate is True and not running.simulate,
        "--no-simulate": options.simulate is False and running.simulate,
        "--no-rbac": running.rbac and not options.rbac,
        "--nodes": options.nodes not in (None, running.nodes),
        "--port": options.port not in (0, urlsplit(running.url).port),
        "--data-dir": _absolute(options.data_dir) not in (None, running.data_dir),
        "--kubeconfig": _absolute(options.kubeconfig) not in (None, running.kubeconfig),
    }
    if ignored := [option for option, differs in wanted.items() if differs]:
        _say(
            f"It was left as it is, without your {', '.join(ignored)}:"
            f" stop it first, or give the new one another --name than {folder.name}."
        )


def _how_to_use(folder: ClusterFolder, state: State) -> str:
    option = "" if folder.name == DEFAULT else f" --name {folder.name}"
    return (
        f"  export KUBECONFIG={quote(str(state.kubeconfig or folder.kubeconfig))}\n"
        "  kubectl create deployment web --image=nginx --replicas=2\n"
        "  kubectl get pods --watch\n"
        f"`kubewright cluster stop{option}` stops it, and all that its pods have started."
    )


def _name(folder: ClusterFolder) -> str:
    return f"cluster {folder.name}"


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # this is what the command is for
