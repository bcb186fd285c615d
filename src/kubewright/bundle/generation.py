"""The files of a bundle, made from the objects of a project."""

from collections.abc import Mapping
from typing import NamedTuple

from kubewright.bundle.annotations import MARK, Annotations, annotations_text, dockerfile_text
from kubewright.bundle.collection import Collection, Object, name_of
from kubewright.bundle.permissions import permissions
from kubewright.bundle.serviceversion import Release, service_version
from kubewright.crd.manifest import to_yaml

__all__ = ["Wanted", "bundle_files", "is_ours", "metadata_files"]


class Wanted(NamedTuple):
    """What a bundle should be.

    Attributes:
        release: The version of the operator.
        annotations: What is said about the bundle.
    """

    release: Release
    annotations: Annotations


def is_ours(text: str) -> bool:
    """Tell whether the file *text* was made here, and may be removed."""
    return text.partition("\n")[0].rstrip("\r") == MARK.rstrip("\n")


def bundle_files(base: Object, collection: Collection, wanted: Wanted) -> dict[str, str]:
    """Return the files in ``manifests/`` and ``tests/`` of a bundle, by their paths in it.

    Args:
        base: What people have written about the operator.
        collection: The objects of the project.
        wanted: What the bundle should be.
    """
    package = wanted.release.package
    found = {
        f"manifests/{package}.clusterserviceversion.yaml": _text(
            service_version(base, collection, wanted.release)
        )
    }
    rights = permissions(collection, wanted.release.accounts)
    for crd in collection.crds:
        group, plural = crd["spec"]["group"], crd["spec"]["names"]["plural"]
        found[f"manifests/{group}_{plural}.yaml"] = _text(_bare_crd(crd))
    for one in (*collection.services, *rights.left, *collection.kept):
        path = _free(found, _path(one))
        found[path] = _text(_without_namespace(one))
    for one in collection.scorecard:
        found["tests/scorecard/config.yaml"] = _text(_without_namespace(one))
    return found


def metadata_files(annotations: Annotations, folder: str) -> dict[str, str]:
    """Return ``metadata/annotations.yaml``, and the Dockerfile as ``bundle.Dockerfile``.

    Args:
        annotations: What is said about the bundle.
        folder: The bundle, as seen from the folder of the Dockerfile.
    """
    said: Mapping[str, str] = annotations.as_mapping()
    return {
        "metadata/annotations.yaml": annotations_text(said),
        "bundle.Dockerfile": dockerfile_text(said, folder, tests=annotations.tests),
    }


def _bare_crd(crd: Object) -> Object:
    """Return *crd* without what only a server or cert-manager writes."""
    metadata = dict(crd["metadata"])
    marks = dict(metadata.get("annotations") or {})
    marks.pop("cert-manager.io/inject-ca-from", None)
    metadata.pop("annotations", None)
    metadata.pop("creationTimestamp", None)
    if marks:
        metadata["annotations"] = marks
    return {key: one for key, one in {**crd, "metadata": metadata}.items() if key != "status"}


def _without_namespace(found: Object) -> Object:
    metadata = {key: one for key, one in found["metadata"].items() if key != "namespace"}
    return {**found, "metadata": metadata}


def _path(found: Object) -> str:
    group, _, version = found["apiVersion"].rpartition("/")
    parts = [name_of(found), group, version, found["kind"].lower()]
    return f"manifests/{'_'.join(filter(None, parts))}.yaml"


def _free(found: Mapping[str, str], path: str) -> str:
    number, wanted = 0, path
    while wanted in found:
        wanted = path.replace("manifests/", f"manifests/dup{number}_", 1)
        number += 1
    return wanted


def _text(*documents: Object) -> str:
    return MARK + to_yaml(*documents).removeprefix("---\n")
