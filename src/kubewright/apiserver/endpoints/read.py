"""Get and list."""

import base64
from collections.abc import Sequence
from typing import Any

import msgspec

from kubewright.apiserver.backend import Call
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.selection import Selection
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.wire import output
from kubewright.apiserver.wire.options import ListOptions, list_options
from kubewright.apiserver.wire.request import Response

LONGEST_VERSION: int = 40  # digits: more than any number that fits
INCONSISTENT: str = (
    "The provided continue parameter is too old to display a consistent list result. You can start"
    " a new list without the continue parameter, or use the continue token in this response to"
    " retrieve the remainder of the results. Continuing with the provided token results in an"
    " inconsistent list - objects that were created, modified, or deleted between the time the"
    " first chunk was returned and now may show up in the list."
)


def find(call: Call) -> Stored:
    """Return the object that the URL names.

    Raises:
        StatusError: There is none.
    """
    found = call.backend.store.find(call.storage, call.namespace, call.name)
    if found is None:
        raise status.not_found(call.group_resource, call.name)
    return found


async def get(call: Call) -> Response:
    """Answer with one object."""
    if version := call.query.get("resourceVersion"):
        parse_version(version, call)
    return await output.stored_response(call, find(call))


async def list_objects(call: Call) -> Response:
    """Answer with all objects that match, or a page of them."""
    options = list_options(call.query, watch=False)
    selection = await call.run(
        lambda: Selection(
            call.work, options.labels, options.fields, rename=call.resource.rename_field
        ),
        size=len(options.labels) + len(options.fields),
    )
    revision, objects = _snapshot(call, options)
    chosen = await selection.of(objects)
    metadata: dict[str, Any] = {"resourceVersion": str(revision)}
    if options.limit and len(chosen) > options.limit:
        rest = len(chosen) - options.limit
        chosen = chosen[: options.limit]
        metadata["continue"] = _token(revision, chosen[-1].key + "\0", namespace=call.namespace)
        if selection.everything:
            metadata["remainingItemCount"] = rest
    return await output.list_response(call, chosen, metadata)


def _snapshot(call: Call, options: ListOptions) -> tuple[int, Sequence[Stored]]:
    """Return the revision to answer with, and the objects to select from."""
    collection, namespace = call.collection, call.namespace
    current = call.backend.store.revision
    if options.continue_token:
        return _continued(call, options)
    if options.resource_version:
        wanted = parse_version(options.resource_version, call)
        if options.match == "Exact" and wanted:
            return wanted, collection.list_at(wanted, namespace)
    return current, collection.list(namespace)


def _continued(call: Call, options: ListOptions) -> tuple[int, Sequence[Stored]]:
    if options.resource_version not in ("", "0"):
        raise status.bad_request("specifying resource version is not allowed when using continue")
    revision, start = _read_token(options.continue_token, call.namespace)
    collection = call.collection
    if revision < 0:
        revision, objects = call.backend.store.revision, collection.list(call.namespace)
    elif revision < call.backend.store.horizon():
        raise _inconsistent(call, start)
    else:
        try:
            objects = collection.list_at(revision, call.namespace)
        except StatusError:
            raise _inconsistent(call, start) from None
    return revision, [stored for stored in objects if stored.key >= start]


def _inconsistent(call: Call, start: str) -> StatusError:
    """Return the 410 with a token that continues the list at a newer revision."""
    error = status.expired(INCONSISTENT)
    error.metadata = {"continue": _token(-1, start, namespace=call.namespace)}
    return error


def _token(revision: int, key: str, *, namespace: str) -> str:
    start = key.removeprefix(f"{namespace}/") if namespace else key
    content = {"v": "meta.k8s.io/v1", "rv": revision, "start": start}
    return base64.urlsafe_b64encode(msgspec.json.encode(content)).rstrip(b"=").decode()


def _read_token(token: str, namespace: str) -> tuple[int, str]:
    try:
        padded = token + "=" * (-len(token) % 4)
        content = msgspec.json.decode(base64.urlsafe_b64decode(padded))
        revision, start, version = content["rv"], content["start"], content["v"]
    except (ValueError, TypeError, KeyError) as error:
        raise status.bad_request(
            f"invalid continue token: continue key is not valid: {error}"
        ) from None
    if version != "meta.k8s.io/v1" or not isinstance(revision, int) or not isinstance(start, str):
        raise status.bad_request(
            "invalid continue token: continue key is not valid: server does not recognize this"
            " encoded version"
        )
    if not start:
        raise status.bad_request(
            "invalid continue token: continue key is not valid: encoded start key empty"
        )
    return revision, f"{namespace}/{start}" if namespace else start


def parse_version(text: str, call: Call) -> int:
    """Read a resource version, which must not lie in the future.

    Raises:
        StatusError: It is not a version, or lies in the future.
    """
    problem = ""
    if not (text.isascii() and text.isdecimal()):
        problem = "invalid syntax"
    elif len(text) > LONGEST_VERSION or int(text) >= 1 << 64:
        problem = "value out of range"
    if problem:
        why = f'strconv.ParseUint: parsing "{text}": {problem}'
        message = f'invalid resource version: resourceVersion: Invalid value: "{text}": {why}'
        raise status.bad_request(message)
    wanted, current = int(text), call.backend.store.revision
    if wanted > current:
        raise too_large_version(wanted, current)
    return wanted


def too_large_version(wanted: int, current: int) -> StatusError:
    """Return the refusal of a version that does not exist yet."""
    error = status.timeout(f"Too large resource version: {wanted}, current: {current}")
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    error.details = {"causes": [cause], "retryAfterSeconds": 1}
    return error
