"""Gives owners to what runs make: by POST, by server-side apply, and when they replace it."""

from typing import Any

import msgspec
import yaml

from kubewright import _json
from kubewright._serve.messages import JSON, Request
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.place import Place
from kubewright.api import requests
from kubewright.errors import Attempt, DecodeError

__all__ = ["with_owner"]

_APPLY = requests.CONTENT_TYPES["apply"]
_YAML = "yaml"
_NOT_FOUND = 404
_SUCCESS = range(200, 300)


async def with_owner(request: Request, place: Place, grant: Grant) -> Request:
    """Return *request* with the owner of *grant* in what it makes; others as they are.

    What is there already and belongs to nobody stays so. What has the owner keeps it: a replacement
    without it, or an apply that had it before, would take it away.
    """
    kind = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    is_apply = request.method == "PATCH" and kind == _APPLY
    if not place.is_child or not (is_apply or request.method in {"POST", "PUT"}):
        return request
    document = _decoded(request.body, kind)
    if document is None or _is_owner_itself(document, place, grant):
        return request
    if request.method != "POST" and not await _is_to_have_it(request, place, grant):
        return request
    if not grant.owner.add_to(document, place.namespace):
        return request
    headers = request.headers
    if _YAML in kind and not is_apply:
        headers = {**headers, "content-type": JSON}
    # JSON is YAML, too, so that it fits what an apply says of itself.
    return msgspec.structs.replace(request, body=_json.encode(document), headers=headers)


def _decoded(body: bytes, kind: str) -> dict[str, Any] | None:
    """Return the object that *body* is; ``None`` for what the API server will refuse."""
    found = _parsed(body, is_yaml=_YAML in kind)
    metadata = found.get("metadata") if isinstance(found, dict) else ""
    if not isinstance(metadata, dict | None):
        return None
    references = (metadata or {}).get("ownerReferences") or []
    annotations = (metadata or {}).get("annotations") or {}
    is_sound = (
        isinstance(references, list)
        and all(isinstance(one, dict) for one in references)
        and isinstance(annotations, dict)
    )
    return found if is_sound else None


def _parsed(body: bytes, *, is_yaml: bool) -> Any:
    """Return what *body* says; an empty text if it cannot be read.

    Clients apply JSON under the name of YAML. As YAML it is read slowly, and what is beyond the
    first 65536 characters of Unicode, which JSON writes as two, is read as something else.
    """
    try:
        return _json.loads(body)
    except DecodeError:
        if not is_yaml:
            return ""
    try:
        return yaml.safe_load(body)
    except (yaml.YAMLError, RecursionError):
        return ""


def _is_owner_itself(document: dict[str, Any], place: Place, grant: Grant) -> bool:
    name = place.name or (document.get("metadata") or {}).get("name") or ""
    kind = str(document.get("kind"))
    return grant.owner.is_named(group=place.group, kind=kind, namespace=place.namespace, name=name)


async def _is_to_have_it(request: Request, place: Place, grant: Grant) -> bool:
    """Say whether what is there has the owner; what is not there yet is to have it, too."""
    attempt = Attempt("get", place.resource, place.group, "", place.namespace, place.name)
    read = requests.Request("GET", request.path, attempt)
    answer = await grant.client.rest.transport.send(read)
    if answer.status == _NOT_FOUND:
        return True
    if answer.status not in _SUCCESS:
        return False
    found = _json.loads(answer.body)
    return isinstance(found, dict) and grant.owner.owns(found)
