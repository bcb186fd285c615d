"""Answers: objects and lists in the form that the client asked for."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from kubewright.apiserver.backend import Call
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.wire.negotiation import PLAIN, Accepted, accepted
from kubewright.apiserver.wire.request import Response

encode: Callable[[Any], bytes] = msgspec.json.Encoder().encode

_PLAIN = 16  # how many times quicker it is to join stored bytes than to read them


def body(content: Any, form: Accepted = PLAIN, *, code: int = 200) -> Response:
    """Return *content*, a tree or ready JSON, in JSON or YAML."""
    data = content if isinstance(content, bytes) else encode(content)
    return Response(code, _yaml(data) if form.yaml else data, form.content_type)


def _yaml(data: bytes) -> bytes:
    from kubewright.apiserver.wire.yaml_format import dump

    return dump(view.decode(data))


def object_form(call: Call) -> Accepted:
    """Return the form that the client wants of one object."""
    header = call.request.headers.get("accept", "")
    if header in ("application/json", "*/*"):
        return PLAIN
    return accepted(header, "table", "partial")


def list_form(call: Call) -> Accepted:
    """Return the form that the client wants of a list."""
    header = call.request.headers.get("accept", "")
    if header in ("application/json", "*/*"):
        return PLAIN
    return accepted(header, "table", "partial-list")


def watch_form(call: Call) -> Accepted:
    """Return the form that the client wants of each event of a watch."""
    header = call.request.headers.get("accept", "")
    if header in ("application/json", "*/*", "application/json;stream=watch"):
        return PLAIN
    return accepted(header, "table", "partial", "partial-list")


async def stored_response(call: Call, found: Stored, *, code: int = 200) -> Response:
    """Return the response that shows a stored object, in the version of the URL."""
    form = object_form(call)
    (data,) = await view.rendered(call.resource, [found])
    return shaped_response(call, data, form, code=code)


def shaped_response(call: Call, data: bytes, form: Accepted, *, code: int = 200) -> Response:
    """Return the response that shows an object, given as JSON in the version of the URL."""
    if form.form == "partial":
        data = view.partial(data, form.version)
    elif form.form == "table":
        obj = view.decode(data)
        version = {"resourceVersion": obj.get("metadata", {}).get("resourceVersion", "")}
        now = call.backend.clock.now()
        data = encode(_table(call, [obj], form, version, now=now, single=True))
    return body(data, form, code=code)


def object_response(call: Call, obj: Obj, *, code: int = 200) -> Response:
    """Return the response that shows an object that is not stored, such as that of a dry run."""
    return shaped_response(call, encode(obj), object_form(call), code=code)


async def list_response(call: Call, objects: Sequence[Stored], metadata: Obj) -> Response:
    """Return the response that shows a list; a large one is encoded in a thread."""
    form = list_form(call)
    items = await view.rendered(call.resource, objects)
    size = sum(map(len, items))
    if form != PLAIN:
        now = call.backend.clock.now()
        return await call.run(
            lambda: _list_response(call, items, metadata, form, now=now), size=size
        )
    return await call.run(
        lambda: body(_plain_list(call.resource, items, metadata), form), size=size // _PLAIN
    )


def _list_response(
    call: Call, items: list[bytes], metadata: Obj, form: Accepted, *, now: datetime
) -> Response:
    if form.form == "table":
        objects = map(msgspec.json.Decoder().decode, items)
        return body(_table(call, objects, form, metadata, now=now), form)
    if form.form == "partial-list":
        head = {
            "kind": "PartialObjectMetadataList",
            "apiVersion": f"meta.k8s.io/{form.version}",
            "metadata": metadata,
        }
        return body(joined(head, [view.partial(item, form.version) for item in items]), form)
    return body(_plain_list(call.resource, items, metadata), form)


def _plain_list(resource: Resource, items: list[bytes], metadata: Obj) -> bytes:
    opening = b""
    if resource.custom:
        metadata = {"continue": "", **metadata}
    else:
        opening = resource.opening  # the list says what its items are
    head = {"kind": resource.list_kind, "apiVersion": resource.api_version, "metadata": metadata}
    return joined(head, items, opening=opening)


def joined(head: Obj, items: Sequence[bytes], *, opening: bytes = b"") -> bytes:
    """Return a list as JSON: *head* with the items behind it, without *opening* each."""
    start, end = encode(head)[:-1] + b',"items":[', b"]}"
    if not items:
        return start + end
    # Views and one join: a list may be large, and each copy would cost as much as the rest.
    skipped, between = 0, b","
    if opening and all(item.startswith(opening) for item in items):
        skipped, between, start = len(opening), b",{", start + b"{"
    elif opening:
        items = [view.without_type(item, opening) for item in items]
    parts: list[bytes | memoryview] = [memoryview(item)[skipped:] for item in items]
    parts[0] = start + parts[0]
    parts[-1] = bytes(parts[-1]) + end
    return between.join(parts)


def _table(
    call: Call,
    objects: Iterable[Obj],
    form: Accepted,
    metadata: Obj,
    *,
    now: datetime,
    single: bool = False,
) -> Obj:
    from kubewright.apiserver.table import table_for

    table: Obj = table_for(
        call.resource,
        objects,
        now=now,
        include=call.query.get("includeObject", "Metadata"),
        version=form.version,
        single=single,
        subresource=call.subresource,
    )
    table["metadata"] = metadata
    return table


def success(call: Call, *, uid: str = "") -> Response:
    """Return the response that says Success."""
    content = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": call.details(uid=uid),
    }
    return body(content)
