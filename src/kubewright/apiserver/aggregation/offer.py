"""What an aggregated API server says of itself: its resources and their schemas."""

from typing import Any

import msgspec
from msgspec import Struct

from kubewright.apiserver.aggregation.relay import Found, Relay
from kubewright.apiserver.aggregation.remote import Remote
from kubewright.apiserver.registry.strategy import Obj

_OK = 200
_UNCHANGED = 304
_NEWER = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
)


class Offer(Struct):
    """All that discovery and OpenAPI need of one aggregated version.

    Attributes:
        resources: As the aggregated discovery has them.
        schema_url: Where its OpenAPI v3 document is; empty if it has none.
        schemas: Its OpenAPI v2 document, as far as it is about this version.
    """

    resources: list[Obj]
    schema_url: str = ""
    schemas: Obj = {}
    tag: str = ""


async def fetch(relay: Relay, remote: Remote, before: Offer | None) -> Offer:
    """Ask *remote* what it offers; *before* is what it offered the last time.

    Raises:
        LookupError: Its service cannot be found.
        WebhookError: It does not answer.
    """
    offer = Offer(await _resources(relay, remote))
    offer.schema_url = await _schema_url(relay, remote)
    tag = before.tag if before else ""
    headers = {"accept": "application/json", **({"if_none_match": tag} if tag else {})}
    found = await relay.ask(remote, "/openapi/v2", **headers)
    if before is not None and found.status == _UNCHANGED:
        offer.schemas, offer.tag = before.schemas, before.tag
    elif isinstance(document := _json(found), dict):
        offer.schemas = _about(remote, document)
        offer.tag = found.headers.get("etag", "")
    return offer


async def _resources(relay: Relay, remote: Remote) -> list[Obj]:
    newer = _json(await relay.ask(remote, "/apis", accept=_NEWER))
    if isinstance(newer, dict) and newer.get("kind") == "APIGroupDiscoveryList":
        for group in newer.get("items") or ():
            if (group.get("metadata") or {}).get("name") == remote.group:
                for version in group.get("versions") or ():
                    if version.get("version") == remote.version:
                        return list(version.get("resources") or ())
    older = _json(await relay.ask(remote, remote.root, accept="application/json"))
    return _converted(remote, older) if isinstance(older, dict) else []


def _converted(remote: Remote, document: Obj) -> list[Obj]:
    """Return an APIResourceList in the newer format."""
    found: dict[str, Obj] = {}
    subresources: list[tuple[str, str, Obj]] = []
    for entry in document.get("resources") or ():
        name, _, sub = entry.get("name", "").partition("/")
        if sub:
            subresources.append((name, sub, entry))
            continue
        found[name] = {
            "resource": name,
            "responseKind": _kind(remote, entry),
            "scope": "Namespaced" if entry.get("namespaced") else "Cluster",
            "singularResource": entry.get("singularName", ""),
            "verbs": entry.get("verbs") or [],
        }
        for key in ("shortNames", "categories"):
            if entry.get(key):
                found[name][key] = entry[key]
    for name, sub, entry in subresources:
        item = {"subresource": sub, "responseKind": _kind(remote, entry)}
        if name in found:
            item["verbs"] = entry.get("verbs") or []
            found[name].setdefault("subresources", []).append(item)
    return list(found.values())


def _kind(remote: Remote, entry: Obj) -> Obj:
    return {
        "group": entry.get("group") or remote.group,
        "version": entry.get("version") or remote.version,
        "kind": entry.get("kind", ""),
    }


async def _schema_url(relay: Relay, remote: Remote) -> str:
    index = _json(await relay.ask(remote, "/openapi/v3", accept="application/json"))
    paths = index.get("paths") if isinstance(index, dict) else None
    found = (paths or {}).get(remote.root.removeprefix("/")) or {}
    url = found.get("serverRelativeURL")
    return url if isinstance(url, str) else ""


def _about(remote: Remote, document: Obj) -> Obj:
    """Return the part of *document* that is about the version."""
    paths = {
        path: item
        for path, item in (document.get("paths") or {}).items()
        if path.startswith(f"{remote.root}/")
    }
    return {"paths": paths, "definitions": document.get("definitions") or {}}


def _json(found: Found) -> Any:
    if found.status != _OK:
        return None
    try:
        return msgspec.json.decode(found.body)
    except msgspec.DecodeError:
        return None
