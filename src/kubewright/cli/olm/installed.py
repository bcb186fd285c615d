"""What is installed of a package: its ClusterServiceVersion, on the server."""

from typing import Any

from kubewright._aio import Clock
from kubewright._version import VERSION
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import ApplySet, Parent
from kubewright.bundle.document import Document
from kubewright.bundle.installation import Place, package_label
from kubewright.bundle.phase import KIND, Phase, csv_definition, status_with
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["CSV", "Record", "parent_of", "place_in"]

CSV: Kind = Kind("operators.coreos.com/v1alpha1", "ClusterServiceVersion")
_DEFINITION = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_OWNER = "kubewright-olm"
_HOME = "olm.operatorNamespace"
_TARGETS = "olm.targetNamespaces"


def parent_of(package: str, namespace: str) -> Parent:
    """Return the set that the objects of a package are."""
    return Parent(f"{package}-bundle", namespace, tooling=f"kubewright/v{VERSION}")


def place_in(csv: Unstructured) -> Place | None:
    """Return where a version is installed, as its record says."""
    annotations = csv.metadata.annotations
    if _TARGETS not in annotations:
        return None
    targets = tuple(filter(None, annotations[_TARGETS].split(",")))
    return Place(annotations.get(_HOME) or csv.namespace, targets)


class Record:
    """The installed version of a package.

    Args:
        client: The cluster.
        package: The package.
        namespace: Where it is installed.
        clock: Says what time it is.
    """

    def __init__(
        self, client: Client, package: str, namespace: str, *, clock: Clock | None = None
    ) -> None:
        self._client = client
        self._label = package_label(package, namespace)
        self._namespace = namespace
        self._clock = clock or Clock()

    async def prepare(self) -> None:
        """Bring the CRD for ClusterServiceVersions, and wait until it is served."""
        report = await ApplySet(self._client, None).apply([csv_definition()])
        if not report.done:
            raise ConfigError(f"cannot install the CRD {KIND}: {report.failures[0].error}")

    async def find(self) -> list[Unstructured]:
        """Return what is installed: one version, or two in the middle of an upgrade."""
        listed = await self._client.list(CSV, namespace=self._namespace, labels=self._label)
        return list(listed)

    async def write(self, csv: Document, place: Place) -> None:
        """Write the ClusterServiceVersion of a bundle, and where it is installed."""
        annotations = {
            **(csv.at("metadata", "annotations") or {}),
            _HOME: place.namespace,
            _TARGETS: ",".join(place.targets),
        }
        document: dict[str, Any] = {
            "apiVersion": csv.api_version,
            "kind": csv.kind,
            "metadata": {
                "annotations": annotations,
                "name": csv.name,
                "namespace": self._namespace,
                "labels": {**(csv.at("metadata", "labels") or {}), self._label: ""},
            },
            "spec": csv.at("spec"),
        }
        await self._client.apply(Unstructured(document), field_owner=_OWNER, force=True)

    async def tell(self, name: str, phase: Phase) -> None:
        """Write how far the installation of the version *name* is."""
        there = await self._client.get(CSV, name, namespace=self._namespace)
        status = status_with(phase, there.get("status"), self._clock.now())
        await self._client.subresource("status").patch(
            CSV, name, {"status": status}, namespace=self._namespace
        )

    async def remove(self, name: str) -> None:
        """Delete the version *name*."""
        await self._client.delete(CSV, name, namespace=self._namespace, missing_ok=True)

    async def end(self) -> None:
        """Delete the CRD for ClusterServiceVersions, if none is left of any package."""
        if not list(await self._client.list(CSV, namespace="")):
            await self._client.delete(_DEFINITION, KIND, missing_ok=True)
