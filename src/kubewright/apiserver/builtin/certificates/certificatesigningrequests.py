"""CertificateSigningRequests."""

from base64 import b64decode
from binascii import Error as Base64Error
from typing import Any

from kubewright.apiserver.builtin.certificates.signers import signer_name
from kubewright.apiserver.builtin.fields.checks import first_indexes, needed, one_of
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import NameRule, Obj, Strategy, Write

_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
_FINAL = ("Approved", "Denied", "Failed")
_TEN_MINUTES = 600
_REQUESTER = ("username", "uid", "groups", "extra")


class CertificateSigningRequestStrategy(Strategy):
    """CertificateSigningRequests: the spec is immutable, approvers and signers write the status."""

    name_rule: NameRule = staticmethod(naming.path_segment)
    has_status = True
    field_names: frozenset[str] = frozenset({"spec.signerName"})

    def default(self, obj: Obj) -> None:
        """Include spec and status even if they are empty."""
        obj.setdefault("spec", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Record the requesting user in the spec."""
        obj["status"] = {}
        spec, user = obj["spec"], write.user
        for name in _REQUESTER:
            spec.pop(name, None)
        if user is None:
            return
        found = {
            "username": user.name,
            "uid": user.uid,
            "groups": list(user.groups),
            "extra": {name: list(values) for name, values in dict(user.extra).items()},
        }
        spec.update({name: value for name, value in found.items() if value})

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep the spec."""
        new["spec"] = old["spec"]

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep approvals and denials, and set the times of conditions."""
        _keep_decisions(new, old)
        _set_times(new, old, write.now)

    def prepare_approval(self, new: Obj, old: Obj, write: Write) -> None:
        """Keep everything but the conditions, which ``/approval`` may change."""
        _set_times(new, old, write.now)
        conditions = (new.get("status") or {}).get("conditions")
        new["spec"] = old["spec"]
        new["status"] = dict(old.get("status") or {})
        if conditions:
            new["status"]["conditions"] = conditions

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the request, its usages and the signer."""
        spec = obj["spec"]
        found = _request(spec.get("request") or "")
        usages = spec.get("usages") or []
        found += needed(usages, "spec.usages")
        for index, usage in enumerate(usages):
            found += one_of(usage, _USAGES, f"spec.usages[{index}]")
        first = first_indexes(usages)
        for index, usage in enumerate(usages):
            if first[usage] != index:
                found.append(field.duplicate(f"spec.usages[{index}]", usage))
        found += signer_name(spec.get("signerName") or "", "spec.signerName")
        seconds = spec.get("expirationSeconds")
        if seconds is not None and seconds < _TEN_MINUTES:
            why = "may not specify a duration less than 600 seconds (10 minutes)"
            found.append(field.invalid("spec.expirationSeconds", seconds, why))
        return found + _conditions(obj)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that no decision changed and no certificate was replaced."""
        found = _conditions(new) + _kept(new, old) + _decisions_kept(new, old)
        before, after = _certificate(old), _certificate(new)
        if before and after != before:
            why = "updates may not modify existing certificate content"
            found.append(field.forbidden("status.certificate", why))
        return found

    def validate_approval(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the conditions that ``/approval`` sets."""
        return _conditions(new) + _kept(new, old)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the name of the signer."""
        return {"spec.signerName": (obj.get("spec") or {}).get("signerName", "")}


def _request(encoded: str) -> Errors:
    try:
        text = b64decode(encoded)
    except (Base64Error, ValueError):
        text = b""
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in text:
        why = "PEM block type must be CERTIFICATE REQUEST"
        return [field.invalid("spec.request", encoded or None, why)]
    if problem := _signature(text):
        return [field.invalid("spec.request", encoded, problem)]
    return []


def _signature(text: bytes) -> str:
    from cryptography import x509

    try:
        request = x509.load_pem_x509_csr(text)
    except ValueError as error:
        return f"asn1: structure error: {error}"
    return "" if request.is_signature_valid else "x509: ECDSA verification failure"


def _certificate(obj: Obj) -> Any:
    return (obj.get("status") or {}).get("certificate")


def _all_conditions(obj: Obj) -> list[Obj]:
    found: list[Obj] = (obj.get("status") or {}).get("conditions") or []
    return found


def _of_type(obj: Obj, kind: str) -> list[Obj]:
    return [item for item in _all_conditions(obj) if item.get("type") == kind]


def _keep_decisions(new: Obj, old: Obj) -> None:
    for kind in ("Approved", "Denied"):
        before, after = _of_type(old, kind), _of_type(new, kind)
        if len(before) == len(after):
            for item, other in zip(after, before, strict=True):
                item.clear()
                item.update(other)


def _set_times(new: Obj, old: Obj, now: str) -> None:
    for item in _all_conditions(new):
        item.setdefault("lastUpdateTime", now)
        same = [
            other["lastTransitionTime"]
            for other in _of_type(old, item.get("type", ""))
            if other.get("status") == item.get("status") and other.get("lastTransitionTime")
        ]
        item.setdefault("lastTransitionTime", same[0] if same else now)


def _conditions(obj: Obj) -> Errors:
    path = "status.conditions"
    found: Errors = []
    seen: list[str] = []
    for index, item in enumerate(_all_conditions(obj)):
        kind, state = item.get("type") or "", item.get("status") or ""
        found += needed(kind, f"{path}[{index}].type")
        allowed = ("True",) if kind in _FINAL else ("False", "True", "Unknown")
        where = f"{path}[{index}].status"
        found += needed(state, where) or one_of(state, allowed, where)
        if {kind, *seen} >= {"Approved", "Denied"} and kind in ("Approved", "Denied"):
            why = "Approved and Denied conditions are mutually exclusive"
            found.append(field.invalid(path, kind, why))
        if kind in seen:
            found.append(field.duplicate(f"{path}[{index}].type", kind))
        seen.append(kind)
    return found


def _kept(new: Obj, old: Obj) -> Errors:
    return [
        field.forbidden("status.conditions", f'updates may not remove a condition of type "{kind}"')
        for kind in _FINAL
        if len(_of_type(new, kind)) < len(_of_type(old, kind))
    ]


def _decisions_kept(new: Obj, old: Obj) -> Errors:
    return [
        field.forbidden("status.conditions", f'updates may not add a condition of type "{kind}"')
        for kind in ("Approved", "Denied")
        if len(_of_type(new, kind)) > len(_of_type(old, kind))
    ]
