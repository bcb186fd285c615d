"""What helm has rendered, taken apart: objects, hooks and notes."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
import yaml

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.unstructured import Unstructured
from kubewright.application.documents import documents, line_of, without_nulls
from kubewright.errors import TerminalError

__all__ = [
    "Hook",
    "RenderError",
    "Rendering",
    "beside_others",
    "check_unique",
    "hook_objects_in",
    "hook_of",
    "objects_in",
    "read_objects",
    "readable_objects_in",
    "sources_in",
]

HOOK: str = "helm.sh/hook"
WEIGHT: str = "helm.sh/hook-weight"
DELETE_POLICY: str = "helm.sh/hook-delete-policy"
_SOURCE = "# Source: "
_LONG = 200_000
T = TypeVar("T")


class RenderError(TerminalError):
    """A chart cannot be rendered with these values; only a change of either can help."""


class Hook(msgspec.Struct):
    """An object that is made at a moment in the life of a release, as Helm stores it.

    Attributes:
        name: The name of the object.
        kind: Its kind.
        path: The template that it comes from.
        manifest: Its YAML.
        events: When it is made.
        weight: Hooks of a smaller weight come first.
        delete_policies: When it is deleted.
    """

    name: str
    kind: str
    path: str
    manifest: str
    events: list[str]
    weight: int = 0
    delete_policies: list[str] = []

    @property
    def is_test(self) -> bool:
        """Whether only ``helm test`` makes it."""
        return all(event.startswith("test") for event in self.events)


class Rendering(msgspec.Struct):
    """What a chart makes of some values.

    Attributes:
        manifest: The YAML of all objects, in the order in which they are installed.
        hooks: The objects that are made apart from them.
        notes: What the chart tells the user.
        definitions: The CRDs in the folders ``crds`` of the chart and of those that it depends on
            with these values; ``None`` if the renderer does not know, and all of them count.
    """

    manifest: str
    hooks: list[Hook] = []
    notes: str = ""
    definitions: list[dict[str, Any]] | None = None


def sources_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the template and the YAML of each document that ``helm template`` has printed.

    Each ends in one line break, as Helm reads it: a text at its end, in a ``|`` block, keeps its
    own.
    """
    for part in f"\n{text}".split("\n---\n"):
        body = part.strip("\n")
        if not body:
            continue
        first, _, rest = body.partition("\n")
        if first.startswith(_SOURCE):
            yield first.removeprefix(_SOURCE).strip(), f"{rest}\n"
        else:
            yield "", f"{body}\n"


def objects_in(manifest: str) -> list[dict[str, Any]]:
    """Return the objects in *manifest*; a List is taken apart.

    What helm has stored may not be what a server accepts; `readable_objects_in` leaves it out.

    Raises:
        RenderError: A document is not an object.
    """
    return [obj for _, obj in _sourced(manifest)]


async def read_objects(manifest: str) -> list[dict[str, Any]]:
    """Return the objects in *manifest*, as `objects_in` does, and let others work meanwhile."""
    return await beside_others(objects_in, manifest)


async def beside_others(work: Callable[..., T], manifest: str, *more: Any) -> T:
    """Return what *work* makes of *manifest*: in a thread if it is long.

    The CRDs of some charts have five megabytes, which take seconds to be read. Nobody would renew
    the lease of the leader, or answer a probe.
    """
    if len(manifest) < _LONG:
        return work(manifest, *more)
    return await asyncio.to_thread(work, manifest, *more)


def hook_objects_in(manifest: str) -> list[dict[str, Any]]:
    """Return the objects in the *manifest* of a hook, which may have a ``generateName``.

    Raises:
        RenderError: A document is not an object.
    """
    return [obj for _, obj in _sourced(manifest, named=False)]


def check_unique(manifest: str, namespace: str) -> None:
    """Refuse *manifest* if an object is in it twice: each would undo the other, for ever.

    Args:
        manifest: What was rendered.
        namespace: That of the release.

    Raises:
        RenderError: One is there twice, or a document is not an object.
    """
    seen: dict[tuple[str, str, ObjectKey], str] = {}
    for source, obj in _sourced(manifest):
        place = source or "the manifest"
        try:
            gvk, key = identity(obj, namespace)
        except ValueError as error:
            raise RenderError(f"{place}: {error}") from error
        name = (gvk.group, gvk.kind, key)
        if name in seen:
            raise RenderError(
                f"{place}: it renders {gvk.kind} {str(key)!r}, which {seen[name]} renders, too."
                " Give one of them another name, or leave it out."
            )
        seen[name] = place


