"""Installs the CRDs of custom kinds, and waits until the server serves them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kubewright.api.kind import GroupKind
from kubewright.api.kind_reference import KindLike
from kubewright.api.resource import definition_of
from kubewright.api.unstructured import Unstructured
from kubewright.client.wait import wait_for
from kubewright.crd import custom_resource_definitions
from kubewright.errors import ConfigError
from kubewright.log import get_logger
from kubewright.webhook.overriding import apply_over

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["crds_of", "install_crds"]

_log = get_logger(__name__)


async def install_crds(
    client: "Client",
    kinds: Iterable[KindLike[Any]],
    *,
    timeout: float = 30.0,
    conversions: Mapping[GroupKind, Mapping[str, Any]] | None = None,
) -> list[str]:
    """Apply the CRDs of all *kinds* that are not built in; return once all are established.

    Args:
        client: Where to install them.
        kinds: The classes; all versions of a kind together. A `Kind` has no CRD.
        timeout: Seconds within which the server must establish each.
        conversions: The ``spec.conversion`` of kinds whose versions a webhook converts.

    Returns:
        The names of the CRDs.

    Raises:
        ConfigError: The server did not establish one; the message says why.
        APIError: The server rejected one.
    """
    found = crds_of(kinds, conversions=conversions)
    for one in found:
        await apply_over(client, one, field_owner="kubewright")
    documents = [Unstructured(one) for one in found]
    for document in documents:
        await _wait_until_established(client, document, timeout)
        _log.info("custom resource definition installed", name=document.name)
    return [document.name for document in documents]


def crds_of(
    kinds: Iterable[KindLike[Any]],
    *,
    conversions: Mapping[GroupKind, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return the CRDs of all *kinds* that have a class and are not built in."""
    classes = [kind for kind in kinds if isinstance(kind, type)]
    ours = (one for one in classes if not definition_of(one).builtin)
    return custom_resource_definitions(*ours, conversions=conversions)


async def _wait_until_established(client: "Client", document: Unstructured, timeout: float) -> None:
    last: list[Unstructured | None] = [None]

    def ready(crd: Unstructured | None) -> bool:
        last[0] = crd
        return crd is not None and _conditions(crd).get("Established", {}).get("status") == "True"

    try:
        await wait_for(client, document.gvk, document.name, ready, timeout=timeout)
    except TimeoutError as error:
        said = _problem(last[0])
        raise ConfigError(
            f"cannot install {document.name}: the server did not establish it within {timeout:g}"
            f" seconds{said}"
        ) from error


def _conditions(crd: Unstructured) -> dict[str, dict[str, Any]]:
    return {one["type"]: one for one in (crd.get("status") or {}).get("conditions") or ()}


def _problem(crd: Unstructured | None) -> str:
    found = {} if crd is None else _conditions(crd)
    refused = [one["message"] for one in found.values() if one.get("status") == "False"]
    return f": {'; '.join(refused)}" if refused else ""
