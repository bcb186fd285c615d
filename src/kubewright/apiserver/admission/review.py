"""AdmissionReview: how a webhook is asked, and how its answer is read."""

import binascii
from dataclasses import dataclass, field
from typing import Any

from kubewright.apiserver.admission.attributes import Attributes, GroupVersionKind
from kubewright.apiserver.admission.rules import Match
from kubewright.apiserver.meta.field import quoted
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj

GROUP: str = "admission.k8s.io"
VERSIONS: tuple[str, ...] = ("v1", "v1beta1")
_BAD_REQUEST, _LAST_CODE = 400, 599


@dataclass(slots=True)
class Verdict:
    """What a webhook has answered."""

    allowed: bool
    result: Obj | None = None
    patch: bytes = b""
    patch_type: str = ""
    warnings: list[str] = field(default_factory=list)
    annotations: dict[str, str] = field(default_factory=dict)


def request(
    attributes: Attributes, match: Match, *, uid: str, obj: Obj | None, old: Obj | None
) -> Obj:
    """Return the ``request`` of an AdmissionReview, also what CEL sees as ``request``.

    Args:
        attributes: The write.
        match: How it is shown.
        uid: The answer must carry the same.
        obj: The object in the version of *match*.
        old: The old object, likewise.
    """
    found: Obj = {
        "uid": uid,
        "kind": match.kind._asdict(),
        "resource": match.resource._asdict(),
        "requestKind": attributes.kind._asdict(),
        "requestResource": attributes.resource._asdict(),
    }
    optional = (
        ("subResource", attributes.subresource),
        ("requestSubResource", attributes.subresource),
        ("name", attributes.name),
        ("namespace", attributes.namespace),
    )
    found.update({key: value for key, value in optional if value})
    return {
        **found,
        "operation": attributes.operation,
        "userInfo": attributes.user.json,
        "object": obj,
        "oldObject": old,
        "dryRun": attributes.dry_run,
        "options": attributes.options,
    }


def review(version: str, asked: Obj) -> Obj:
    """Return the AdmissionReview to send."""
    return {"kind": "AdmissionReview", "apiVersion": f"{GROUP}/{version}", "request": asked}


_FIELDS: dict[str, tuple[type, str]] = {
    "uid": (str, "types.UID"),
    "allowed": (bool, "bool"),
    "status": (dict, "v1.Status"),
    "patch": (str, "[]uint8"),
    "patchType": (str, "v1.PatchType"),
    "auditAnnotations": (dict, "map[string]string"),
    "warnings": (list, "[]string"),
}
_STATUS_FIELDS: dict[str, tuple[type, str]] = {
    "message": (str, "string"),
    "reason": (str, "v1.StatusReason"),
    "details": (dict, "v1.StatusDetails"),
    "code": (int, "int32"),
}


def check_decodable(answer: Obj, version: str) -> None:
    """Check that Go could decode an answer.

    Raises:
        ValueError: It could not; the text says where.
    """
    other = answer.get("apiVersion")
    if other in {f"{GROUP}/{one}" for one in VERSIONS if one != version}:
        from_version = str(other).rpartition("/")[2]
        raise ValueError(
            f"converting ({from_version}.AdmissionReview) to ({version}.AdmissionReview):"
            " unknown conversion"
        )
    response = answer.get("response")
    if response is None:
        return
    _check_type(response, dict, "AdmissionReview.response", f"{version}.AdmissionResponse")
    for name, (wanted, go_type) in _FIELDS.items():
        _check_type(response.get(name), wanted, f"AdmissionResponse.response.{name}", go_type)
    for name, (wanted, go_type) in _STATUS_FIELDS.items():
        value = (response.get("status") or {}).get(name)
        _check_type(value, wanted, f"Status.response.status.{name}", go_type)
    for one in response.get("warnings") or ():
        _check_type(one, str, "AdmissionResponse.response.warnings", "string")
    for one in (response.get("auditAnnotations") or {}).values():
        _check_type(one, str, "AdmissionResponse.response.auditAnnotations", "string")


def _check_type(value: Any, wanted: type, place: str, go_type: str) -> None:
    if value is None or type(value) is wanted:
        return
    kind = {dict: "object", list: "array", str: "string", bool: "bool"}.get(type(value), "number")
    said = f"json: cannot unmarshal {kind} into Go struct field {place} of type {go_type}"
    raise ValueError(said)


def verdict(answer: Obj, *, version: str, uid: str, mutating: bool) -> Verdict:
    """Read the AdmissionReview that a webhook has answered.

    Raises:
        ValueError: It is not valid; the text says why as Kubernetes does.
    """
    found = answer.get("response")
    if not found or not isinstance(found, dict):
        raise ValueError("webhook response was absent")
    if version == "v1":
        _check_identity(answer, found, uid)
        _check_patch(found, mutating=mutating)
    return Verdict(
        found.get("allowed") is True,
        found.get("status") if isinstance(found.get("status"), dict) else None,
        _patch(found) if mutating else b"",
        found.get("patchType") or ("JSONPatch" if version == "v1beta1" else ""),
        [str(one) for one in found.get("warnings") or ()],
        {str(key): str(value) for key, value in (found.get("auditAnnotations") or {}).items()},
    )


def _check_identity(answer: Obj, found: Obj, uid: str) -> None:
    if found.get("uid", "") != uid:
        raise ValueError(
            f"expected response.uid={quoted(uid)}, got {quoted(str(found.get('uid', '')))}"
        )
    group, _, version = str(answer.get("apiVersion") or "").rpartition("/")
    shown = GroupVersionKind(group, version, str(answer.get("kind") or ""))
    wanted = GroupVersionKind(GROUP, "v1", "AdmissionReview")
    if shown != wanted:
        raise ValueError(f"expected webhook response of {wanted}, got {shown}")


def _check_patch(found: Obj, *, mutating: bool) -> None:
    patch, kind = found.get("patch"), found.get("patchType")
    if not mutating:
        if patch:
            raise ValueError("validating webhook may not return response.patch")
        if kind is not None:
            raise ValueError("validating webhook may not return response.patchType")
    elif patch and kind is None:
        raise ValueError("webhook returned response.patch but not response.patchType")
    elif not patch and kind is not None:
        raise ValueError("webhook returned response.patchType but not response.patch")
    elif kind == "":
        raise ValueError('webhook returned invalid response.patchType of ""')


def _patch(found: Obj) -> bytes:
    try:
        return binascii.a2b_base64(found.get("patch") or "", strict_mode=True)
    except (binascii.Error, ValueError, TypeError):
        raise ValueError("illegal base64 data in response.patch") from None


def refusal(webhook: str, result: Obj | None) -> StatusError:
    """Return the error for the client of a webhook that refuses: its status, with its name."""
    result = result or {}
    by = f"admission webhook {quoted(webhook)} denied the request"
    said = result.get("message") or result.get("reason")
    code = result.get("code")
    return StatusError(
        # A refusal must have the code of a failure.
        code if isinstance(code, int) and _BAD_REQUEST <= code <= _LAST_CODE else _BAD_REQUEST,
        result.get("reason") or "",
        f"{by}: {said}" if said else f"{by} without explanation",
        result.get("details"),
    )
