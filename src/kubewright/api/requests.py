"""Requests as values, built and checked without any I/O.

Each function here is one verb. It returns a `Request`, which any transport can send, and which
tests can look at.
"""

import re
from collections.abc import Iterable
from typing import Literal
from urllib.parse import quote

import msgspec

from kubewright.api.kind import RESTMapping
from kubewright.errors import Attempt

Propagation = Literal["Background", "Foreground", "Orphan"]
FieldValidation = Literal["Ignore", "Warn", "Strict"]
PatchType = Literal["json", "merge", "strategic", "apply"]
Query = Iterable[tuple[str, str]]

JSON: str = "application/json"
METADATA: str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
"""What to accept where only the metadata of objects is wanted, one by one or in a watch."""
METADATA_LIST: str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""What to accept where only the metadata of a list of objects is wanted."""

CONTENT_TYPES: dict[PatchType, str] = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*").fullmatch


class Request(msgspec.Struct, frozen=True, gc=False):
    """One HTTP request to an API server, ready to be sent by any transport."""

    method: str
    target: str  # path and query, percent-encoded
    attempt: Attempt
    body: bytes = b""
    content_type: str = ""
    accept: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


class WriteOptions(msgspec.Struct, frozen=True, gc=False):
    """What every write can be told.

    Attributes:
        dry_run: Check and answer, but store nothing.
        field_manager: Who writes, as managedFields will say.
        field_validation: What to do about fields that the server does not know.
    """

    dry_run: bool = False
    field_manager: str = ""
    field_validation: FieldValidation | None = None

    def query(self) -> list[tuple[str, str]]:
        """Return them as query parameters."""
        pairs = []
        if self.dry_run:
            pairs.append(("dryRun", "All"))
        if self.field_manager:
            pairs.append(("fieldManager", self.field_manager))
        if self.field_validation:
            pairs.append(("fieldValidation", self.field_validation))
        return pairs


class Place(msgspec.Struct, frozen=True, gc=False):
    """What a request is about: a collection, an object in it, or a subresource of that."""

    mapping: RESTMapping
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    def request(  # noqa: PLR0913  # the parts of a request, most of them by keyword
        self,
        method: str,
        verb: str,
        query: Query = (),
        *,
        body: bytes = b"",
        content_type: str = "",
        accept: str = "application/json",
        action: str = "",
    ) -> Request:
        """Return the request that does *verb* here, which a person may call *action*."""
        mapping = self.mapping
        path = mapping.path(
            _segment(self.namespace, "namespace"), _segment(self.name, "name"), self.subresource
        )
        attempt = Attempt(
            verb, mapping.plural, mapping.group, self.subresource, self.namespace, self.name, action
        )
        return Request(method, _target(path, query), attempt, body, content_type, accept)


def get(place: Place, *, resource_version: str = "") -> Request:
    """Return the request that reads one object."""
    query = [("resourceVersion", resource_version)] if resource_version else []
    return _named(place).request("GET", "get", query)


def list_(place: Place, query: Query = (), *, accept: str = JSON) -> Request:
    """Return the request that lists a collection; see `selection` for what *query* can say."""
    return place.request("GET", "list", query, accept=accept)


def watch(place: Place, query: Query = (), *, accept: str = JSON) -> Request:
    """Return the request that follows a collection."""
    return place.request("GET", "watch", [("watch", "true"), *query], accept=accept)


def create(place: Place, body: bytes, options: WriteOptions) -> Request:
    """Return the request that creates an object, or a subresource of one."""
    return _placed(place).request(
        "POST", "create", options.query(), body=body, content_type="application/json"
    )


def update(place: Place, body: bytes, options: WriteOptions) -> Request:
    """Return the request that replaces an object."""
    return _named(place).request(
        "PUT", "update", options.query(), body=body, content_type="application/json"
    )


def patch(
    place: Place, body: bytes, options: WriteOptions, *, patch_type: PatchType, force: bool = False
) -> Request:
    """Return the request that changes an object by a patch of the given type."""
    if patch_type not in CONTENT_TYPES:
        known = ", ".join(map(repr, CONTENT_TYPES))
        raise ValueError(f"{patch_type!r} is not a type of patch: write one of {known}")
    query = options.query()
    if force:
        query.append(("force", "true"))
    action = "apply" if patch_type == "apply" else ""
    return _named(place).request(
        "PATCH", "patch", query, body=body, content_type=CONTENT_TYPES[patch_type], action=action
    )


def delete(place: Place, body: bytes = b"") -> Request:
    """Return the request that deletes one object; *body* is a DeleteOptions, if any."""
    return _named(place).request("DELETE", "delete", body=body, content_type=_json_if(body))


def delete_all(place: Place, query: Query = (), body: bytes = b"") -> Request:
    """Return the request that deletes a whole collection, or the selected objects in it."""
    return _placed(place).request(
        "DELETE", "deletecollection", query, body=body, content_type=_json_if(body)
    )


def selection(  # noqa: PLR0913  # one keyword for each of ListOptions' fields
    *,
    labels: str = "",
    fields: str = "",
    limit: int = 0,
    continue_: str = "",
    resource_version: str = "",
    resource_version_match: str = "",
    timeout_seconds: int = 0,
    bookmarks: bool = False,
    send_initial_events: bool = False,
    shard_selector: str = "",
) -> list[tuple[str, str]]:
    """Return list options as query parameters; empty ones are left out."""
    pairs = [
        ("labelSelector", labels),
        ("fieldSelector", fields),
        ("limit", str(limit) if limit else ""),
        ("continue", continue_),
        ("resourceVersion", resource_version),
        ("resourceVersionMatch", resource_version_match),
        ("timeoutSeconds", str(timeout_seconds) if timeout_seconds else ""),
        ("allowWatchBookmarks", "true" if bookmarks else ""),
        ("sendInitialEvents", "true" if send_initial_events else ""),
        ("shardSelector", shard_selector),
    ]
    return [(name, value) for name, value in pairs if value]


def _json_if(body: bytes) -> str:
    return "application/json" if body else ""


def _target(path: str, query: Query) -> str:
    text = "&".join(f"{name}={quote(value, safe='')}" for name, value in query)
    return f"{path}?{text}" if text else path


def _placed(place: Place) -> Place:
    if place.mapping.namespaced and not place.namespace:
        # A collection path without a namespace means all namespaces, which nobody can write to.
        raise ValueError(f"{place.mapping.plural} live in namespaces: say which one")
    return place


def _named(place: Place) -> Place:
    if not place.name:
        # Without a name the path would be the collection's, and a delete would delete all of it.
        raise ValueError(f"which of the {place.mapping.plural}? The name is empty")
    return _placed(place)


def _segment(text: str, what: str) -> str:
    """Return *text* as one segment of a path; it must not reach into another one."""
    if not text or _PLAIN(text):
        return text
    if text in {".", ".."} or "/" in text or "%" in text:
        raise ValueError(f"not a {what}: {text!r}; a name has no '/' or '%' and is not '.' or '..'")
    return quote(text, safe=":@")