def readable_objects_in(manifest: str) -> list[dict[str, Any]]:
    """Return the objects in *manifest* without those that no server can have accepted."""
    found: list[dict[str, Any]] = []
    for source, text in sources_in(manifest):
        with suppress(RenderError):
            found += objects_in(f"{_SOURCE}{source}\n{text}")
    return found


def hook_of(obj: dict[str, Any], source: str, text: str) -> Hook | None:
    """Return the hook that *obj* is; ``None`` if it is an ordinary object."""
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(annotations, dict):
        return None  # told when the objects are read
    if HOOK not in annotations:
        return None
    try:
        weight = int(str(annotations.get(WEIGHT) or 0))
    except ValueError:
        weight = 0  # as Helm reads it
    return Hook(
        str(metadata.get("name") or ""),
        str(obj.get("kind") or ""),
        source,
        text,
        _words(annotations[HOOK]),
        weight,
        _words(annotations.get(DELETE_POLICY)),
    )


def identity(obj: dict[str, Any], namespace: str) -> tuple[GroupVersionKind, ObjectKey]:
    """Return the kind and the key of *obj*; its namespace is *namespace* if it names none."""
    metadata = obj["metadata"]
    gvk = GroupVersionKind.of(str(obj["apiVersion"]), str(obj["kind"]))
    name = str(metadata.get("name") or "")
    return gvk, ObjectKey(str(metadata.get("namespace") or namespace), name)


def _sourced(manifest: str, *, named: bool = True) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object, with the template that it comes from."""
    for source, text in sources_in(manifest):
        try:
            for document in documents(text):
                for one in _objects(document, source, named=named):
                    yield source, one
        except yaml.YAMLError as error:
            raise RenderError(
                f"{source or 'the manifest'}: what it renders is not YAML, in line"
                f" {line_of(error)}: {getattr(error, 'problem', error)}"
            ) from error


def _objects(found: Any, source: str, *, named: bool) -> Iterable[dict[str, Any]]:
    if not isinstance(found, dict):
        raise RenderError(f"{source}: it renders {found!r:.60}, which is not a Kubernetes object")
    if isinstance(found.get("items"), list) and str(found.get("kind", "")).endswith("List"):
        for one in found["items"]:
            yield from _objects(one, source, named=named)
        return
    metadata = found.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise RenderError(f"{source}: it renders an object whose metadata is {metadata!r:.60}")
    _check_parts(found, metadata, source, named=named)
    body = without_nulls(found)
    try:
        GroupVersionKind.of(body["apiVersion"], body["kind"])
        Unstructured(metadata={**body["metadata"]}).metadata  # noqa: B018  # raises if it is wrong
    except ValueError as error:  # also a DecodeError
        name = f"{found['kind']} {metadata.get('name') or metadata['generateName']}"
        text = str(error).replace("a LiveMeta at ", "metadata.")
        raise RenderError(f"{source}: it renders a wrong {name}: {text}") from error
    yield body


def _check_parts(
    found: dict[str, Any], metadata: dict[str, Any], source: str, *, named: bool
) -> None:
    """Refuse an object without what it is known by."""
    name = "name"
    if metadata.get("generateName") and not metadata.get("name"):
        if named:
            raise RenderError(
                f"{source}: it renders an object with a generateName, of which each upgrade would"
                " make one more. Only hooks may have that: give it a name."
            )
        name = "generateName"
    parts = {
        "apiVersion": found.get("apiVersion"),
        "kind": found.get("kind"),
        f"metadata.{name}": metadata.get(name),
    }
    for part, there in parts.items():
        if not there:
            raise RenderError(f"{source}: it renders an object without {part}")
        if not isinstance(there, str):
            raise RenderError(f"{source}: it renders an object whose {part} is no text: {there!r}")


def _words(text: object) -> list[str]:
    return [word.strip().lower() for word in str(text or "").split(",") if word.strip()]
