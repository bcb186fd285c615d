"""The ClusterServiceVersion of a bundle: its base, with what the objects of the project say."""

import json
from collections.abc import Iterable
from copy import deepcopy
from typing import Any, NamedTuple

from kubewright.bundle.collection import Collection, Object, name_of
from kubewright.bundle.descriptors import owned_definitions
from kubewright.bundle.document import at, items, mapping, text
from kubewright.bundle.images import container_images, containers_of, related_images
from kubewright.bundle.permissions import permissions
from kubewright.bundle.webhooks import uses_no_cert_manager, webhook_definitions

__all__ = ["BUILDER", "CREATED", "LAYOUT", "Release", "same_but_created", "service_version"]

BUILDER: str = "operators.operatorframework.io/builder"
LAYOUT: str = "operators.operatorframework.io/project_layout"
CREATED: str = "createdAt"
_NAMESPACES = "metadata.annotations['olm.targetNamespaces']"


class Release(NamedTuple):
    """What is said about one version of an operator.

    Attributes:
        package: The package.
        version: The version.
        created: When, as Kubernetes writes times.
        builder: The program that makes it.
        layout: The layout of the project.
        accounts: Service accounts that OLM should make besides those of the Deployments.
        replaces: The version that it replaces; by default what the base says.
        list_images: Whether to list the images of all containers, too.
    """

    package: str
    version: str
    created: str
    builder: str = ""
    layout: str = ""
    accounts: tuple[str, ...] = ()
    replaces: str = ""
    list_images: bool = False


def service_version(base: Object, collection: Collection, release: Release) -> Object:
    """Return the ClusterServiceVersion of *release*.

    Args:
        base: What people have written; what can be computed is replaced.
        collection: The objects of the project.
        release: Which version it is.
    """
    metadata, spec = (deepcopy(mapping(base.get(key))) for key in ("metadata", "spec"))
    found = {**base, "metadata": metadata, "spec": spec}
    metadata["name"] = f"{release.package}.v{release.version}"
    # The placeholder of a base; a namespace in a file would be taken for one to install into.
    metadata["namespace"] = text(metadata.get("namespace")) or "placeholder"
    metadata["annotations"] = {
        **mapping(metadata.get("annotations")),
        "alm-examples": json.dumps(collection.samples, indent=2, ensure_ascii=False),
        CREATED: release.created,
        **({BUILDER: release.builder} if release.builder else {}),
        **({LAYOUT: release.layout} if release.layout else {}),
    }
    spec["version"] = release.version
    if release.replaces:
        spec["replaces"] = release.replaces
    owned = items(at(spec, "customresourcedefinitions", "owned"))
    definitions = owned_definitions(collection.crds, owned)
    listed = {**mapping(spec.get("customresourcedefinitions")), "owned": definitions}
    spec["customresourcedefinitions"] = {key: one for key, one in listed.items() if one}
    spec["install"] = _install(collection, release.accounts)
    webhooks = webhook_definitions(collection)
    _put(spec, "webhookdefinitions", webhooks)
    _put(spec, "relatedImages", _images(collection, spec, all_of_them=release.list_images))
    return found


def same_but_created(one: Any, other: Any) -> bool:
    """Tell whether two ClusterServiceVersions differ in the time of their making only."""
    return bool(_without_time(one) == _without_time(other))


def _without_time(found: Any) -> Any:
    copied = deepcopy(found)
    mapping(at(copied, "metadata", "annotations")).pop(CREATED, None)
    return copied


def _put(spec: Object, key: str, listed: list[Object]) -> None:
    spec.pop(key, None)
    if listed:
        spec[key] = listed


def _install(collection: Collection, accounts: Iterable[str]) -> Object:
    rights = permissions(collection, accounts)
    said = {
        "clusterPermissions": rights.cluster,
        "deployments": [_deployment(one, collection) for one in collection.deployments],
        "permissions": rights.namespaced,
    }
    return {"strategy": "deployment", "spec": {key: one for key, one in said.items() if one}}


def _deployment(found: Object, collection: Collection) -> Object:
    changed = deepcopy(uses_no_cert_manager(found, collection))
    for container in containers_of(changed):
        for one in items(at(container, "env")):
            if at(one, "name") == "WATCH_NAMESPACE":
                one.pop("value", None)
                one["valueFrom"] = {"fieldRef": {"fieldPath": _NAMESPACES}}
    labels = mapping(at(changed, "metadata", "labels"))
    said = {"name": name_of(changed), "spec": mapping(changed.get("spec")), "label": labels}
    return {key: one for key, one in said.items() if one}


def _images(collection: Collection, spec: Object, *, all_of_them: bool) -> list[Object]:
    """Return the images of variables, and of containers if wanted; those of the base stay."""
    made = related_images(collection.deployments)
    there = [mapping(one) for one in items(spec.get("relatedImages"))]
    listed = {text(one.get("image")): one for one in [*there, *made]}
    if all_of_them:
        for image in container_images(collection.deployments):
            listed.setdefault(image, {"name": _short(image), "image": image})
    return [listed[image] for image in sorted(listed)]


def _short(image: str) -> str:
    """Return the last word of an image's repository."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]
