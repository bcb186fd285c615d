"""Applies what says where webhooks are, also where somebody else has said another place."""

from typing import Any

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.errors import InvalidError

__all__ = ["apply_over"]

Document = dict[str, Any]


async def apply_over(client: Client, document: Document, *, field_owner: str) -> None:
    """Apply *document*, a CRD or a webhook configuration, as *field_owner*.

    A webhook is called at a URL or behind a Service, never both. An apply keeps what other owners
    have set, so the other place is taken away where it is in the way.

    Raises:
        APIError: The server refuses it.
    """
    wanted = Unstructured(document)
    try:
        await client.apply(wanted, field_owner=field_owner, force=True)
    except InvalidError:
        patch = _patch_of_place(document)
        if patch is None or await client.find(_kind_of(document), wanted.name) is None:
            raise
        await client.patch(_kind_of(document), wanted.name, patch)
        await client.apply(wanted, field_owner=field_owner, force=True)


def _kind_of(document: Document) -> Kind:
    return Kind(document["apiVersion"], document["kind"])


def _patch_of_place(document: Document) -> Document | None:
    """Return the merge patch that leaves only the place in *document*; ``None`` if it has none."""
    if "webhooks" in document:
        return {"webhooks": document["webhooks"]}
    webhook = document.get("spec", {}).get("conversion", {}).get("webhook")
    if webhook is None:
        return None
    place = {"service": None, "url": None} | webhook["clientConfig"]
    return {"spec": {"conversion": {"webhook": {"clientConfig": place}}}}
