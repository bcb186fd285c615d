"""Storage classes: which one a claim or a volume has, and what it says."""

from collections.abc import Iterable
from datetime import UTC, datetime

from kubewright.kinds.core.v1 import PersistentVolume, PersistentVolumeClaim
from kubewright.kinds.storage.v1 import StorageClass

__all__ = [
    "DEFAULT_CLASS",
    "class_of",
    "find_default",
    "is_default",
    "names_no_class",
    "waits_for_consumer",
]

DEFAULT_CLASS: str = "storageclass.kubernetes.io/is-default-class"
BETA_DEFAULT_CLASS: str = "storageclass.beta.kubernetes.io/is-default-class"
BETA_CLASS: str = "volume.beta.kubernetes.io/storage-class"

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def class_of(obj: PersistentVolumeClaim | PersistentVolume) -> str:
    """Return the name of the class of a claim or a volume; empty for none."""
    return obj.metadata.annotations.get(BETA_CLASS) or obj.spec.storage_class_name or ""


def names_no_class(claim: PersistentVolumeClaim) -> bool:
    """Return whether *claim* leaves its class open; an empty name says that it wants none."""
    return claim.spec.storage_class_name is None and BETA_CLASS not in claim.metadata.annotations


def is_default(one: StorageClass) -> bool:
    """Return whether claims that leave their class open get this one."""
    notes = one.metadata.annotations
    return "true" in {notes.get(DEFAULT_CLASS), notes.get(BETA_DEFAULT_CLASS)}


def find_default(classes: Iterable[StorageClass]) -> StorageClass | None:
    """Return the newest default class; of several as new, the first by name."""
    found = sorted(filter(is_default, classes), key=lambda one: one.metadata.name)
    return max(found, key=_age, default=None)


def _age(one: StorageClass) -> datetime:
    return one.metadata.creation_timestamp or _LONG_AGO


def waits_for_consumer(one: StorageClass | None) -> bool:
    """Return whether claims of this class wait until a pod that uses them has a node."""
    return one is not None and one.volume_binding_mode == "WaitForFirstConsumer"
