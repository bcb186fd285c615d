"""Labels and annotations for all objects of an overlay."""

from collections.abc import Callable, Mapping, Sequence

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import Configuration
from kubewright.scaffold.kustomize.defaults import METADATA_LABELS
from kubewright.scaffold.kustomize.fields import Labels
from kubewright.scaffold.kustomize.fieldspec import FieldSpec, change_fields, merged_specs
from kubewright.scaffold.kustomize.node import Node, copied, is_missing, sort_of
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, text

__all__ = ["add_labels", "add_texts"]


def add_labels(resources: Collection, labels: Labels, configuration: Configuration) -> None:
    """Add *labels* to all objects, and where they say to selectors and templates, too.

    Raises:
        ProblemError: The fields contradict one another, or hold something else.
    """
    specs = merged_specs([one.spec for one in labels.fields], configuration.labels)
    if labels.include_selectors:
        specs = merged_specs(specs, configuration.common_labels)
    else:
        if labels.include_templates:
            specs = merged_specs(specs, configuration.template_labels)
        specs = merged_specs(specs, [METADATA_LABELS])
    add_texts(resources, labels.pairs, specs)


def add_texts(resources: Collection, texts: Mapping[str, str], specs: Sequence[FieldSpec]) -> None:
    """Add *texts* to the mappings in all fields of *specs*.

    Raises:
        ProblemError: A field holds something else.
    """
    for resource in resources:
        for name in sorted(texts):
            change = _adding(name, texts[name])
            change_fields(specs, resource.root, resource.gvk, change=change, make="mapping")


def _adding(name: str, value: str) -> Callable[[Node], Node]:
    """Return what adds a text to the fields of one object.

    All fields without it get the same scalar: whatever changes one of them changes all, as it does
    in kustomize. A field that has one keeps it, with all that share that.
    """
    shared = text(value)

    def added(node: Node) -> Node:
        if is_missing(node):
            return node
        if not isinstance(node, dict):
            raise ProblemError(f"there is {sort_of(node)}, and should be a mapping")
        before = node.get(name)
        if before is None:
            node[name] = shared
        elif isinstance(before, Scalar):
            shared.quoted, shared.tagged = before.quoted, before.tagged
            before.become(shared)
        else:
            node[name] = copied(shared)
        return node

    return added
