"""Rows of the group ``certificates.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages, human_duration
from kubewright.apiserver.table.printer import AGE, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, part


def _signing_request(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        meta.get("name", ""),
        age(meta.get("creationTimestamp")),
        spec.get("signerName") or NONE,
        spec.get("username", ""),
        NONE if seconds is None else human_duration(seconds),
        _decision(part(obj, "status")),
    ]


def _decision(status: Obj) -> str:
    kinds = {item.get("type") for item in status.get("conditions") or ()}
    shown = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    failed = ",Failed" if "Failed" in kinds else ""
    return f"{shown}{failed}{',Issued' if status.get('certificate') else ''}"


SIGNING_REQUESTS = Printer(
    (
        NAME,
        AGE,
        column("SignerName", "Who shall sign."),
        column("Requestor", "Who asks."),  # codespell:ignore requestor  # Kubernetes' own spelling
        column("RequestedDuration", "For how long."),
        column("Condition", "What was decided."),
    ),
    _signing_request,
)


def _trust_bundle(obj: Obj, age: Ages) -> list[Any]:
    return [obj["metadata"].get("name", ""), part(obj, "spec").get("signerName") or NONE]


TRUST_BUNDLES = Printer(
    (NAME, column("SignerName", "Whose certificates these are.")), _trust_bundle
)


def _pod_certificate(obj: Obj, age: Ages) -> list[Any]:
    spec, state = part(obj, "spec"), "Pending"
    for item in part(obj, "status").get("conditions") or ():
        if item.get("type") in ("Issued", "Denied", "Failed"):
            state = item["type"]
    names = ("podName", "serviceAccountName", "nodeName", "signerName")
    return [
        obj["metadata"].get("name", ""),
        *(spec.get(name, "") for name in names),
        state,
        text.labels(spec.get("unverifiedUserAnnotations")),
    ]


POD_CERTIFICATES = Printer(
    (
        NAME,
        column("PodName", "The pod that it is for."),
        column("ServiceAccountName", "The service account of the pod."),
        column("NodeName", "The node of the pod."),
        column("SignerName", "Who shall sign."),
        column("State", "Is the request Pending, Issued, Denied, or Failed?"),
        column("UnverifiedUserAnnotations", "What the pod says besides."),
    ),
    _pod_certificate,
)
