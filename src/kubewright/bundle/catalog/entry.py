"""What a catalog says about one bundle."""

from collections.abc import Iterator
from typing import Any

from kubewright.bundle.catalog.reading import BUNDLE
from kubewright.bundle.collection import Object
from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.images import container_images
from kubewright.bundle.reading import Bundle

__all__ = ["bundle_entry", "edge_of"]

_SHOWN = (
    "apiServiceDefinitions", "description", "displayName", "installModes", "keywords", "labels",
    "links", "maintainers", "maturity", "minKubeVersion", "nativeAPIs", "provider",
)  # fmt: skip
_SPELLED = {"apiServiceDefinitions": "apiservicedefinitions"}
_SKIP_RANGE = "olm.skipRange"


def bundle_entry(bundle: Bundle, csv: Document, image: str) -> Object:
    """Return the entry ``olm.bundle`` of *bundle*.

    Args:
        bundle: The bundle, which has passed its validation.
        csv: Its ClusterServiceVersion.
        image: The image that it is in.
    """
    found: Object = {
        "schema": BUNDLE,
        "name": csv.name,
        "package": bundle.package,
        "image": image,
        "properties": [*_properties(bundle, csv)],
    }
    return {**found, "relatedImages": _images(csv, image)}


def edge_of(csv: Document) -> Object:
    """Return the entry of a channel: which versions *csv* follows."""
    annotation = csv.at("metadata", "annotations", _SKIP_RANGE)
    found = {
        "name": csv.name,
        "replaces": csv.at("spec", "replaces"),
        "skips": items(csv.at("spec", "skips")),
        "skipRange": annotation,
    }
    return {key: one for key, one in found.items() if one}


def _properties(bundle: Bundle, csv: Document) -> Iterator[Object]:
    version = text(csv.at("spec", "version"))
    yield _property("olm.package", {"packageName": bundle.package, "version": version})
    for crd in bundle.crds:
        for one in items(crd.at("spec", "versions")):
            kind = {"kind": crd.at("spec", "names", "kind"), "version": at(one, "name")}
            yield _property("olm.gvk", {"group": crd.at("spec", "group"), **kind})
    for one in items(csv.at("spec", "customresourcedefinitions", "required")):
        group = text(at(one, "name")).partition(".")[2]
        kind = {"kind": at(one, "kind"), "version": at(one, "version")}
        yield _property("olm.gvk.required", {"group": group, **kind})
    for document, key in ((bundle.dependencies, "dependencies"), (bundle.properties, "properties")):
        for one in items(document.at(key)) if document else []:
            kind_of = text(at(one, "type"))
            plain = key == "properties" or kind_of in {"olm.constraint", "olm.label"}
            wanted = kind_of if plain else f"{kind_of}.required"
            yield _property(wanted, _required(wanted, at(one, "value")))
    yield _property("olm.csv.metadata", _shown(csv))


def _required(kind: str, value: Any) -> Any:
    """Return the value of a dependency as a property: a package has a range there."""
    if kind == "olm.package.required":
        return {"packageName": at(value, "packageName"), "versionRange": at(value, "version")}
    return value


def _property(kind: str, value: Any) -> Object:
    return {"type": kind, "value": value}


def _shown(csv: Document) -> Object:
    """Return what a catalog shows of an operator without unpacking its image."""
    spec = mapping(csv.content.get("spec"))
    found: Object = {"annotations": mapping(csv.at("metadata", "annotations"))}
    for key in _SHOWN:
        found[key] = spec.get(_SPELLED.get(key, key))
    found["crdDescriptions"] = mapping(spec.get("customresourcedefinitions"))
    return {key: one for key, one in found.items() if one}


def _images(csv: Document, image: str) -> list[Object]:
    named = {
        text(at(one, "image")): text(at(one, "name"))
        for one in items(csv.at("spec", "relatedImages"))
    }
    deployments = items(csv.at("spec", "install", "spec", "deployments"))
    run = [{"spec": at(one, "spec")} for one in deployments]
    every = dict.fromkeys([*container_images(run), image], "") | named
    return [{"name": every[one], "image": one} for one in sorted(every)]
