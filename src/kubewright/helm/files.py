"""The files of a chart, read from a folder or an archive, as Helm reads them."""

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from kubewright.errors import ConfigError

__all__ = ["chart_files", "check_paths", "files_below"]

LARGEST: int = 5 * 1024 * 1024
MOST: int = 100 * 1024 * 1024
"""Bytes of a file, and of all that are in a chart; Helm refuses more, too."""
_ARCHIVE = re.compile(r"^((?:charts/[^/]+/)*charts/)([^/_.][^/]*)\.tgz$")
_HIDDEN = "templates/.?*"
"""What editors leave behind is no template; Helm leaves it out, whatever ``.helmignore`` says."""
_BROKEN = (tarfile.TarError, EOFError, OSError, ValueError, zlib.error)


def chart_files(place: Path) -> dict[str, bytes]:
    """Return the files of the chart in the folder or archive *place*, by path.

    Archives of charts that it depends on are unpacked, so that what is in them is seen.

    Raises:
        ConfigError: They cannot be read, or are too large.
    """
    try:
        files = _within(place, _in_folder(place) if place.is_dir() else _in_archive(place))
    except _BROKEN as error:
        is_archive = "" if place.is_dir() else ". Is it a .tgz?"
        raise ConfigError(f"cannot read the chart {place}: {error}{is_archive}") from error
    return _unpacked(place, files)


def check_paths(place: str, paths: list[str]) -> None:
    """Refuse *paths* that no folder can have.

    Raises:
        ConfigError: One points out of the folder, or is a file and a folder.
    """
    known = set(paths)
    for path in paths:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or "\0" in path:
            raise ConfigError(f"the chart {place} has a file {path!r}, which is outside of it")
        for above in pure.parents:
            if str(above) in known:
                raise ConfigError(f"the chart {place} has {str(above)!r} as a file and as a folder")


def _within(
    place: object, found: Iterator[tuple[str, bytes]], left: int = MOST
) -> dict[str, bytes]:
    """Return what is *found*, unless it is more than *left* bytes."""
    files: dict[str, bytes] = {}
    for path, data in found:
        left -= len(data)
        if len(data) > LARGEST or left < 0:
            limit, what = (MOST, "files") if left < 0 else (LARGEST, path)
            raise ConfigError(
                f"the chart {place} is too large: {what} of more than {limit // 1024 // 1024} MB."
                " Name what does not belong to it in its .helmignore."
            )
        files[path] = data
    return files


def _unpacked(place: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    found = dict(files)
    while archives := [path for path in found if _ARCHIVE.match(path)]:
        for path in archives:
            left = MOST - sum(map(len, found.values()))
            inner = _opened(place, path, found.pop(path), left)
            folder = _folder_for(path, found)
            found |= {f"{folder}/{name}": data for name, data in inner.items()}
    return found


def _opened(place: Path, path: str, data: bytes, left: int) -> dict[str, bytes]:
    try:
        return _within(f"{place}/{path}", _in_tar(data), left)
    except _BROKEN as error:
        raise ConfigError(
            f"cannot read the chart {path} in {place}: {error}. `helm dependency build` fetches it"
            " again."
        ) from error


def _folder_for(archive: str, files: dict[str, bytes]) -> str:
    """Return a folder for what is in *archive*; the name of a chart stands in its Chart.yaml."""
    match = _ARCHIVE.match(archive)
    folder = archive if match is None else f"{match[1]}{match[2]}"
    while any(path.startswith(f"{folder}/") for path in files):
        folder += "-"
    return folder


def _in_folder(root: Path) -> Iterator[tuple[str, bytes]]:
    ignored = [*_ignored(root / ".helmignore"), _HIDDEN]
    for inside, path in files_below(root):
        if not any(_matches(inside, pattern) for pattern in ignored):
            with path.open("rb") as file:
                yield inside, file.read(LARGEST + 1)


def files_below(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield each file below the folder *root*, with its path from there."""
    return _below(root, "", (root.resolve(),))


def _below(folder: Path, inside: str, above: tuple[Path, ...]) -> Iterator[tuple[str, Path]]:
    """Yield the files below *folder*; links are followed, but not in circles.

    Charts of one repository often share a subchart by a link.
    """
    for path in sorted(folder.iterdir()):
        if path.is_file():
            yield f"{inside}{path.name}", path
        elif path.is_dir() and (real := path.resolve()) not in above:
            yield from _below(path, f"{inside}{path.name}/", (*above, real))


def _ignored(file: Path) -> list[str]:
    lines = file.read_text("utf-8", "replace").splitlines() if file.is_file() else []
    return [line.strip() for line in lines if line.strip() and not line.startswith(("#", "!"))]


def _matches(path: str, pattern: str) -> bool:
    """Say whether a line of ``.helmignore`` leaves out *path*, or a folder that it is in."""
    wanted = pattern.strip("/")
    parts = PurePosixPath(path).parts
    folders = parts[:-1] if pattern.endswith("/") else parts
    if "/" in wanted or pattern.startswith("/"):
        prefixes = ("/".join(parts[:end]) for end in range(1, len(folders) + 1))
        return any(fnmatch(one, wanted) for one in prefixes)
    return any(fnmatch(part, wanted) for part in folders)


def _in_archive(place: Path) -> Iterator[tuple[str, bytes]]:
    with place.open("rb") as file:
        yield from _in_tar(file.read(MOST + 1))


def _in_tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    # Members are read as they come: a list of all of them would unpack a bomb first. tarfile's own
    # way of doing this fails at the comments that helm writes into the header.
    with (
        gzip.GzipFile(fileobj=io.BytesIO(data)) as plain,
        tarfile.open(fileobj=plain, mode="r|") as archive,
    ):
        for member in archive:
            parts = PurePosixPath(member.name).parts
            found = archive.extractfile(member) if member.isfile() else None
            # The first folder is that of the chart; what points out of it is not ours to read.
            if found is not None and len(parts) > 1 and ".." not in parts and parts[0] != "/":
                yield "/".join(parts[1:]), found.read(LARGEST + 1)
