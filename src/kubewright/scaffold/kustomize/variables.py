"""Variables: ``$(NAME)`` in the fields of objects, replaced by the value of another field."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fieldpath import find_node, parts_of
from kubewright.scaffold.kustomize.fields import Variable
from kubewright.scaffold.kustomize.fieldspec import FieldSpec, change_fields
from kubewright.scaffold.kustomize.identity import Identity
from kubewright.scaffold.kustomize.node import Node, put
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import STR, Scalar

__all__ = ["Variables"]

_NAME = "metadata.name"
_INDEX = re.compile(r"(.*)\[(\d+)\]")
_KEPT = frozenset(("bool", "float", "int"))
_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))")


class Variables:
    """The variables of a kustomization and of those that it is made of."""

    def __init__(self) -> None:
        self._known: dict[str, Variable] = {}

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._known.values())

    def declare(self, variables: Sequence[Variable], resources: Collection) -> None:
        """Add *variables*, and note in *resources* which one each is read from.

        Raises:
            ProblemError: A name is taken, or could be read from several objects.
        """
        for variable in variables:
            found = resources.find(_matcher(variable.identity))
            if len(found) > 1:
                several = ", ".join(str(one.identity) for one in found)
                raise ProblemError(f"{variable.name} could be read from each of these: {several}")
            for resource in found:
                resource.variables.append(variable.name)
            self._add(variable)

    def merge(self, other: "Variables") -> None:
        """Add the variables of *other*.

        Raises:
            ProblemError: A name is taken.
        """
        for variable in other:
            self._add(variable)

    def _add(self, variable: Variable) -> None:
        if variable.name in self._known:
            raise ProblemError(f"the variable {variable.name} is there twice; rename one of them")
        self._known[variable.name] = variable

    def resolve(self, resources: Collection, specs: Sequence[FieldSpec]) -> None:
        """Replace the variables in the fields of *specs*.

        Raises:
            ProblemError: The object or the field that one is read from is missing.
        """
        if not self._known:
            return
        found = {name: _value(self._known[name], resources) for name in sorted(self._known)}
        change = _replacing(found)
        for resource in resources:
            change_fields(specs, resource.root, resource.gvk, change=change)


def _matcher(wanted: Identity) -> Callable[[Identity], bool]:
    if wanted.namespace or wanted.is_cluster_scoped:
        return wanted.equals
    return lambda one: one.gvk == wanted.gvk and one.name == wanted.name


def _value(variable: Variable, resources: Collection) -> Node:
    path = variable.fieldref.field_path or _NAME
    source = next((one for one in resources if variable.name in one.variables), None)
    if source is None:
        raise ProblemError(f"{variable.name} is read from {variable.identity}, which is not there")
    found = find_node(source.root, [part for step in parts_of(path) for part in _split(step)])
    if found is None:
        raise ProblemError(
            f"{variable.name} is read from {path} of {source.identity}, which has none"
        )
    return found


def _split(step: str) -> list[str]:
    """Return ``ports[0]`` as two steps."""
    if (found := _INDEX.fullmatch(step)) is None:
        return [step]
    return [part for part in found.groups() if part]


def _replacing(found: dict[str, Node]) -> Callable[[Node], Node]:
    def replaced(node: Node) -> Any:
        match node:
            case dict():
                for name, value in node.items():
                    put(node, name, _expanded(value, found) if isinstance(value, Scalar) else value)
                return node
            case list():
                for at, one in enumerate(node):
                    put(node, at, _expanded(one, found) if isinstance(one, Scalar) else one)
                return node
        return _expanded(node, found)

    return replaced


def _expanded(node: Scalar, found: dict[str, Node]) -> Scalar:
    """Return *node* with its variables replaced; one that stands alone keeps its type."""
    if not node.is_text or "$" not in node.text:
        return node

    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return "$"
        value = found.get(name)
        return value.text if isinstance(value, Scalar) else match[0]

    alone = _REFERENCE.fullmatch(node.text)
    if alone is not None and isinstance(value := found.get(alone[1] or ""), Scalar):
        return Scalar(value.text, value.tag if value.tag in _KEPT else STR)
    return Scalar(_REFERENCE.sub(value_of, node.text), STR)
