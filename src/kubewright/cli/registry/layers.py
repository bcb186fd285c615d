"""The files in the layers of an image, as texts."""

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterable
from posixpath import normpath

from kubewright.errors import ConfigError

__all__ = ["LIMIT", "unpack"]

LIMIT: int = 64 << 20
"""The largest number of bytes that the layers of a bundle may have, unpacked."""
_GZIP = b"\x1f\x8b"
_GONE = ".wh."
_ALL_GONE = ".wh..wh..opq"


def unpack(
    layers: Iterable[bytes], folders: Iterable[str], *, limit: int = LIMIT
) -> dict[str, str]:
    """Return the texts below *folders*, by their paths, as the last layer leaves them.

    Links are left out, and so are files that are not text.

    Args:
        layers: Archives, plain or by gzip, the lowest first.
        folders: Which folders of the image.
        limit: The largest number of bytes, unpacked.

    Raises:
        ConfigError: A layer is no such archive, or too large.
    """
    wanted = tuple(f"{one.strip('/')}/" for one in folders)
    found: dict[str, str] = {}
    for layer in layers:
        data = _inflated(layer, limit)
        limit -= len(data)
        try:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
                _add(found, archive, wanted)
        except tarfile.TarError as error:
            raise ConfigError(f"a layer of the image is not an archive: {error}") from None
    return found


def _inflated(layer: bytes, limit: int) -> bytes:
    if not layer.startswith(_GZIP):
        data = layer[: limit + 1]
    else:
        try:
            with gzip.open(io.BytesIO(layer)) as stream:
                data = stream.read(limit + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ConfigError(f"a layer of the image cannot be unpacked: {error}") from None
    if len(data) > limit:
        raise ConfigError(
            f"the image has more than {LIMIT >> 20} MB, unpacked: that is not a bundle"
        )
    return data


def _add(found: dict[str, str], archive: tarfile.TarFile, wanted: tuple[str, ...]) -> None:
    for member in archive:
        path = normpath(f"/{member.name}").lstrip("/")
        folder, slash, name = path.rpartition("/")
        if name == _ALL_GONE:
            _forget(found, f"{folder}{slash}")
        elif name.startswith(_GONE):
            gone = f"{folder}{slash}{name.removeprefix(_GONE)}"
            found.pop(gone, None)
            _forget(found, f"{gone}/")
        elif member.isfile() and path.startswith(wanted):
            stream = archive.extractfile(member)
            assert stream is not None  # it is a file
            try:
                found[path] = stream.read().decode()
            except UnicodeDecodeError:
                found.pop(path, None)


def _forget(found: dict[str, str], below: str) -> None:
    for path in [one for one in found if one.startswith(below)]:
        del found[path]
