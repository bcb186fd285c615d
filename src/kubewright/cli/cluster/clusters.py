"""The clusters of this user that run in the background: where each keeps its state.

A cluster has a folder of its own, with its name. As long as it runs, its process holds a lock on a
file in there, which the system releases however the process ends. So we trust a process id only
while the lock is held, and can tell the remains of a killed cluster from a running one.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from kubewright._pki import kubeconfig
from kubewright.api.names import check_dns_label
from kubewright.errors import ConfigError

__all__ = ["DEFAULT", "ClusterFolder", "Clusters", "Lock", "State", "start_hint"]

DEFAULT: str = "kubewright"
"""The name of a cluster, if the user gives none."""


class State(msgspec.Struct, frozen=True, rename="camel"):
    """What a running cluster writes about itself."""

    pid: int
    url: str
    since: datetime
    nodes: int
    simulate: bool
    rbac: bool = True
    data_dir: str | None = None
    kubeconfig: str | None = None
    """The file that the user asked for, beside the one in the folder."""


class Lock:
    """A lock that we hold; a child that inherits it holds it, too."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: int = descriptor

    def release(self) -> None:
        """Release it in this process."""
        os.close(self.descriptor)


class ClusterFolder:
    """The folder of one cluster."""

    def __init__(self, path: Path) -> None:
        self.path: Path = path
        self.name: str = path.name

    @property
    def kubeconfig(self) -> Path:
        """The file for kubectl."""
        return self.path / "kubeconfig"

    @property
    def log(self) -> Path:
        """The log of the cluster."""
        return self.path / "log"

    @property
    def context(self) -> str:
        """The name of the context in its kubeconfig."""
        return DEFAULT if self.name == DEFAULT else f"{DEFAULT}-{self.name}"

    @property
    def exists(self) -> bool:
        """Whether there is a folder, of a cluster that runs or of one that was killed."""
        return self.path.is_dir()

    @property
    def state(self) -> State | None:
        """What the cluster wrote when it was ready; ``None`` before that."""
        try:
            return msgspec.json.decode((self.path / "state.json").read_bytes(), type=State)
        except (OSError, msgspec.MsgspecError):
            return None

    def write_state(self, state: State) -> None:
        """Write that the cluster is ready, in one step."""
        draft = self.path / "state.json.new"
        draft.write_bytes(msgspec.json.encode(state))
        draft.rename(self.path / "state.json")

    @property
    def is_held(self) -> bool:
        """Whether a process of this cluster is alive."""
        try:
            descriptor = os.open(self.path / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def lock(self) -> Lock | None:
        """Lock the folder, made if it is missing; return ``None`` if a cluster holds the lock.

        Raises:
            ConfigError: The folder cannot be made.
        """
        try:
            while True:
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                try:
                    descriptor = os.open(
                        self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
                    )
                except FileNotFoundError:
                    continue  # the last holder has just removed the folder
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(descriptor)
                    return None
                if self._is_current(descriptor):
                    return Lock(descriptor)
                os.close(descriptor)
        except OSError as error:
            raise ConfigError(
                f"cannot keep the state of a cluster in {self.path}: {error.strerror or error}."
                " Set KUBEWRIGHT_STATE to a folder that you can write to."
            ) from error

    def _is_current(self, descriptor: int) -> bool:
        """Return whether the lock is on the file that others find, and not on a removed one."""
        try:
            return os.path.samestat(os.fstat(descriptor), (self.path / "lock").stat())
        except FileNotFoundError:
            return False

    def remove(self) -> None:
        """Remove the folder; only the holder of the lock may."""
        shutil.rmtree(self.path, ignore_errors=True)

    def remove_copy(self) -> None:
        """Remove the kubeconfig that the user asked for, unless it is for another cluster now."""
        state = self.state
        if state is None or state.kubeconfig is None:
            return
        copy = Path(state.kubeconfig)
        with contextlib.suppress(ConfigError, OSError):  # it has other content, or is gone
            kubeconfig.check_target(copy)
            if state.url.encode() in copy.read_bytes():
                copy.unlink()

    def remove_contents(self) -> None:
        """Remove all that an earlier cluster has left here, except for the lock, which is ours."""
        for path in self.path.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != "lock":
                path.unlink()

    def clean(self) -> bool:
        """Remove what a killed cluster has left; return whether there was anything."""
        if not self.exists or (lock := self.lock()) is None:
            return False
        self.remove_copy()
        self.remove()
        lock.release()
        return True


class Clusters:
    """All clusters of this user.

    Args:
        root: The parent of their folders.
    """

    def __init__(self, root: Path) -> None:
        self.root: Path = root

    @classmethod
    def of_user(cls, environ: Mapping[str, str] | None = None) -> "Clusters":
        """Return those of the user: in ``$KUBEWRIGHT_STATE``, or in the XDG state folder."""
        environ = os.environ if environ is None else environ
        named = environ.get("KUBEWRIGHT_STATE")
        if named:
            return cls(Path(named).absolute() / "clusters")
        state = environ.get("XDG_STATE_HOME", "")
        # The specification says to ignore a relative path.
        folder = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
        return cls(folder / "kubewright" / "clusters")

    def folder(self, name: str) -> ClusterFolder:
        """Return the folder of the cluster called *name*, which may not exist.

        Raises:
            ConfigError: A cluster cannot have this name.
        """
        try:
            check_dns_label(name)
        except ValueError as error:
            raise ConfigError(f"a cluster cannot be called {name!r}: {error}") from None
        return ClusterFolder(self.root / name)

    def all(self) -> list[ClusterFolder]:
        """Return every cluster that runs, or that was killed and not cleaned up."""
        try:
            found = sorted(self.root.iterdir())
        except OSError:
            return []
        return [ClusterFolder(folder) for folder in found if folder.is_dir()]

    def running(self, name: str) -> tuple[ClusterFolder, State]:
        """Return the running cluster called *name*.

        Raises:
            ConfigError: It does not run, or is not ready yet; the message names those that do.
        """
        folder = self.folder(name)
        state = folder.state
        if folder.is_held and state is not None:
            return folder, state
        raise ConfigError(f"{self.missing(name)} {start_hint(name)}")

    def missing(self, name: str) -> str:
        """Return the sentence that no cluster called *name* runs, and which ones do."""
        others = [folder.name for folder in self.all() if folder.is_held]
        known = f"these do: {', '.join(others)}" if others else "nor does any other"
        return f"no cluster called {name!r} runs; {known}."


def start_hint(name: str) -> str:
    """Return the sentence that says how to start the cluster called *name*."""
    option = "" if name == DEFAULT else f" --name {name}"
    return f"Start it with `kubewright cluster start{option}`."
