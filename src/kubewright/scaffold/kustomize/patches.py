"""Patches: strategic merge patches, and JSON patches (RFC 6902)."""

from collections.abc import Callable
from typing import Any

import msgspec

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.patch import json_patch
from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Patch
from kubewright.scaffold.kustomize.merge import merged
from kubewright.scaffold.kustomize.node import is_empty, node_of, plain
from kubewright.scaffold.kustomize.problem import ProblemError, within
from kubewright.scaffold.kustomize.resource import Resource, resources
from kubewright.scaffold.kustomize.scalar import text
from kubewright.scaffold.kustomize.selection import selected
from kubewright.scaffold.kustomize.syntax import values

__all__ = ["patch", "patch_json", "patch_strategic"]

Read = Callable[[str], str]
Operations = list[dict[str, Any]]


def patch(targets: Collection, wanted: Patch, *, read: Read) -> None:
    """Apply a patch of either sort.

    Raises:
        ProblemError: It is malformed, meets no object, or does not fit.
    """
    content = _content(wanted, read)
    with within(wanted.path):
        operations = _find_operations(content)
        patches = resources(content, place="") if operations is None else []
    if operations is not None:
        if wanted.target is None:
            raise ProblemError("a JSON patch needs a target, such as `target: {kind: Deployment}`")
        for resource in selected(targets, wanted.target):
            resource.remember()
            _apply_operations(resource, operations, has_annotations=True)
        return
    if not patches:
        raise ProblemError("the patch is empty")
    _apply_strategic(targets, patches, wanted)


def _content(wanted: Patch, read: Read) -> str:
    if wanted.patch.strip() and wanted.path:
        raise ProblemError("there are a patch and a path; keep one of them")
    content = read(wanted.path) if wanted.path else wanted.patch.strip()
    if not content.strip():
        raise ProblemError("the patch is empty" if wanted.path else "patch or path is missing")
    return content


def _find_operations(content: str) -> Operations | None:
    """Return the operations of a JSON patch, or ``None`` if *content* is another one."""
    try:
        found, _ = values(content)
    except ProblemError:
        return None  # let the reader of the other patches say what is wrong
    if not isinstance(found, list):
        return None
    _check_json(content)
    return _checked(found)


def _check_json(content: str) -> None:
    """Check that what begins as JSON is JSON, down to the last sign: kustomize reads it so."""
    if content[:1] != "[":
        return
    try:
        msgspec.json.decode(content.encode())
    except msgspec.DecodeError as error:
        why = str(error).removeprefix("JSON is malformed: ")
        raise ProblemError(
            f"a JSON patch that begins with [ is read as JSON, and is malformed: {why}. Put names"
            " and texts into double quotes, or write a list with dashes"
        ) from None


def _checked(found: Any) -> Operations:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ProblemError("a JSON patch is a list of operations: op, path and perhaps value")
    if not found:
        raise ProblemError("the JSON patch has no operations")
    return found


def _apply_operations(resource: Resource, operations: Operations, *, has_annotations: bool) -> None:
    """Apply a JSON patch; kustomize has annotations of its own then, so it can add one."""
    if has_annotations:
        resource.set_texts("annotations", resource.annotations)
        resource.metadata.setdefault("annotations", {})
    try:
        changed = json_patch.apply(plain(resource.root), operations)
    except StatusError as error:
        raise ProblemError(f"{resource.identity}: {error.__cause__ or error}") from None
    if not isinstance(changed, dict):
        raise ProblemError(f"{resource.identity}: the patch leaves no object")
    resource.node = node_of(changed)


def _apply_strategic(targets: Collection, patches: list[Resource], wanted: Patch) -> None:
    renames = wanted.options.get("allowNameChange", False)
    changes_kind = wanted.options.get("allowKindChange", False)
    if wanted.target is None:
        for one in patches:
            if renames or changes_kind:
                # kustomize notes it in the annotations of the patch: even null becomes a text.
                one.set_texts("annotations", one.annotations)
            target = targets.get(one.original_identity)
            _merge(target, one, renames=renames, changes_kind=changes_kind)
        return
    if len(patches) > 1:
        raise ProblemError("with a target, there can be one patch only; make several entries")
    for target in selected(targets, wanted.target):
        own = _for_target(patches[0], target)
        _merge(target, own, renames=renames, changes_kind=changes_kind)
    targets.drop_deleted()
    targets.check()


def _for_target(one: Resource, target: Resource) -> Resource:
    """Return the patch for one of several objects.

    Its labels and annotations become texts, as kustomize makes them: even null does.
    """
    own = one.copy()
    own.set_texts("labels", own.labels)
    own.set_texts("annotations", own.annotations)
    own.root["apiVersion"] = text(target.gvk.api_version)
    return own


def _merge(target: Resource, one: Resource, *, renames: bool, changes_kind: bool) -> None:
    kind, name, namespace = target.kind, target.name, target.namespace
    if renames or changes_kind:
        target.remember()
    with within(str(target.identity)):
        target.node = merged(target.root, one.root)
    if is_empty(target.node):
        return
    if not changes_kind:
        target.root["kind"] = text(kind)
    if not renames:
        target.rename(name)
    target.move(namespace)


def patch_strategic(targets: Collection, content: str, *, read: Read) -> None:
    """Apply an entry of ``patchesStrategicMerge``: patches, or the file that has them.

    Raises:
        ProblemError: It is malformed, meets no object, or does not fit.
    """
    try:
        patches = resources(content, place="")
    except ProblemError:
        if "\n" in content.strip():
            raise
        with within(content):
            patches = resources(read(content), place="")
    for one in patches:
        target = targets.get(one.original_identity)
        own = _for_target(one, target)
        _merge(target, own, renames=False, changes_kind=False)
    targets.drop_deleted()


def patch_json(targets: Collection, wanted: Patch, *, read: Read) -> None:
    """Apply an entry of ``patchesJson6902``.

    Raises:
        ProblemError: It is malformed, has no target, or does not fit.
    """
    if wanted.target is None or not wanted.target.name:
        raise ProblemError("target.name is missing")
    content = _content(wanted, read)
    _check_json(content if wanted.path else wanted.patch)
    operations = _checked(values(content)[0])
    for resource in selected(targets, wanted.target):
        has_annotations = bool(resource.previous or resource.needs_hash)
        _apply_operations(resource, operations, has_annotations=has_annotations)
