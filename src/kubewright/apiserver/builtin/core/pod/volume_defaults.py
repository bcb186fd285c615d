"""Defaults of pod volumes and of claim templates."""

from collections.abc import Iterable
from typing import Any

from kubewright.apiserver.builtin.core.pod.images import pull_policy
from kubewright.apiserver.registry.strategy import Obj

FILE_MODE: int = 0o644

_FIXED: dict[str, tuple[tuple[str, Any], ...]] = {
    "secret": (("defaultMode", FILE_MODE),),
    "configMap": (("defaultMode", FILE_MODE),),
    "downwardAPI": (("defaultMode", FILE_MODE),),
    "projected": (("defaultMode", FILE_MODE),),
    "hostPath": (("type", ""),),
    "iscsi": (("iscsiInterface", "default"),),
    "rbd": (("pool", "rbd"), ("user", "admin"), ("keyring", "/etc/ceph/keyring")),
    "azureDisk": (
        ("cachingMode", "ReadWrite"),
        ("fsType", "ext4"),
        ("readOnly", False),
        ("kind", "Shared"),
    ),
    "scaleIO": (("storageMode", "ThinProvisioned"), ("fsType", "xfs")),
}


def default_volumes(volumes: Iterable[Obj]) -> None:
    """Fill in volumes; one without a source becomes an ``emptyDir``."""
    for volume in volumes:
        if not any(key != "name" for key in volume):
            volume["emptyDir"] = {}
            continue
        for source, content in volume.items():
            if source != "name" and isinstance(content, dict):
                _default_source(source, content)


def _default_source(source: str, content: Obj) -> None:
    for name, value in _FIXED.get(source, ()):
        content.setdefault(name, value)
    _drop_alpha(content)
    if source == "emptyDir":
        content.pop("mode", None)
    elif source == "downwardAPI":
        _default_files(content)
    elif source == "projected":
        _default_projections(content)
    elif source == "ephemeral":
        _default_template(content.get("volumeClaimTemplate"))
    elif source == "image" and not content.get("pullPolicy"):
        content["pullPolicy"] = pull_policy(content.get("reference") or "")


def _drop_alpha(content: Obj) -> None:
    """Remove fields that 1.37 drops because their features are off by default."""
    content.pop("defaultUser", None)
    for item in content.get("items") or ():
        item.pop("user", None)


def _default_projections(projected: Obj) -> None:
    projected.setdefault("sources", None)  # Go writes the list even if it is nil
    for source in projected["sources"] or ():
        for part in source.values():
            _drop_alpha(part)
        if (token := source.get("serviceAccountToken")) is not None:
            token.setdefault("expirationSeconds", 3600)
            token.pop("user", None)
        if (files := source.get("downwardAPI")) is not None:
            _default_files(files)


def _default_files(volume: Obj) -> None:
    for file in volume.get("items") or ():
        if (selector := file.get("fieldRef")) is not None and not selector.get("apiVersion"):
            selector["apiVersion"] = "v1"
        if (selector := file.get("resourceFieldRef")) is not None:
            selector.setdefault("divisor", "0")


def _default_template(template: Obj | None) -> None:
    if template is not None:
        template.setdefault("metadata", {})
        default_claim_spec(template.setdefault("spec", {}))


def default_claim_spec(spec: Obj) -> None:
    """Fill in the spec of a PersistentVolumeClaim."""
    spec.setdefault("volumeMode", "Filesystem")
    spec.setdefault("resources", {})
