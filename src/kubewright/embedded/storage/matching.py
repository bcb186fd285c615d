"""Which volume suits a claim: pure, with the rules of Kubernetes."""

from collections.abc import Iterable, Mapping

from kubewright.api.quantity import ParsedQuantity, parse_quantity
from kubewright.api.selectors import selector_from
from kubewright.embedded.node_affinity import matches_term
from kubewright.embedded.storage.annotations import BIND_COMPLETED
from kubewright.embedded.storage.classes import class_of
from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim

__all__ = [
    "best_volume",
    "capacity_of",
    "is_bound",
    "is_reserved_for",
    "mismatch",
    "reaches_node",
    "request_of",
    "smallest_volume",
]

STORAGE: str = "storage"


def request_of(claim: PersistentVolumeClaim) -> ParsedQuantity:
    """Return how much *claim* asks for."""
    resources = claim.spec.resources
    return parse_quantity((resources.requests if resources else {}).get(STORAGE, "0"))


def capacity_of(volume: PersistentVolume) -> ParsedQuantity:
    """Return how much *volume* holds."""
    return parse_quantity(volume.spec.capacity.get(STORAGE, "0"))


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Return whether the binder is done with *claim*."""
    return bool(claim.spec.volume_name) and BIND_COMPLETED in claim.metadata.annotations


def is_reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Return whether *volume* names *claim*: this very one, or any of that name."""
    reference, meta = volume.spec.claim_ref, claim.metadata
    if reference is None or (reference.namespace, reference.name) != (meta.namespace, meta.name):
        return False
    return reference.uid in {None, "", meta.uid}


def mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Return why *volume* cannot be bound to *claim*, which asks for it; empty if it can."""
    name = volume.metadata.name
    problems = {
        f'the volume is marked for deletion "{name}"': volume.metadata.deletion_timestamp,
        "requested PV is too small": capacity_of(volume) < request_of(claim),
        "storageClassName does not match": class_of(volume) != class_of(claim),
        "volumeAttributesClassName does not match": _attributes(volume) != _attributes(claim),
        "incompatible volumeMode": _mode(volume) != _mode(claim),
        "incompatible accessMode": not _has_modes(volume, claim),
    }
    return next((text for text, holds in problems.items() if holds), "")


def best_volume(
    claim: PersistentVolumeClaim,
    volumes: Iterable[PersistentVolume],
    *,
    reserved_only: bool = False,
) -> PersistentVolume | None:
    """Return the volume to bind *claim* to, or ``None``.

    As in Kubernetes, volumes with fewer access modes come first, so that the others stay free for
    claims that need them; among those with the same modes the smallest that is large enough.

    Args:
        claim: The claim.
        volumes: Those that may come into question.
        reserved_only: Whether only volumes that name the claim count, since a pod comes first.
    """
    groups: dict[tuple[str, ...], list[PersistentVolume]] = {}
    for volume in volumes:
        if _has_modes(volume, claim):
            groups.setdefault(tuple(sorted(volume.spec.access_modes)), []).append(volume)
    for _, group in sorted(groups.items(), key=lambda one: (len(one[0]), one[0])):
        found = smallest_volume(claim, group, reserved_only=reserved_only)
        if found is not None:
            return found
    return None


def smallest_volume(
    claim: PersistentVolumeClaim,
    volumes: Iterable[PersistentVolume],
    *,
    reserved_only: bool = False,
) -> PersistentVolume | None:
    """Return the volume that names *claim*, or else the smallest free one that suits it."""
    fitting: list[PersistentVolume] = []
    for volume in volumes:
        if not _could_hold(volume, claim):
            continue
        if is_reserved_for(volume, claim):
            return volume
        if not reserved_only and _is_free(volume) and _is_chosen_by(claim, volume):
            fitting.append(volume)
    return min(fitting, key=lambda one: (capacity_of(one).nanos, one.metadata.name), default=None)


def reaches_node(volume: PersistentVolume, name: str, labels: Mapping[str, str]) -> bool:
    """Return whether *volume* can be used on the node *name* with *labels*."""
    required = volume.spec.node_affinity.required if volume.spec.node_affinity else None
    if required is None:
        return True
    return any(matches_term(one, name, labels) for one in required.node_selector_terms)


def _could_hold(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return (
        volume.metadata.deletion_timestamp is None
        and _mode(volume) == _mode(claim)
        and _attributes(volume) == _attributes(claim)
        and capacity_of(volume) >= request_of(claim)
    )


def _is_free(volume: PersistentVolume) -> bool:
    return volume.spec.claim_ref is None and volume.status.phase == "Available"


def _is_chosen_by(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    selector = claim.spec.selector
    if selector is not None and not selector_from(selector).matches(volume.metadata.labels):
        return False
    return class_of(volume) == class_of(claim) and _has_modes(volume, claim)


def _has_modes(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return set(claim.spec.access_modes) <= set(volume.spec.access_modes)


def _mode(obj: PersistentVolumeClaim | PersistentVolume) -> str:
    return obj.spec.volume_mode or "Filesystem"


def _attributes(obj: PersistentVolumeClaim | PersistentVolume) -> str:
    return obj.spec.volume_attributes_class_name or ""
