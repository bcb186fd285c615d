"""The resources that a selector means: its parts are regular expressions for the whole text."""

import re
from collections.abc import Iterable

from kubewright.api.selectors import Selector as LabelSelector
from kubewright.scaffold.kustomize.fields import Selector
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import Resource

__all__ = ["has_labels", "selected"]


def selected(resources: Iterable[Resource], selector: Selector) -> list[Resource]:
    """Return the resources that *selector* means, by what they are or were in their files.

    Raises:
        ProblemError: A part of it is malformed.
    """
    return [one for one in resources if _matches(one, selector) and has_labels(one, selector)]


def has_labels(resource: Resource, selector: Selector) -> bool:
    """Return whether labels and annotations are those of *selector*.

    Raises:
        ProblemError: One of the two selectors is malformed.
    """
    try:
        labels = LabelSelector.parse(selector.label_selector)
        annotations = LabelSelector.parse(selector.annotation_selector)
    except ValueError as error:
        raise ProblemError(str(error)) from None
    return labels.matches(resource.labels) and annotations.matches(resource.annotations)


def _matches(resource: Resource, selector: Selector) -> bool:
    now, before = resource.identity, resource.original_identity
    return (
        _fits(selector.namespace, before.effective_namespace, now.effective_namespace)
        and _fits(selector.name, before.name, now.name)
        and _fits(selector.group, now.gvk.group)
        and _fits(selector.version, now.gvk.version)
        and _fits(selector.kind, now.gvk.kind)
    )


def _fits(pattern: str, *texts: str) -> bool:
    if not pattern:
        return True
    try:
        return any(re.fullmatch(pattern, text) for text in texts)
    except re.error as error:
        raise ProblemError(f"{pattern!r} is no regular expression: {error}") from None
