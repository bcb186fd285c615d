"""Strategic merge patches, as kustomize merges them.

That is not quite what an API server does: elements that a patch adds come first, ``null`` in the
document stays or goes by how it is written, and the keys of ports are two. So the steps here are
those of kustomize's library, in its order, and not those of `kubewright.apiserver.patch`.
"""

from typing import Any, Literal

from kubewright.apiserver.schema.tree import Schema
from kubewright.scaffold.kustomize.elements import ElementMerge
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.node import (
    Mapping,
    Node,
    is_missing,
    put,
    sort_of,
    text_in,
    written,
)
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, is_ambiguous
from kubewright.scaffold.kustomize.schema import elements, field, find_schema, merge_keys

__all__ = ["merged"]

DIRECTIVE: str = "$patch"
_Directive = Literal["merge", "replace", "delete"]


class _KeptNull(Scalar):
    """A null that its document spells out: it stays where others are dropped."""

    __slots__ = ()


def merged(node: Mapping, patch: Mapping) -> Mapping | None:
    """Return *node* with *patch* merged into it; both may change. ``None`` if it is deleted.

    Raises:
        ProblemError: The patch does not fit; the message names the field.
    """
    if _take(dict(patch), ()) == "replace":
        return node  # kustomize makes the new object, and then lets go of it
    found = _merged(node, patch, schema=None, path=())
    return found if isinstance(found, dict) else None


def _merged(
    node: Node | None, patch: Node | None, *, schema: Schema | None, path: tuple[str, ...]
) -> Any:
    schema = schema or _schema_of(node) or _schema_of(patch)
    first = node if not is_missing(node) else patch
    if is_missing(first) or isinstance(first, dict):
        _check(dict, node, patch, path)
        return _merged_mappings(node, patch, schema=schema, path=path)
    if isinstance(first, list):
        _check(list, node, patch, path)
        return _merged_lists(node, patch, schema=schema, path=path)
    _check(Scalar, node, patch, path)
    return node if patch is None else patch


def _schema_of(node: Node | None) -> Schema | None:
    api_version, kind = text_in(node, "apiVersion"), text_in(node, "kind")
    if not api_version or not kind:
        return None
    return find_schema(GroupVersionKind.parse(api_version, kind))


def _check(wanted: type, node: Node | None, patch: Node | None, path: tuple[str, ...]) -> None:
    for one in (node, patch):
        if not is_missing(one) and not isinstance(one, wanted):
            assert one is not None
            there = node if one is patch else patch
            assert there is not None
            raise ProblemError(
                f"{'.'.join(path)} is {sort_of(there)}, and the patch has {sort_of(one)} there"
            )


def _merged_mappings(
    node: Node | None, patch: Node | None, *, schema: Schema | None, path: tuple[str, ...]
) -> Node | None:
    into = _mapping_to_fill(node, patch, path)
    if not isinstance(into, dict):
        return into
    others = patch if isinstance(patch, dict) else {}
    for name in sorted({*into, *others}):
        value = _merged(
            into.get(name), others.get(name), schema=field(schema, name), path=(*path, name)
        )
        _put(into, name, value)
    return into


def _mapping_to_fill(node: Node | None, patch: Node | None, path: tuple[str, ...]) -> Node | None:
    """Return what the fields are merged into, or what the field becomes without it."""
    if is_missing(node):
        if patch is None and written(node):
            return _KeptNull(written(node), "null")
        is_deleted = isinstance(patch, dict) and _take(patch, path) == "delete"
        return None if is_deleted else patch
    if not isinstance(patch, dict):
        return None if patch is not None else node
    return _directed(node, patch, _take(patch, path))


def _directed(node: Node | None, patch: Node, directive: _Directive) -> Node | None:
    """Return what the patch is merged into."""
    if directive == "delete":
        return None
    return patch if directive == "replace" else node


def _take(patch: Mapping, path: tuple[str, ...]) -> _Directive:
    """Remove the directive from *patch*, and return it."""
    return _known(written(patch.pop(DIRECTIVE)), path) if DIRECTIVE in patch else "merge"


def _known(directive: str, path: tuple[str, ...]) -> _Directive:
    match directive:
        case "merge" | "replace" | "delete":
            return directive
    where = ".".join(path) or "the patch"
    raise ProblemError(f"{where}: {DIRECTIVE} is {directive!r}; it can be delete, merge or replace")


def _put(into: Mapping, name: str, value: Node | None) -> None:
    if value is None or (is_missing(value) and not isinstance(value, _KeptNull)):
        into.pop(name, None)
        return
    if isinstance(value, Scalar) and value.is_text and is_ambiguous(value.text):
        value.quoted = True  # kustomize goes over all fields, and makes a text of what has no tag
    before = into.get(name)
    if isinstance(value, Scalar) and isinstance(before, Scalar) and value is not before:
        # What was in quotation marks stays so, and thereby a text.
        value = type(value)(value.text, value.tag, before.quoted, before.tagged)
    put(into, name, value)


def _merged_lists(
    node: Node | None, patch: Node | None, *, schema: Schema | None, path: tuple[str, ...]
) -> Node | None:
    keys = merge_keys(schema)
    if keys is None:
        return node if patch is None else patch
    into = _list_to_fill(node, patch, path)
    if not isinstance(into, list):
        return None

    def merge(old: Node | None, new: Node | None) -> Any:
        return _merged(old, new, schema=elements(schema), path=path)

    others = patch if isinstance(patch, list) else []
    return ElementMerge(keys, merge, ".".join(path)).merged(into, others)


def _list_to_fill(node: Node | None, patch: Node | None, path: tuple[str, ...]) -> Node | None:
    if is_missing(node):
        return patch
    if not isinstance(patch, list):
        return None if patch is not None else node
    return _directed(node, patch, _take_from_list(patch, path))


def _take_from_list(patch: list[Any], path: tuple[str, ...]) -> _Directive:
    """Remove the directive about the whole list from *patch*, and return it."""
    found = next((one for one in patch if isinstance(one, dict) and DIRECTIVE in one), None)
    if found is None or len(found) > 1:
        return "merge"
    directive = _known(word := written(found[DIRECTIVE]), path)
    patch[:] = [
        one
        for one in patch
        if isinstance(one, dict) and one and written(one.get(DIRECTIVE)) != word
    ]
    return directive
