"""`FieldSpec`: a field of some kinds, and what is done with it wherever it is."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.node import Mapping, Node, is_missing, sort_of
from kubewright.scaffold.kustomize.problem import ProblemError, within
from kubewright.scaffold.kustomize.scalar import Scalar

__all__ = ["Change", "FieldSpec", "change_fields", "merged_specs", "split_path"]

Change = Callable[[Node], Node]
"""Takes what is in a field, and returns what shall be there."""
Make = Literal["scalar", "mapping"]


class FieldSpec(NamedTuple):
    """A field, such as ``spec/template/metadata/labels`` of a Deployment.

    Attributes:
        path: Its path; lists on the way are passed through, all of their elements.
        gvk: The kinds that have it; an empty part means all.
        create: Whether it is made where it is missing.
    """

    path: str
    gvk: GroupVersionKind = GroupVersionKind()
    create: bool = False

    def change(
        self, node: Mapping, gvk: GroupVersionKind, *, change: Change, make: Make | None = None
    ) -> None:
        """Change the field in *node*, if that is of the right kind.

        Args:
            node: The object.
            gvk: Its kind.
            change: Returns the new contents.
            make: What is put where nothing is, before it is changed; needs *create*, too.

        Raises:
            ProblemError: Something on the path is neither a mapping nor a list.
        """
        if gvk.is_selected_by(self.gvk):
            walk = _Walk(change, make if self.create else None)
            with within(self.path):
                walk.changed(node, split_path(self.path, "/"))


def change_fields(
    specs: Iterable[FieldSpec],
    node: Mapping,
    gvk: GroupVersionKind,
    *,
    change: Change,
    make: Make | None = None,
) -> None:
    """Change all fields of *specs* that *node* has, or shall have."""
    for spec in specs:
        spec.change(node, gvk, change=change, make=make)


def merged_specs(specs: Sequence[FieldSpec], more: Iterable[FieldSpec]) -> list[FieldSpec]:
    """Return *specs* with those of *more* that are new.

    Raises:
        ProblemError: Two say of one field that it is, and is not, created.
    """
    merged = list(specs)
    for one in more:
        same = (old for old in merged if old.path == one.path and old.gvk.is_selected_by(one.gvk))
        if (known := next(same, None)) is None:
            merged.append(one)
        elif known.create != one.create:
            raise ProblemError(
                f"{one.path} of {str(one.gvk) or 'all kinds'} is given twice, with create: true and"
                " create: false"
            )
    return merged


def split_path(path: str, delimiter: str) -> list[str]:
    r"""Return the parts of *path*; a backslash before a delimiter keeps it: ``a.io\/b``."""
    parts = path.split(delimiter)
    if len(parts) > 1 and not parts[0]:
        del parts[0]
    found = parts[:1]
    for part in parts[1:]:
        if found[-1].endswith("\\"):
            found[-1] = found[-1][:-1] + delimiter + part
        else:
            found.append(part)
    return found


class _Walk:
    """Goes down to a field."""

    def __init__(self, change: Change, make: Make | None) -> None:
        self._change = change
        self._make = make

    def changed(self, node: Node, path: list[str]) -> Node:
        """Return *node* with the field changed; mappings and lists are changed in place."""
        if not path:
            return _replaced(node, self._change(node))
        if is_missing(node):
            return node
        match node:
            case list():
                node[:] = [self.changed(element, path) for element in node]
            case dict():
                self._change_in(node, path)
            case _:
                raise ProblemError(f"{path[0]} is looked for in {sort_of(node)}")
        return node

    def _change_in(self, node: Mapping, path: list[str]) -> None:
        name, is_list = path[0].removesuffix("[]"), path[0].endswith("[]")
        rest = path[1:]
        made = self._made(rest) if self._make is not None and not is_list else None
        if (there := node.get(name)) is None:
            if made is None:
                return
            there = made
        elif is_missing(there):
            there = made if made is not None else [] if is_list else there
        node[name] = self.changed(there, rest)

    def _made(self, rest: list[str]) -> Node:
        return Scalar("") if not rest and self._make == "scalar" else {}


def _replaced(node: Node, new: Node) -> Node:
    """Return *new*, or *node* if both are scalars: it is changed wherever else it stands."""
    if isinstance(node, Scalar) and isinstance(new, Scalar):
        node.become(new)
        return node
    return new
