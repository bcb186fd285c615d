"""Where the files of a pod are on this machine, and how its processes find them.

A process has no mount namespace here, so its working folder stands for the root of its container:
the mount path ``/etc/config`` is ``etc/config`` below it, and the variable ``KUBEWRIGHT_ROOT``
names it. Commands mostly use absolute paths, so a mount path in a command, an argument or a
variable, alone or at the beginning of a longer path, is replaced by the real path. Paths that are
compiled into a program, or that it composes while it runs, are not.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from kubewright.embedded.node.process.supervisor import remove_tree
from kubewright.embedded.node.volumes.material import File, Files
from kubewright.kinds.core.v1 import Container, VolumeMount

__all__ = ["PodFolder", "rewritten"]

TERMINATION_LOG: str = "/dev/termination-log"


def rewritten(text: str, places: Mapping[str, Path]) -> str:
    """Return *text* with mount paths replaced by their real paths.

    Example:
        >>> rewritten("cat /data/x /database", {"/data": Path("/pod/data")})
        'cat /pod/data/x /database'
    """
    if not places:
        return text
    # The longest first: /data/sub is another place than /data.
    paths = "|".join(re.escape(path) for path in sorted(places, key=len, reverse=True))
    pattern = rf"(?<![\w./-])({paths})(?![\w.-])"
    return re.sub(pattern, lambda found: str(places[found[1]]), text)


class PodFolder:
    """The folder of one pod.

    Args:
        path: Where it is.
        shared: Where the folders are that outlive pods.
    """

    def __init__(self, path: Path, shared: Path) -> None:
        self.path: Path = path
        self._shared = shared
        self._contents: dict[str, Files] = {}

    def volume(self, name: str) -> Path:
        """Return the folder of a volume."""
        return self.path / "volumes" / name

    def root(self, container: str) -> Path:
        """Return the folder that stands for the root of a container."""
        return self.path / "containers" / container / "root"

    def log(self, container: str, attempt: int) -> Path:
        """Return the file of the log of one run of a container."""
        return self.path / "containers" / container / f"{attempt}.log"

    def termination_log(self, container: Container) -> Path:
        """Return the file of the termination message of a container."""
        path = container.termination_message_path or TERMINATION_LOG
        return self.root(container.name) / path.lstrip("/")

    def write(self, volumes: Mapping[str, Files]) -> None:
        """Create the volumes, or bring their files up to date.

        Raises:
            OSError: The target of a link is missing.
        """
        for name, files in volumes.items():
            place = self.volume(name)
            place.parent.mkdir(parents=True, exist_ok=True)
            if files.content is not None:
                # Not compared with what is there: the pod may have put anything in its place.
                if self._contents.get(name) != files or not (place / "..data").is_symlink():
                    write_content(place, files)
                self._contents[name] = files
            elif not place.is_symlink() and not place.exists():
                self._make(place, files)

    def _make(self, place: Path, files: Files) -> None:
        if files.link:
            target = Path(files.link)
            if files.create:
                target.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                raise FileNotFoundError(f"the path {files.link} does not exist on this machine")
            place.symlink_to(target)
        elif files.kept:
            target = self._shared / files.kept
            target.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
        else:
            place.mkdir()

    def make_root(self, container: Container) -> dict[str, Path]:
        """Create the root of a container anew; return the real path of each mount path."""
        root = self.root(container.name)
        remove_tree(root)
        root.mkdir(parents=True)
        places: dict[str, Path] = {}
        for mount in sorted(container.volume_mounts, key=lambda one: len(one.mount_path)):
            path = "/" + mount.mount_path.strip("/")
            places[path] = self._mount(root, mount)
        log = self.termination_log(container)
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
        places[container.termination_message_path or TERMINATION_LOG] = log
        return places

    def _mount(self, root: Path, mount: VolumeMount) -> Path:
        place = root / mount.mount_path.strip("/")
        source = self.volume(mount.name)
        inner = (mount.sub_path or "").strip("/")
        if ".." in Path(inner).parts:
            raise OSError(f"the subPath {inner!r} leads out of its volume")
        files = self._contents.get(mount.name) if inner else None
        source = source / inner
        if inner and files is None:
            source.mkdir(parents=True, exist_ok=True)
        if not self._owns(place.parent) or _is_used(place):
            return source  # commands that name the mount path still find it
        place.parent.mkdir(parents=True, exist_ok=True)
        _clear(place)
        if files is not None:
            # As in Kubernetes, what is mounted by subPath does not follow its source.
            _copy(files, inner, place)
        else:
            place.symlink_to(source)
        return place

    def _owns(self, place: Path) -> bool:
        """Return whether we may create files there; not where a host path is mounted."""
        real = place.resolve()
        return any(real.is_relative_to(one.resolve()) for one in (self.path, self._shared))

    def remove(self) -> None:
        """Remove everything except for the targets of links."""
        remove_tree(self.path)


def _is_used(place: Path) -> bool:
    return place.is_dir() and not place.is_symlink() and any(place.iterdir())


def _clear(place: Path) -> None:
    """Remove what an earlier start has left: a mount in a volume outlives its root."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.exists():
        place.rmdir()


def _copy(files: Files, inner: str, place: Path) -> None:
    """Write the file of a volume, or the folder of files, that is called *inner* to *place*."""
    for path, file in (files.content or {}).items():
        if path == inner:
            _write(place, file)
        elif path.startswith(f"{inner}/"):
            _write(place / path.removeprefix(f"{inner}/"), file)


def _write(target: Path, file: File) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(file.data)
    target.chmod(file.mode)


def write_content(place: Path, files: Files) -> None:
    """Write the files of a volume so that readers see all old ones or all new ones.

    As the kubelet does it: each file is a link through ``..data``, itself a link to a folder, and
    that one link is replaced in one step.
    """
    content = files.content or {}
    place.mkdir(parents=True, exist_ok=True)
    data = place / "..data"
    before = place / data.readlink().name if data.is_symlink() else None
    # A name that nobody can guess: the pod could have put pipes there, which would block us.
    folder = Path(tempfile.mkdtemp(prefix="..v", dir=place))
    folder.chmod(0o755)
    for path, file in content.items():
        _write(folder / path, file)
    new = place / f"{folder.name}-new"
    new.symlink_to(folder.name)
    new.replace(data)
    names = {path.split("/", 1)[0] for path in content}
    for name in names:
        # Not replaced: something else may be mounted there, or the pod may have put it there.
        if not os.path.lexists(place / name):
            (place / name).symlink_to(f"..data/{name}")
    for link in place.iterdir():
        # Whatever else is there is mounted in this volume.
        if link.name not in names and link.is_symlink() and _is_content(link):
            link.unlink()
    if before is not None and before.name.startswith("..v"):
        remove_tree(before)


def _is_content(link: Path) -> bool:
    return link.readlink().parts[0] == "..data"
