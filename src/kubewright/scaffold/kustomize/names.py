"""Prefixes and suffixes of names, and namespaces: what moves all objects of an overlay."""

from collections.abc import Sequence

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fieldspec import FieldSpec, change_fields
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.node import Node, sort_of, text_in, written
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource
from kubewright.scaffold.kustomize.scalar import STR, Scalar, text

__all__ = ["prefix", "set_namespace", "suffix"]

_KEPT = (
    GroupVersionKind(kind="CustomResourceDefinition"),
    GroupVersionKind(group="apiregistration.k8s.io", kind="APIService"),
    GroupVersionKind(kind="Namespace"),
)
"""Kinds whose names mean something, and are not changed."""
_NAME = "metadata/name"


def prefix(resources: Collection, start: str, specs: Sequence[FieldSpec]) -> None:
    """Put *start* before all names."""
    for resource in _renamable(resources):
        _rename(resource, specs, before=start)


def suffix(resources: Collection, end: str, specs: Sequence[FieldSpec]) -> None:
    """Put *end* behind all names."""
    for resource in _renamable(resources):
        _rename(resource, specs, behind=end)


def _renamable(resources: Collection) -> list[Resource]:
    return [
        one for one in resources if not any(map(one.original_identity.gvk.is_selected_by, _KEPT))
    ]


def _rename(
    resource: Resource, specs: Sequence[FieldSpec], *, before: str = "", behind: str = ""
) -> None:
    def renamed(node: Node) -> Node:
        return _put(node, f"{before}{written(node)}{behind}")

    kind = resource.original_identity.gvk
    for spec in specs:
        if not kind.is_selected_by(spec.gvk):
            continue
        if spec.path == _NAME:
            resource.prefixes += [before] if before else []
            resource.suffixes += [behind] if behind else []
            resource.remember()
        spec.change(resource.root, resource.gvk, change=renamed, make="scalar")


def set_namespace(resources: Collection, namespace: str, specs: Sequence[FieldSpec]) -> None:
    """Put all objects that belong to a namespace into *namespace*.

    Raises:
        ProblemError: Two objects would become one.
    """
    for resource in resources:
        resource.remember()
        _move(resource, namespace, specs)
    resources.check()


def _move(resource: Resource, namespace: str, specs: Sequence[FieldSpec]) -> None:
    def moved(node: Node) -> Node:
        return _put(node, namespace, STR)

    gvk = resource.gvk
    if not resource.identity.is_cluster_scoped:
        where = FieldSpec("metadata/namespace", create=True)
        where.change(resource.root, gvk, change=moved, make="scalar")
    is_binding = gvk.kind in ("RoleBinding", "ClusterRoleBinding")
    if is_binding:
        _move_subjects(resource, namespace)
    rest = [
        spec
        for spec in specs
        if spec.path != "metadata/namespace"
        and (spec.path != _NAME or gvk.api_version == "v1")
        and not (
            is_binding and spec.path == "subjects/namespace" and spec.gvk.kind.endswith("Binding")
        )
    ]
    change_fields(rest, resource.root, gvk, change=moved, make="scalar")


def _move_subjects(resource: Resource, namespace: str) -> None:
    """Move those service accounts called ``default``; references move the others with them."""
    subjects = resource.root.get("subjects")
    for subject in subjects if isinstance(subjects, list) else ():
        if text_in(subject, "name") == "default":
            subject["namespace"] = text(namespace)


def _put(node: Node, value: str, tag: str = "") -> Node:
    if not isinstance(node, Scalar):
        raise ProblemError(f"there is {sort_of(node)}, and should be a text")
    return node.holding(value, tag)
