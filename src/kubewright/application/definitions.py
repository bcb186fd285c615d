"""The CRDs of kinds without a class: from the files of a project, or simple ones that take all."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from kubewright.api.definition import plural_of
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.application.documents import documents, line_of
from kubewright.client.wait import wait_for
from kubewright.errors import ConfigError
from kubewright.log import get_logger

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["definition_for", "definitions_below", "install_definitions"]

_BASES = Path("config", "crd", "bases")
_log = get_logger(__name__)


def definition_for(
    kind: Kind, *, about: str = "", spec: str = "What is wanted", status: str = "What is there"
) -> dict[str, Any]:
    """Return a CRD of *kind* that takes any values, and leaves it to others to refuse some.

    Args:
        kind: The kind.
        about: What an object of it is, for ``kubectl explain``.
        spec: What its spec is.
        status: What its status is.
    """
    plural = plural_of(kind.kind)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{kind.group}"},
        "spec": {
            "group": kind.group,
            "names": {
                "kind": kind.kind,
                "listKind": f"{kind.kind}List",
                "plural": plural,
                "singular": kind.kind.lower(),
            },
            "scope": "Namespaced",
            "versions": [_version(kind.version, about or f"A {kind.kind}", spec, status)],
        },
    }


def _version(name: str, about: str, spec: str, status: str) -> dict[str, Any]:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {
        "type": "object",
        "description": about,
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {**anything, "description": spec},
            "status": {**anything, "description": status},
        },
    }
    return {
        "name": name,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }


def definitions_below(folder: Path) -> list[dict[str, Any]]:
    """Return the CRDs in ``config/crd/bases`` of a project; none if there is no such folder.

    Raises:
        ConfigError: A file there is not YAML.
    """
    found: list[dict[str, Any]] = []
    for path in sorted((folder / _BASES).glob("*.yaml")):
        try:
            found += [one for one in documents(path.read_bytes()) if _is_definition(one)]
        except yaml.YAMLError as error:
            raise ConfigError(f"{path}:{line_of(error)} is not YAML") from error
    return found


async def install_definitions(
    client: "Client", definitions: Iterable[dict[str, Any]], *, timeout: float
) -> list[str]:
    """Apply *definitions*, and return their names once all are served.

    Raises:
        ConfigError: The server did not establish one in time.
    """
    names = []
    for one in definitions:
        crd = await client.apply(Unstructured(one), field_owner="kubewright", force=True)
        kind = Kind(crd.api_version, crd.kind)
        try:
            await wait_for(client, kind, crd.name, _is_established, timeout=timeout)
        except TimeoutError as error:
            raise ConfigError(
                f"cannot install {crd.name}: the server did not establish it within {timeout:g}"
                " seconds"
            ) from error
        _log.info("custom resource definition installed", name=crd.name)
        names.append(crd.name)
    client.mapper.reset()
    return names


def _is_definition(found: Any) -> bool:
    return isinstance(found, dict) and found.get("kind") == "CustomResourceDefinition"


def _is_established(crd: Unstructured | None) -> bool:
    conditions = crd.status.get("conditions") or () if crd is not None else ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)
