"""Names of objects in other objects: they follow when an object is renamed or moved."""

from collections.abc import Callable, Iterable

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import References
from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import NO_NAMESPACE, GroupVersionKind
from kubewright.scaffold.kustomize.node import Mapping, Node, is_missing, renewed, text_in, written
from kubewright.scaffold.kustomize.problem import ProblemError, within
from kubewright.scaffold.kustomize.resource import Resource
from kubewright.scaffold.kustomize.scalar import Scalar

__all__ = ["fix_references"]

Same = Callable[[Resource], object]


def fix_references(resources: Collection, references: References) -> None:
    """Put the present names where others name an object by an earlier one.

    Raises:
        ProblemError: It cannot be told which of several objects is meant.
    """
    for referrer in resources:
        kind = referrer.original_identity.gvk
        candidates: list[Resource] | None = None
        for target, specs in references.items():
            for spec in specs:
                if kind.is_selected_by(spec.gvk):
                    if candidates is None:
                        candidates = _referable(referrer, resources)
                    _Reference(referrer, spec, target, candidates).fix()


def _referable(referrer: Resource, resources: Iterable[Resource]) -> list[Resource]:
    """Return the objects that *referrer* can name, by their namespaces."""
    own = referrer.identity
    if own.is_cluster_scoped:
        return list(resources)
    elsewhere = _namespaces_of_accounts(referrer)
    return [
        one
        for one in resources
        if one.identity.is_cluster_scoped
        or one.identity.effective_namespace == own.effective_namespace
        or one.namespace in elsewhere
    ]


def _namespaces_of_accounts(referrer: Resource) -> set[str]:
    """Return the namespaces of service accounts that a RoleBinding names."""
    subjects = referrer.root.get("subjects")
    if referrer.kind != "RoleBinding" or not isinstance(subjects, list):
        return set()
    return {
        text_in(one, "namespace")
        for one in subjects
        if text_in(one, "kind") == "ServiceAccount" and text_in(one, "namespace")
    }


class _Reference:
    """A field of one object that may name another."""

    def __init__(
        self,
        referrer: Resource,
        spec: FieldSpec,
        target: GroupVersionKind,
        candidates: list[Resource],
    ) -> None:
        self._referrer = referrer
        self._spec = spec
        self._target = target
        self._candidates = candidates

    def fix(self) -> None:
        """Put the present name there."""
        spec = FieldSpec(self._spec.path)
        with within(str(self._referrer.identity)):
            spec.change(self._referrer.root, self._referrer.gvk, change=self._fixed)

    def _fixed(self, node: Node) -> Node:
        if is_missing(node):
            return node
        match node:
            case dict():
                self._fix_in(node)
            case list():
                node[:] = [self._fixed(one) for one in node]
            case _:
                return self._fixed_name(node)
        return node

    def _fixed_name(self, node: Scalar) -> Scalar:
        found = self._find(node.text, self._candidates, same=lambda one: one.name)
        if found is None or found.name == node.text:
            return node
        return node.holding(found.name)

    def _fix_in(self, node: Mapping) -> None:
        if not isinstance(name := node.get("name"), Scalar):
            raise ProblemError("there is no name in this mapping")
        found = self._find(
            name.text, self._candidates_for(node), same=lambda one: (one.name, one.namespace)
        )
        if found is None or (found.name == name.text and not found.namespace):
            return
        node["name"] = name.holding(found.name)
        if found.namespace:
            node["namespace"] = renewed(node.get("namespace"), found.namespace)

    def _candidates_for(self, node: Mapping) -> list[Resource]:
        """Return the candidates in the namespace that stands beside the name."""
        if "namespace" not in node:
            return self._candidates
        namespace = written(node["namespace"])
        if namespace == NO_NAMESPACE:
            return []
        original = self._in(namespace, lambda one: one.original_identity.effective_namespace)
        return original or self._in(namespace, lambda one: one.identity.effective_namespace)

    def _in(self, namespace: str, of: Callable[[Resource], str]) -> list[Resource]:
        return [one for one in self._candidates if of(one) == namespace]

    def _find(self, name: str, candidates: list[Resource], *, same: Same) -> Resource | None:
        """Return the object that is meant by *name*, or ``None`` if it is none of ours."""
        found = [one for one in candidates if self._was(one, name) and self._is_near(one)]
        if len(found) > 1:
            found = [one for one in found if self._has_same_affixes(one, allow_empty=True)]
        if len(found) > 1:
            found = [one for one in found if self._has_same_affixes(one, allow_empty=False)]
        if len({same(one) for one in found}) > 1:
            several = ", ".join(str(one.identity) for one in found)
            raise ProblemError(f"{name!r} could mean each of these: {several}")
        return found[0] if found else None

    def _was(self, resource: Resource, name: str) -> bool:
        """Return whether *resource* once had this name, and is of the kind that is referred to."""
        earlier = resource.previous_identities
        return (
            any(one.name == name for one in earlier)
            and any(one.gvk.is_selected_by(self._target) for one in earlier)
            and self._fits_role(resource)
        )

    def _fits_role(self, resource: Resource) -> bool:
        role = self._referrer.root.get("roleRef")
        if not self._spec.path.endswith("roleRef/name") or not isinstance(role, dict):
            return True
        if "apiGroup" not in role or "kind" not in role:
            return True
        wanted = GroupVersionKind(group=written(role["apiGroup"]), kind=written(role["kind"]))
        return any(one.gvk.is_selected_by(wanted) for one in resource.previous_identities)

    def _is_near(self, resource: Resource) -> bool:
        """Return whether the namespaces of both allow the reference."""
        own, other = self._referrer.identity, resource.identity
        return (
            own.is_cluster_scoped
            or other.is_cluster_scoped
            or resource.kind == "ServiceAccount"
            or own.effective_namespace == other.effective_namespace
        )

    def _has_same_affixes(self, resource: Resource, *, allow_empty: bool) -> bool:
        """Return whether both were renamed by the same overlays, as far as both were."""
        return all(
            (allow_empty and (not own or not other)) or _end_alike(own, other)
            for own, other in (
                (resource.prefixes, self._referrer.prefixes),
                (resource.suffixes, self._referrer.suffixes),
            )
        )


def _end_alike(first: list[str], second: list[str]) -> bool:
    shortest, longest = sorted((first, second), key=len)
    return longest[len(longest) - len(shortest) :] == shortest if shortest else not longest
