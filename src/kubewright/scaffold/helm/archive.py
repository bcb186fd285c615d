"""Reads a chart out of an archive, which may come from anywhere."""

import io
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from kubewright.errors import ConfigError

__all__ = ["unpacked"]

_MOST = 100 * 1024 * 1024
_MOST_FILES = 10_000


def unpacked(data: bytes, *, place: str) -> dict[str, str]:
    """Return the files of the chart in an archive, by path; its one folder is left out.

    Args:
        data: The archive: a tar file, compressed by gzip.
        place: Its name, for errors.

    Raises:
        ConfigError: It is not such an archive, is too large, or has files outside of its folder.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            found = dict(_files(archive, place))
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise ConfigError(
            f"{place} is not an archive of a chart, which `helm package` makes: {error}"
        ) from None
    folders = {path.partition("/")[0] for path in found if "/" in path}
    tops = [one for one in folders if f"{one}/Chart.yaml" in found]
    if len(tops) != 1:
        raise ConfigError(
            f"{place} has no chart: its files should be in one folder, with a file Chart.yaml"
        )
    prefix = f"{tops[0]}/"
    return {path[len(prefix) :]: text for path, text in found.items() if path.startswith(prefix)}


def _files(archive: tarfile.TarFile, place: str) -> Iterator[tuple[str, str]]:
    left = _MOST
    for number, member in enumerate(archive):
        path = PurePosixPath(member.name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            raise ConfigError(
                f"{place} is refused: it has a file {member.name!r}, which would be written outside"
                " of the chart"
            )
        if member.isdir():
            continue
        if not member.isfile():
            raise ConfigError(
                f"{place} is refused: {member.name!r} in it is a link or a device, and charts have"
                " files only"
            )
        left -= member.size
        if left < 0 or number >= _MOST_FILES:
            raise ConfigError(
                f"{place} is refused: it has more than {_MOST_FILES:,} files or"
                f" {_MOST // 1024 // 1024} MiB"
            )
        stream = archive.extractfile(member)
        assert stream is not None  # it is a file
        yield str(path), stream.read().decode("utf-8", "surrogateescape")
