"""Where CRDs come from: files, folders, URLs, git revisions, standard input, a cluster."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kubewright.api.kind import GroupVersionKind
from kubewright.cli.generate.revision import files_at, is_revision
from kubewright.crd.finishing import in_order
from kubewright.crd.reading import name_of, read_definitions
from kubewright.errors import ConfigError

__all__ = ["Found", "Source", "read_source", "read_sources"]

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_LARGEST = 64 << 20
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Source(NamedTuple):
    """A place that was named on the command line.

    Attributes:
        text: What was named: a path, a URL, ``REVISION:PATH``, ``-``, or ``cluster``.
        kubeconfig: Where to find the cluster; by default where kubectl does.
        context: The context in it.
    """

    text: str
    kubeconfig: Path | None = None
    context: str | None = None


class Found(NamedTuple):
    """What was found there.

    Attributes:
        crds: The CRDs by name.
        places: Where each was found.
        others: The kinds of the objects that are no CRDs.
    """

    crds: dict[str, dict[str, Any]]
    places: dict[str, str]
    others: list[str]


def read_source(source: Source, *, may_be_empty: bool = False) -> Found:
    """Return the CRDs in *source*.

    Raises:
        ConfigError: It cannot be read, or holds no CRD and may not be empty.
        SchemaError: A CRD in it is malformed.
    """
    found = Found({}, {}, [])
    files = 0
    for place, text in _texts(source):
        files += 1
        reading = read_definitions(text, place)
        found.others.extend(reading.others)
        for crd in reading.crds:
            _add(found, crd, place)
    if not found.crds and not may_be_empty:
        raise ConfigError(f"there is no CustomResourceDefinition in {_what(source, found, files)}")
    return found


def read_sources(sources: list[Source]) -> Found:
    """Return the CRDs in all *sources* together.

    Raises:
        ConfigError: One cannot be read, holds no CRD, or contradicts another.
        SchemaError: A CRD in it is malformed.
    """
    together = Found({}, {}, [])
    for source in sources:
        found = read_source(source)
        together.others.extend(found.others)
        for name, crd in found.crds.items():
            _add(together, crd, found.places[name])
    return together


def _add(found: Found, crd: dict[str, Any], place: str) -> None:
    name = name_of(crd)
    crd = _tidied(crd)
    if name not in found.crds:
        found.crds[name], found.places[name] = crd, place
    elif in_order(found.crds[name]["spec"]) != in_order(crd["spec"]):
        raise ConfigError(
            f"{name} is there twice, and differs: in {found.places[name]} and in {place}. Name the"
            " file that you mean"
        )


def _tidied(crd: dict[str, Any]) -> dict[str, Any]:
    """Return *crd* without what a cluster adds to it, other than its status."""
    metadata = dict(crd.get("metadata") or {})
    annotations = dict(metadata.get("annotations") or {})
    annotations.pop(_LAST_APPLIED, None)
    for key in ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"):
        metadata.pop(key, None)
    metadata.pop("annotations", None)
    return {**crd, "metadata": metadata | ({"annotations": annotations} if annotations else {})}


def _what(source: Source, found: Found, files: int) -> str:
    place = {"-": "the standard input", "cluster": "the cluster"}.get(source.text, source.text)
    if found.others:
        kinds = ", ".join(sorted(set(found.others))[:5])
        return f"{place}, only other objects ({kinds})"
    if not files:
        return f"{place}: it has no file *.yaml, *.yml or *.json"
    return place if source.text == "cluster" else f"{place}: it is empty"


def _texts(source: Source) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file in *source*."""
    text = source.text
    if not text:
        raise ConfigError("the source of CRDs is empty. Name a file, a folder, a URL, - or cluster")
    if text == "-":
        yield "the standard input", _decoded(sys.stdin.buffer.read(_LARGEST + 1), "standard input")
    elif text == "cluster":
        yield "the cluster", _from_cluster(source)
    elif text.startswith(("http://", "https://")):
        from kubewright.cli.generate.download import download

        yield text, _decoded(download(text, limit=_LARGEST), text)
    elif not Path(text).exists() and is_revision(text):
        yield from ((name, _decoded(data, name)) for name, data in files_at(text, _SUFFIXES))
    else:
        yield from _files(Path(text))


def _files(path: Path) -> Iterator[tuple[str, str]]:
    try:
        if not path.is_dir():
            yield str(path), _decoded(_bytes_of(path), str(path))
            return
        inside = sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES)
    except FileNotFoundError:
        raise ConfigError(f"there is no file or folder {path}") from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    for one in inside:
        hidden = any(part.startswith(".") for part in one.relative_to(path).parts)
        if one.is_file() and not hidden:
            yield from _files(one)


def _bytes_of(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_LARGEST + 1)


def _decoded(data: bytes, place: str) -> str:
    if len(data) > _LARGEST:
        raise ConfigError(f"{place} is larger than {_LARGEST >> 20} MiB. Is it what you mean?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{place} is not a text in UTF-8 (byte {error.start}). Is it what you mean?"
        ) from None


def _from_cluster(source: Source) -> str:
    from kubewright.cli.loop import loop_factory
    from kubewright.client import Config

    config = Config.load(source.kubeconfig, source.context)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        crds = runner.run(_list(config))
    document = {"kind": "CustomResourceDefinitionList", "items": crds}
    return msgspec.json.encode(document).decode()


async def _list(config: Any) -> list[dict[str, Any]]:
    from kubewright.client import Client

    kind = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
    async with Client(config) as client:
        return [dict(one) async for one in client.list(kind)]
