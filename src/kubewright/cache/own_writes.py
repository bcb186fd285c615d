"""Own writes: what the answer to a write says about the object, for readers to see at once."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import msgspec

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request
from kubewright.cache.entry import NO_LABELS
from kubewright.cache.informer import Informer
from kubewright.client.transport import Response
from kubewright.errors import StatusDetails

NOTE: ContextVar[Callable[["OwnWrite"], None] | None] = ContextVar("note", default=None)
"""Called with each write of the current task to a kind that is cached."""


class OwnWrite(msgspec.Struct, frozen=True, gc=False):
    """An object after a write of this process.

    Attributes:
        key: The namespace and name.
        uid: Its uid; empty if the server did not say.
        raw: The object in the answer; empty if the answer only said that it is gone.
        gone: Whether it no longer exists.
        api_version: The version of the object in the answer; empty if there was none.
        kind: Its kind; empty if there was no object in the answer.
        resource_version: Its resource version; empty if there was no object in the answer.
        labels: Its labels.
    """

    key: ObjectKey
    uid: str
    raw: bytes = b""
    gone: bool = False
    api_version: str = ""
    kind: str = ""
    resource_version: str = ""
    labels: dict[str, str] = NO_LABELS


class _Meta(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] | None = None
    finalizers: list[str] | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None


class _Answer(msgspec.Struct, rename="camel", gc=False):
    api_version: str = ""
    kind: str = ""
    metadata: _Meta = msgspec.field(default_factory=_Meta)


class _Answers(msgspec.Struct, gc=False):
    items: list[_Answer] = []


class _Status(msgspec.Struct, gc=False):
    details: StatusDetails | None = None


class _Spec(msgspec.Struct, gc=False):
    finalizers: list[str] | None = None


class _DeleteOptions(msgspec.Struct, rename="camel", gc=False):
    grace_period_seconds: int | None = None


class _Namespace(msgspec.Struct, gc=False):
    spec: _Spec = msgspec.field(default_factory=_Spec)


def own_write(request: Request, response: Response) -> OwnWrite | None:
    """Return what *response* says about the object that *request* wrote.

    ``None`` if it says nothing: the answer to the deletion of a collection shows the objects as
    they were before, and a subresource may answer with something other than the object.

    Raises:
        DecodeError: The answer is not an object.
    """
    attempt = request.attempt
    if attempt.verb == "deletecollection":
        return None
    answer = _json.decode(response.body, _Answer)
    if answer.kind == "Status" and answer.api_version == "v1":
        if attempt.verb != "delete" or attempt.subresource:
            return None
        details = _json.decode(response.body, _Status).details
        uid = details.uid or "" if details else ""
        return OwnWrite(ObjectKey(attempt.namespace, attempt.name), uid, gone=True)
    meta = answer.metadata
    if not meta.name or not meta.uid or not meta.resource_version:
        return None  # a review, a token, a scale: nothing that is stored
    return OwnWrite(
        ObjectKey(meta.namespace, meta.name),
        meta.uid,
        response.body,
        _is_gone(request, answer, response.body),
        answer.api_version,
        answer.kind,
        meta.resource_version,
        meta.labels or NO_LABELS,
    )


def _is_gone(request: Request, answer: _Answer, raw: bytes) -> bool:
    """Say whether the server has removed the object in its answer.

    A deletion that has to wait sets the deletion timestamp; one that is done returns the last
    state. A write that takes the last finalizer from a deleted object removes it.
    """
    meta = answer.metadata
    deletes = request.attempt.verb == "delete"
    if meta.deletion_timestamp is None:
        return deletes
    if meta.finalizers:
        return False
    if meta.deletion_grace_period_seconds:
        # Deleted before with a grace period, and now at once: the answer is the old state.
        return deletes and _is_at_once(request)
    # The only kind that has finalizers outside of its metadata.
    is_namespace = answer.kind == "Namespace" and answer.api_version == "v1"
    return not (is_namespace and _json.decode(raw, _Namespace).spec.finalizers)


def _is_at_once(request: Request) -> bool:
    if not request.body:
        return False
    return _json.decode(request.body, _DeleteOptions).grace_period_seconds == 0


def note_deletions(response: Response, informer: Informer[Any]) -> None:
    """Let whoever waits for *informer* wait for the end of each object that *response* lists.

    It answers the deletion of a collection, and shows the objects as they were before. Some may
    only be marked as deleted: until the stream tells, readers see them as they were.
    """
    for one in _json.decode(response.body, _Answers).items:
        meta = one.metadata
        if meta.deletion_timestamp is None:  # otherwise nothing changes
            key = ObjectKey(meta.namespace, meta.name)
            informer.store.expect_change(key, meta.uid, version=meta.resource_version)


def note(write: OwnWrite, informer: Informer[Any]) -> None:
    """Let the readers of *informer* see *write*, if it is about one of its objects."""
    selection, store, key = informer.selection, informer.store, write.key
    if informer.namespaces and key.namespace not in informer.namespaces:
        return
    if write.kind and write.kind != selection.mapping.kind:
        return  # the answer of a subresource
    known = store.find_entry(key)
    uid = write.uid or (known.uid if known is not None else "")
    if not selection.covers(key, uid):
        return
    if write.gone:
        if uid:
            store.note_deletion(key, uid)
    elif write.api_version != selection.mapping.gvk.api_version:
        return  # the same object, but in another version than the informer keeps
    elif not selection.labels.matches(write.labels):
        # Hide it even if it is not known: the stream may be about to show the state before.
        store.note_deletion(key, uid, version=write.resource_version)
    elif selection.fields_are_known or (known is not None and known.uid == uid):
        store.note_write(store.codec.entry(write.raw))
