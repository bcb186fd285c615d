"""OpenAPI v2 and v3 documents about everything that is served."""

import hashlib
from typing import Any

import msgspec

from kubewright.apiserver.aggregation.remote import Remotes
from kubewright.apiserver.meta import status
from kubewright.apiserver.openapi import protobuf
from kubewright.apiserver.openapi.aggregated import merge
from kubewright.apiserver.openapi.document import version2, version3
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.wire.request import Request, Response
from kubewright.apiserver.wire.route import parse_query

ROOT: str = "/openapi/v3"
_JSON = ("application/json", "*/*", "application/*")


class OpenAPI:
    """Serves ``/openapi``; each document is made on the first request for it."""

    def __init__(self, registry: Registry, remotes: Remotes) -> None:
        self._registry = registry
        self._remotes = remotes
        self._generation = 0
        self._made: dict[str, bytes] = {}

    def answer(self, request: Request, path: str) -> Response:
        """Answer a request.

        Raises:
            StatusError: There is no such document, or the client does not accept JSON.
        """
        accept = request.headers.get("accept", "")
        if path == "/openapi/v2" and any(media in accept for media in protobuf.MEDIA_TYPES):
            media = protobuf.MEDIA_TYPES[0]
            return _tagged(request, self._cached("v2.protobuf"), content_type=media)
        _check_accept(accept)
        if path == "/openapi/v2":
            return _tagged(request, self._cached("v2"))
        if path == ROOT:
            return Response(200, self._index())
        if path.startswith(f"{ROOT}/") and path.removeprefix(f"{ROOT}/") in self._names():
            return self._document(request, path.removeprefix(f"{ROOT}/"))
        raise status.no_such_path()

    def _cached(self, name: str) -> bytes:
        if self._generation != self._registry.generation:
            self._generation = self._registry.generation
            self._made.clear()
        if name not in self._made:
            encode = protobuf.encode if name == "v2.protobuf" else msgspec.json.encode
            self._made[name] = encode(self._make(name))
        return self._made[name]

    def _make(self, name: str) -> dict[str, Any]:
        if name in ("v2", "v2.protobuf"):
            document = version2(self._registry)
            for remote in self._remotes.found.values():
                if (offer := self._remotes.offer(remote)) is not None:
                    merge(document, offer.schemas)
            return document
        group, version = self._names()[name]
        return version3(self._registry.groups[group][version].values())

    def _names(self) -> dict[str, tuple[str, str]]:
        return {
            (f"apis/{group}/{version}" if group else f"api/{version}"): (group, version)
            for group, versions in self._registry.groups.items()
            for version in versions
        }

    def _document(self, request: Request, name: str) -> Response:
        """Return the document of a version; a URL with its hash lets clients cache it for good."""
        asked = parse_query(request.query).get("hash")
        right = self._fingerprint(*self._names()[name])
        if asked and asked != right:
            return Response(301, b"", headers=(("Location", f"{ROOT}/{name}?hash={right}"),))
        answer = _tagged(request, self._cached(name))
        if asked:
            answer.headers = (*answer.headers, ("Cache-Control", "public, immutable"))
        return answer

    def _index(self) -> bytes:
        # The real server uses a hash of each document. For that, all of them would have to be made;
        # a hash of the version's resources changes whenever the document does.
        paths = {
            name: {"serverRelativeURL": f"{ROOT}/{name}?hash={self._fingerprint(*found)}"}
            for name, found in self._names().items()
        }
        for remote in self._remotes.found.values():
            if (offer := self._remotes.offer(remote)) is not None and offer.schema_url:
                paths[remote.root.removeprefix("/")] = {"serverRelativeURL": offer.schema_url}
        return msgspec.json.encode({"paths": paths})

    def _fingerprint(self, group: str, version: str) -> str:
        resources = self._registry.groups[group][version].values()
        content = [
            (resource.plural, resource.kind, resource.schema().source if resource.custom else None)
            for resource in resources
        ]
        return hashlib.sha256(msgspec.json.encode(content)).hexdigest().upper()


def _tagged(request: Request, body: bytes, *, content_type: str = "application/json") -> Response:
    tag = f'"{hashlib.sha256(body).hexdigest().upper()}"'
    headers = (("Etag", tag), ("Vary", "Accept"))
    if request.headers.get("if-none-match") == tag:
        return Response(304, b"", headers=headers)
    return Response(200, body, headers=headers, content_type=content_type)


def _check_accept(header: str) -> None:
    accepted = [clause.partition(";")[0].strip() for clause in header.split(",")]
    if header and not any(media in _JSON for media in accepted):
        raise status.not_acceptable(("application/json",))
