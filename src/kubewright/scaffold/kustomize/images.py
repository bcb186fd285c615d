"""Images of containers, and how many pods run them."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Image, Replicas
from kubewright.scaffold.kustomize.fieldspec import FieldSpec, change_fields
from kubewright.scaffold.kustomize.identity import GroupVersionKind, Identity
from kubewright.scaffold.kustomize.node import Node, is_missing, put, sort_of
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar

__all__ = ["image_reference", "set_image", "set_replicas", "split_image"]

_CONTAINERS = ("containers", "initContainers")
_FLAGS = re.compile(r"\(\?[ims]+\)")
_TAG = r"(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?"


def set_image(resources: Collection, image: Image, specs: Sequence[FieldSpec]) -> None:
    """Change *image* in all containers, and in the fields of *specs*.

    Raises:
        ProblemError: The name is no regular expression, or a field holds something else.
    """
    try:
        pattern = _pattern(image.name)
    except re.error as error:
        raise ProblemError(f"{image.name!r} is no name of an image: {error}") from None

    def changed(node: Node) -> Node:
        if is_missing(node):
            return node
        if not isinstance(node, Scalar):
            raise ProblemError(f"there is {sort_of(node)}, and should be the name of an image")
        if pattern.search(node.text) is None:
            return node
        return node.holding(image_reference(node.text, image))

    for resource in resources:
        if resource.kind != "CustomResourceDefinition":
            _change_containers(resource.root, changed)
            change_fields(specs, resource.root, resource.gvk, change=changed)


def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name, as Go would compile it.

    The name stands between ``^`` and ``$``, and may be half a pattern: one that begins with ``*``
    repeats the beginning, so it fits all images.
    """
    flags = _FLAGS.match(name)
    start = flags[0] if flags is not None else ""
    return re.compile(rf"{start}(?:\A){name.removeprefix(start)}{_TAG}\Z")


def _change_containers(node: Any, change: Callable[[Node], Node]) -> None:
    """Change the images of all containers, wherever they are."""
    match node:
        case dict():
            for name, value in node.items():
                _change_containers(value, change)
                if name in _CONTAINERS and isinstance(value, list):
                    for one in value:
                        if isinstance(one, dict) and "image" in one:
                            put(one, "image", change(one["image"]))
        case list():
            for one in node:
                _change_containers(one, change)


def image_reference(old: str, image: Image) -> str:
    """Return what becomes of the image *old*."""
    name, tag, digest = split_image(old)
    if image.new_tag or image.digest:
        tag, digest = image.new_tag, image.digest
    elif image.tag_suffix:
        tag, digest = tag + image.tag_suffix, ""
    name = image.new_name or name
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")


def split_image(reference: str) -> tuple[str, str, str]:
    """Return name, tag and digest of an image; ``registry:5000/name`` has no tag."""
    start = max(reference.find("/"), 0)
    at, colon = reference.find("@", start), reference.find(":", start)
    if at >= 0 and (at < colon or colon < 0):
        return reference[:at], "", reference[at + 1 :]
    if colon < 0:
        return reference, "", ""
    if at < 0:
        return reference[:colon], reference[colon + 1 :], ""
    return reference[:colon], reference[colon + 1 : at], reference[at + 1 :]


def set_replicas(resources: Collection, replicas: Replicas, specs: Sequence[FieldSpec]) -> None:
    """Set how many replicas everything of that name has.

    Raises:
        ProblemError: Nothing of that name has replicas.
    """

    def changed(node: Node) -> Node:
        if not isinstance(node, Scalar):
            raise ProblemError(f"there is {sort_of(node)}, and should be a number")
        return node.holding(str(replicas.count), "int")

    found = False
    for spec in specs:
        for resource in resources.find(_matcher(replicas.name, spec.gvk)):
            found = True
            spec.change(resource.root, resource.gvk, change=changed, make="scalar")
    if not found:
        kinds = ", ".join(sorted({str(spec.gvk) for spec in specs}))
        raise ProblemError(
            f"nothing called {replicas.name!r} has replicas; those kinds do: {kinds}"
        )


def _matcher(name: str, gvk: GroupVersionKind) -> Callable[[Identity], bool]:
    return lambda one: one.name == name and one.gvk.is_selected_by(gvk)
