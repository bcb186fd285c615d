"""Package manifests, the format before bundles: read, and turned into bundles."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubewright.bundle.annotations import Annotations
from kubewright.bundle.document import Document, items, mapping, read_documents, text
from kubewright.bundle.generation import metadata_files
from kubewright.bundle.reading import CSV
from kubewright.errors import ConfigError

__all__ = ["Converted", "convert_package"]

_ENDS = (".yaml", ".yml")


class Converted(NamedTuple):
    """A bundle that was made of a folder of package manifests.

    Attributes:
        version: The version, which was the name of the folder.
        files: Its files, by their paths in ``bundle-VERSION``.
    """

    version: str
    files: dict[str, str]


def convert_package(root: str, files: Mapping[str, str]) -> Iterator[Converted]:
    """Yield a bundle for each version in a folder of package manifests.

    Args:
        root: The folder, for messages.
        files: Its texts, by their paths in it, with slashes.

    Raises:
        ConfigError: It is not such a folder; the message says what is missing.
    """
    package = _package(root, files)
    name = text(package.at("packageName"))
    channels = [mapping(one) for one in items(package.at("channels"))]
    current = {text(one.get("currentCSV")): text(one.get("name")) for one in channels}
    if not name or not all(current) or not all(current.values()) or not current:
        raise ConfigError(
            f"{package.path}: it needs packageName, and channels with a name and a currentCSV each"
        )
    default = text(package.at("defaultChannel")) or (
        text(channels[0]["name"]) if len(channels) == 1 else ""
    )
    versions = sorted({path.partition("/")[0] for path in files if path.count("/") == 1})
    if not versions:
        raise ConfigError(f"{root} has no folders of versions, such as {root}/0.1.0")
    if lost := sorted(set(current) - {_csv(root, one, files).name for one in versions}):
        raise ConfigError(f"{package.path}: no folder has {', '.join(lost)}, which a channel names")
    for version in versions:
        csv = _csv(root, version, files)
        own = [text(one["name"]) for one in channels if one.get("currentCSV") == csv.name]
        if not own and not default:
            raise ConfigError(
                f"{package.path}: it has no defaultChannel, and {csv.name} is the current one of no"
                " channel: which channel is it in?"
            )
        yield Converted(
            version, _files(version, files, Annotations(name, tuple(own) or (default,), default))
        )


def _files(version: str, files: Mapping[str, str], annotations: Annotations) -> dict[str, str]:
    found = {
        f"bundle/manifests/{path.partition('/')[2]}": content
        for path, content in sorted(files.items())
        if path.startswith(f"{version}/") and path.endswith(_ENDS)
    }
    for path, content in metadata_files(annotations, "bundle").items():
        found[path if path == "bundle.Dockerfile" else f"bundle/{path}"] = content
    return found


def _package(root: str, files: Mapping[str, str]) -> Document:
    found = [
        one
        for path, content in sorted(files.items())
        if "/" not in path and path.endswith(_ENDS)
        for one in read_documents(f"{root}/{path}", content)
        if "packageName" in one.content
    ]
    if len(found) != 1:
        there = ", ".join(one.path for one in found) or "none is there"
        raise ConfigError(
            f"{root} should have one file such as shop.package.yaml, with packageName and channels:"
            f" {there}"
        )
    return found[0]


def _csv(root: str, version: str, files: Mapping[str, str]) -> Document:
    documents: list[Any] = [
        one
        for path, content in sorted(files.items())
        if path.startswith(f"{version}/") and path.endswith(_ENDS)
        for one in read_documents(f"{root}/{path}", content)
        if one.kind == CSV
    ]
    if len(documents) != 1:
        raise ConfigError(
            f"{root}/{version} should have one {CSV}, and has {len(documents)}. Move other folders"
            " away"
        )
    found: Document = documents[0]
    return found
