"""The images that an operator uses; who copies a catalog to a place without network, needs them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubewright.bundle.collection import Object, name_of
from kubewright.bundle.document import at, items, mapping, text

__all__ = ["PREFIX", "container_images", "containers_of", "pinned", "related_images"]

PREFIX: str = "RELATED_IMAGE_"
"""How the variables begin with which a container is told of an image."""


class _Named(NamedTuple):
    name: str
    image: str
    deployment: str
    container: str


def related_images(deployments: Iterable[Object]) -> list[Object]:
    """Return ``spec.relatedImages``: what the variables ``RELATED_IMAGE_…`` name.

    Of two images with one name, each gets the name of its Deployment before it, and that of its
    container if that does not suffice. An image with two names has none.
    """
    found = list(dict.fromkeys(_named(deployments)))
    images: dict[str, set[str]] = {}
    for one in found:
        images.setdefault(one.image, set()).add(_name(one, found))
    listed = {
        image: next(iter(names)) if len(names) == 1 else "" for image, names in images.items()
    }
    return [{"name": listed[image], "image": image} for image in sorted(listed)]


def container_images(deployments: Iterable[Object]) -> list[str]:
    """Return the images of all containers, sorted."""
    found = (at(one, "image") for deployment in deployments for one in containers_of(deployment))
    return sorted({one for one in found if isinstance(one, str) and one})


def pinned(deployment: Object, digests: Mapping[str, str]) -> Object:
    """Return *deployment* with the images that *digests* has for its own.

    Variables that name images are among them.
    """
    spec = mapping(at(deployment, "spec", "template", "spec"))
    changed: Object = {
        key: [_pinned(one, digests) for one in items(spec[key])]
        for key in ("initContainers", "containers")
        if key in spec
    }
    template: Object = {**mapping(at(deployment, "spec", "template")), "spec": {**spec, **changed}}
    return {**deployment, "spec": {**mapping(deployment.get("spec")), "template": template}}


def _pinned(container: Any, digests: Mapping[str, str]) -> Object:
    found = dict(mapping(container))
    image = text(found.get("image"))
    if image:
        found["image"] = digests.get(image, image)
    if "env" in found:
        found["env"] = [_told(one, digests) for one in items(found["env"])]
    return found


def _told(variable: Any, digests: Mapping[str, str]) -> Any:
    value = text(at(variable, "value"))
    if not text(at(variable, "name")).startswith(PREFIX) or value not in digests:
        return variable
    return {**mapping(variable), "value": digests[value]}


def containers_of(deployment: Object) -> list[Any]:
    """Return the containers of a Deployment, with those that run first."""
    spec = at(deployment, "spec", "template", "spec")
    return [*items(at(spec, "initContainers")), *items(at(spec, "containers"))]


def _named(deployments: Iterable[Object]) -> Iterator[_Named]:
    for deployment in deployments:
        for container in containers_of(deployment):
            for one in items(at(container, "env")):
                name, image = text(at(one, "name")), text(at(one, "value"))
                if name.startswith(PREFIX) and image:
                    short = name.removeprefix(PREFIX).lower().replace("_", "-")
                    yield _Named(short, image, name_of(deployment), text(at(container, "name")))


def _name(one: _Named, found: list[_Named]) -> str:
    """Return the shortest name of *one* that no other image has."""
    for parts in ((one.name,), (one.deployment, one.name)):
        if not any(
            other.image != one.image for other in found if _ends(other, len(parts)) == parts
        ):
            return "-".join(parts)
    return f"{one.deployment}-{one.container}-{one.name}"


def _ends(one: _Named, length: int) -> tuple[str, ...]:
    return (one.deployment, one.name)[-length:]
