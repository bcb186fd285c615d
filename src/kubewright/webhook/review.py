"""AdmissionReview: what the API server asks, and how it is answered, in v1 and in v1beta1."""

from base64 import b64encode
from typing import Any, Literal

import msgspec

from kubewright._json import decode, encode, loads
from kubewright.errors import DecodeError

__all__ = [
    "AdmissionRequest",
    "AdmissionResponse",
    "GroupVersionKindName",
    "GroupVersionResourceName",
    "ReviewError",
    "User",
    "read_review",
    "write_review",
]

GROUP: str = "admission.k8s.io"
_FIRST_ERROR, _LAST_ERROR = 400, 599  # kube-apiserver breaks the connection at, say, 1000
_VERSIONS = (f"{GROUP}/v1", f"{GROUP}/v1beta1")


class ReviewError(ValueError):
    """What was sent is not a review that can be answered; the text says why."""


class _Named(msgspec.Struct, frozen=True, rename="camel", gc=False):
    group: str = ""
    version: str = ""


class GroupVersionKindName(_Named, frozen=True, gc=False):
    """A kind, as a review names it."""

    kind: str = ""


class GroupVersionResourceName(_Named, frozen=True, gc=False):
    """A resource, as a review names it."""

    resource: str = ""


class User(msgspec.Struct, frozen=True, rename="camel"):
    """Who makes the request.

    Attributes:
        username: The name, such as ``system:serviceaccount:shop:operator``.
        uid: What tells users of the same name apart.
        groups: The groups, such as ``system:authenticated``.
        extra: What the authenticator added.
    """

    username: str = ""
    uid: str = ""
    groups: list[str] = []
    extra: dict[str, list[str]] = {}


class AdmissionRequest(msgspec.Struct, frozen=True, rename="camel"):
    """The request that the API server asks about.

    Attributes:
        uid: Names the question; the answer repeats it.
        kind: The kind of the objects here.
        resource: The resource that the webhook was declared for.
        sub_resource: Such as ``status`` or ``scale``; empty for the object itself.
        request_kind: The kind as the user sent it, if *kind* was converted from it.
        request_resource: The resource that the user named.
        request_sub_resource: The subresource that the user named.
        name: The name of the object; empty while the server has still to generate it.
        namespace: Its namespace; empty for objects without one.
        operation: What the user does.
        user_info: Who it is.
        object: The new object as JSON; empty for DELETE.
        old_object: The old object as JSON; empty for CREATE.
        dry_run: Whether nothing will be stored, so that nothing else may be changed either.
        options: The options of the operation, such as CreateOptions, as JSON.
    """

    uid: str = ""
    kind: GroupVersionKindName = GroupVersionKindName()
    resource: GroupVersionResourceName = GroupVersionResourceName()
    sub_resource: str = ""
    request_kind: GroupVersionKindName | None = None
    request_resource: GroupVersionResourceName | None = None
    request_sub_resource: str = ""
    name: str = ""
    namespace: str = ""
    operation: Literal["CREATE", "UPDATE", "DELETE", "CONNECT"] = "CREATE"
    user_info: User = msgspec.field(default_factory=User)
    object: msgspec.Raw = msgspec.Raw(b"")
    old_object: msgspec.Raw = msgspec.Raw(b"")
    dry_run: bool | None = None
    options: msgspec.Raw = msgspec.Raw(b"")

    def document(self) -> dict[str, Any] | None:
        """Return the new object as a dict; ``None`` if there is none."""
        return _document(self.object)

    def old_document(self) -> dict[str, Any] | None:
        """Return the old object as a dict; ``None`` if there is none."""
        return _document(self.old_object)


def _document(raw: msgspec.Raw) -> dict[str, Any] | None:
    found = loads(raw) if is_given(raw) else None
    return found if isinstance(found, dict) else None


def is_given(raw: msgspec.Raw) -> bool:
    """Tell whether there is an object in *raw*: ``null`` is none."""
    return len(raw) > 4  # noqa: PLR2004  # the length of "null"; an object with a kind is longer


class AdmissionResponse(msgspec.Struct, kw_only=True):
    """The answer to an `AdmissionRequest`.

    Attributes:
        allowed: Whether the request may go on.
        status: Why not: a ``Status``, of which the user sees ``message``, ``reason`` and ``code``.
        patch: A JSON patch for the object; of mutating webhooks only.
        warnings: Texts that kubectl prints as ``Warning: …``.
        audit_annotations: What goes into the audit log beside the request.
    """

    allowed: bool = True
    status: dict[str, Any] | None = None
    patch: list[dict[str, Any]] = []
    warnings: list[str] = []
    audit_annotations: dict[str, str] = {}

    @classmethod
    def refused(
        cls, message: str, *, code: int = 403, reason: str = "Forbidden"
    ) -> "AdmissionResponse":
        """Return an answer that refuses, with *message* for the user."""
        if not _FIRST_ERROR <= code <= _LAST_ERROR:
            raise ValueError(f"a refusal has a code from 400 to 599, not {code}")
        return cls(allowed=False, status=failure(message, code=code, reason=reason))


def failure(message: str, *, code: int, reason: str) -> dict[str, Any]:
    """Return a ``Status`` for a failure."""
    return {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    }  # fmt: skip


class AdmissionReview(msgspec.Struct, rename="camel"):
    """A review as it is sent."""

    api_version: str = ""
    kind: str = ""
    request: AdmissionRequest | None = None


def read_review(body: bytes) -> tuple[str, AdmissionRequest]:
    """Return the ``apiVersion`` of a review, and what it asks.

    Raises:
        ReviewError: It cannot be answered.
    """
    try:
        found = decode(body, AdmissionReview)
    except DecodeError as error:
        raise ReviewError(f"the body is not an AdmissionReview: {error}") from None
    if found.kind != "AdmissionReview" or found.api_version not in _VERSIONS:
        raise ReviewError(
            f"this webhook answers an AdmissionReview in {' or '.join(_VERSIONS)}, not"
            f" {found.kind or 'nothing'!r} in {found.api_version!r}"
        )
    if found.request is None or not found.request.uid:
        raise ReviewError("the AdmissionReview has no request with a uid, which the answer repeats")
    return found.api_version, found.request


def write_review(api_version: str, uid: str, answer: AdmissionResponse) -> bytes:
    """Return *answer* as the review to send, in the version in which it was asked."""
    response: dict[str, Any] = {"uid": uid, "allowed": answer.allowed}
    if answer.status is not None:
        response["status"] = answer.status
    if answer.patch:
        response["patch"] = b64encode(encode(answer.patch)).decode("ascii")
        response["patchType"] = "JSONPatch"
    if answer.warnings:
        response["warnings"] = answer.warnings
    if answer.audit_annotations:
        response["auditAnnotations"] = answer.audit_annotations
    return encode({"kind": "AdmissionReview", "apiVersion": api_version, "response": response})
