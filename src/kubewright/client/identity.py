"""Makes sure that a write changes the object that was read, never a namesake.

A name is free again once its object is gone. What tells two objects of one name apart is their uid,
and the server compares it, if the write carries it:

- A replacement with another uid is a 409 that names both.
- A merge patch with another uid is a 422, since a uid cannot be changed.
- In a patch of the status of a custom resource the server ignores the uid: it takes all metadata
  from what it has. It only compares the resourceVersion, which no two objects share.
"""

import re
from typing import Any

import msgspec
from msgspec.structs import replace

from kubewright import _json
from kubewright.api import requests
from kubewright.api.requests import JSON, METADATA, Place, Request, WriteOptions
from kubewright.api.resource import Resource, raw_of
from kubewright.api.unstructured import Unstructured
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Response
from kubewright.errors import (
    OBJECT_REPLACED,
    APIError,
    ConflictError,
    DecodeError,
    InvalidError,
    Status,
    StatusCause,
    StatusDetails,
    TransportError,
)

TRIES: int = 5
"""How often a patch is sent that must carry a version, though it does not care for it."""

_UID = "metadata.uid"
_PRECONDITION = re.compile(r"UID in precondition: (\S+), UID in object meta: (\S+)")


class Identity(msgspec.Struct, frozen=True, rename="camel"):
    """Which object it is, and in which version; empty where that is not known."""

    uid: str = ""
    resource_version: str = ""


class _Parts(msgspec.Struct):
    metadata: Identity = Identity()


def identity_of(obj: Resource | Unstructured) -> Identity:
    """Return which object was read as *obj*; an empty identity if it was not read."""
    raw = obj.raw if isinstance(obj, Unstructured) else raw_of(obj)
    if raw is not None:
        return _json.decode(raw, _Parts).metadata
    meta = obj.metadata
    return Identity(meta.uid or "", meta.resource_version or "")


async def send_patch(
    rest: RESTClient, place: Place, patch: dict[str, Any], options: WriteOptions, read: Identity
) -> tuple[Request, Response]:
    """Send a merge patch of the object that *read* names, and of no other one of its name.

    It is one request, unless the object has changed meanwhile.

    Raises:
        ConflictError: Another object has taken its place. Or the patch has a version, and the
            object is in another one; or the object changes faster than it can be patched.
    """
    metadata = dict(patch.get("metadata") or {})
    if not read.uid or "uid" in metadata:
        return await _send(rest, place, patch, options)  # never read, or the caller knows better
    metadata["uid"] = read.uid
    borrows = not metadata.get("resourceVersion") and _is_uid_ignored(place)
    if borrows:
        metadata["resourceVersion"] = read.resource_version
    for tries_left in reversed(range(TRIES)):
        try:
            return await _send(rest, place, {**patch, "metadata": metadata}, options)
        except (ConflictError, InvalidError) as error:
            if not _may_be_replaced(error):
                raise
            live = await _find_live(rest, place, error)
            if live.uid != read.uid and (live.uid or isinstance(error, InvalidError)):
                raise replaced(error, read.uid, live.uid) from error
            if not borrows or not live.uid or not tries_left:
                raise
            metadata["resourceVersion"] = live.resource_version
    raise AssertionError("unreachable")


def told(error: ConflictError) -> ConflictError:
    """Return *error*, or a clearer error if the server says that the uid differs."""
    found = _PRECONDITION.search(error.status.message or "")
    return replaced(error, *found.groups()) if found else error


def replaced(error: APIError, before: str, now: str) -> ConflictError:
    """Return the error for a write to *before*, whose name now belongs to another object."""
    attempt = error.attempt
    other = f"the uid {now}" if now else "another uid"
    message = (
        f"the object was replaced: what was read has the uid {before}, and the object of the same"
        f" name that is there now is another one, with {other}. Nothing was written."
    )
    details = StatusDetails(
        name=attempt.name,
        group=attempt.group or None,
        kind=attempt.resource,
        uid=now or None,
        causes=[StatusCause(OBJECT_REPLACED, f"another uid than {before}", _UID)],
    )
    return ConflictError(attempt, Status("Failure", message, "Conflict", details, 409))


async def _send(
    rest: RESTClient, place: Place, patch: dict[str, Any], options: WriteOptions
) -> tuple[Request, Response]:
    request = requests.patch(place, _json.encode(patch), options, patch_type="merge")
    return request, await rest.send(request)


def _is_uid_ignored(place: Place) -> bool:
    """Tell whether *place* may be the status of a custom resource.

    The group of a custom resource has a dot. Some of Kubernetes' own have one, too, and pay for it
    with two more requests when the object has changed.
    """
    return place.subresource == "status" and "." in place.mapping.group


def _may_be_replaced(error: ConflictError | InvalidError) -> bool:
    if isinstance(error, ConflictError):
        return not error.is_about_ownership
    # Whatever else is wrong with it: the patch was made for another object.
    return any(cause.field == _UID for cause in error.causes)


async def _find_live(rest: RESTClient, place: Place, error: Exception) -> Identity:
    """Return the identity of the object that has the name now; empty if unknown."""
    whole = replace(place, subresource="")
    # An aggregated server may not know the short form.
    request = whole.request("GET", "get", accept=f"{METADATA},{JSON}")
    try:
        response = await rest.send(request)
        return _json.decode(response.body, _Parts).metadata
    except (APIError, TransportError, DecodeError) as problem:
        error.add_note(f"whether it is still the object that was read is not known: {problem}")
        return Identity()
