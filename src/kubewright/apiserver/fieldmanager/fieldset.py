"""Sets of fields, in the form that ``managedFields`` uses.

A set is a tree of steps (`element`): ``{"f:spec": {"f:replicas": {}}}`` holds ``.spec.replicas``.
An empty node is a field in the set. A node with ``"."`` is in the set together with the fields
below it; any other node is not in the set itself. The root stands for the object, which has no
owner.

No function here changes its arguments, and results share parts with them. Treat sets as immutable.
"""

from collections.abc import Iterator
from typing import Any

from kubewright.apiserver.fieldmanager import element

FieldSet = dict[str, Any]

LEAF: FieldSet = {}
"""A field in the set with nothing below it. It is shared: never change it."""


class FieldSetError(ValueError):
    """The field set is malformed."""


def of(*paths: tuple[str, ...]) -> FieldSet:
    """Return the set of the given paths of field names."""
    found: FieldSet = {}
    for path in paths:
        node: FieldSet = LEAF
        for name in reversed(path):
            node = {f"f:{name}": node}
        found = union(found, node)
    return found


def read(fields: Any) -> FieldSet:
    """Return a set that a client sent, in canonical form.

    Raises:
        FieldSetError: It is malformed.
    """
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise FieldSetError("a set of fields must be an object")
    found: FieldSet = {}
    for step, below in fields.items():
        if step == ".":
            found["."] = LEAF
            continue
        try:
            written = element.canonical(step)
        except element.StepError as error:
            raise FieldSetError(str(error)) from error
        if written is None:
            continue  # a kind of step that a later version may define
        node = read(below)
        found[written] = LEAF if len(node) == 1 and "." in node else node
    return _sorted(found)


def _sorted(node: FieldSet) -> FieldSet:
    """Return *node* in Kubernetes' order; nodes below it stay as they are."""
    names = list(node)
    # Fields and "." sort as plain text; only list elements have an order of their own.
    by = None if all(name[0] in "f." for name in names) else element.order
    ordered = sorted(names, key=by)
    return node if ordered == names else {name: node[name] for name in ordered}


def sorted_items(node: FieldSet) -> FieldSet:
    """Return the elements of a list in Kubernetes' order."""
    return _sorted(node)


def is_member(node: FieldSet | None) -> bool:
    """Return whether the field of *node* is in the set itself."""
    return node is not None and (not node or "." in node)


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the fields that are in either set."""
    if not left or left is right:
        return right
    out = left
    grown = False
    for step, theirs in right.items():
        mine = left.get(step)
        if mine is None:
            joined, grown = theirs, True
        elif (joined := _joined(mine, theirs)) is mine:
            continue
        if out is left:
            out = dict(left)
        out[step] = joined
    return _sorted(out) if grown else out


def union_all(sets: list[FieldSet]) -> FieldSet:
    """Return the fields that are in any set; joins pairs, so that each is copied rarely."""
    while len(sets) > 1:
        rest = sets[len(sets) & ~1 :]
        sets = [union(*pair) for pair in zip(sets[::2], sets[1::2], strict=False)] + rest
    return sets[0] if sets else {}


def _joined(mine: FieldSet, theirs: FieldSet) -> FieldSet:
    if mine and theirs:
        return union(mine, theirs)
    if not mine:
        return theirs if not theirs or "." in theirs else {".": LEAF, **theirs}
    return mine if "." in mine else {".": LEAF, **mine}


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the fields in *left* and not in *right*; fields below a removed one stay."""
    out = left
    for step, theirs in right.items():
        mine = left.get(step)
        if mine is None or step == ".":
            continue
        rest = _without(mine, theirs)
        if rest is mine:
            continue
        if out is left:
            out = dict(left)
        if rest is None:
            del out[step]
        else:
            out[step] = rest
    return out


def _without(mine: FieldSet, theirs: FieldSet) -> FieldSet | None:
    taken = not theirs or "." in theirs
    if not mine:
        return None if taken else mine
    rest = difference(mine, theirs)
    if taken and "." in rest:
        rest = {step: node for step, node in rest.items() if step != "."}
    if not rest:
        return None
    return LEAF if len(rest) == 1 and "." in rest else rest


def recursive_difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return *left* without the fields in *right* and everything below them."""
    out = left
    for step, theirs in right.items():
        mine = left.get(step)
        if mine is None or step == ".":
            continue
        rest: FieldSet | None = None
        if not is_member(theirs):
            rest = recursive_difference(mine, theirs) if mine else mine
            if rest is mine:
                continue
            if len(rest) == 1 and "." in rest:
                rest = LEAF
            elif not rest:
                rest = None
        if out is left:
            out = dict(left)
        if rest is None:
            del out[step]
        else:
            out[step] = rest
    return out


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Return the fields that are in both sets."""
    out: FieldSet = {}
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    for step in few:
        if step == "." or step not in many:
            continue
        mine, theirs = left[step], right[step]
        below = intersection(mine, theirs) if mine and theirs else {}
        if is_member(mine) and is_member(theirs):
            out[step] = {".": LEAF, **below} if below else LEAF
        elif below:
            out[step] = below
    return _sorted(out)


def leaves(fields: FieldSet) -> FieldSet:
    """Return the fields without other fields below them."""
    return {step: leaves(node) for step, node in fields.items() if step != "."}


def paths(fields: FieldSet, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield each field as a tuple of steps: all of one level, then those below."""
    for step, node in fields.items():
        if step != "." and (not node or "." in node):
            yield (*prefix, step)
    for step, node in fields.items():
        if node:
            yield from paths(node, (*prefix, step))


def has(fields: FieldSet, path: tuple[str, ...]) -> bool:
    """Return whether the field at *path* is in the set."""
    node: FieldSet | None = fields
    for step in path:
        node = node.get(step) if node else None
    return bool(path) and is_member(node)


def text(path: tuple[str, ...]) -> str:
    """Return a path as messages show it: ``.spec.containers[name="web"].image``."""
    return "".join(element.text(step) for step in path)
