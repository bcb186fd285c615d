import pytest

from kubewright.apiserver.admission.plugins.persistentvolumeclaimresize import (
    CLASSES,
    PersistentVolumeClaimResize,
)
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import Obj, context, pod_write
from tests.unit.apiserver.memory_reader import MemoryReader


def claim(size: str, phase: str = "Bound") -> Obj:
    resources = {"requests": {"storage": size}}
    return {
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"storageClassName": "a", "resources": resources},
        "status": {"phase": phase},
    }


def resize(new: Obj, old: Obj, **storage_class: bool) -> None:
    reader = MemoryReader()
    reader.put(CLASSES, {"metadata": {"name": "a"}, **storage_class})
    attributes = pod_write(new, "UPDATE", old=old, resource="persistentvolumeclaims")
    PersistentVolumeClaimResize(context(reader)).validate(attributes)


def test_a_bound_claim_of_a_class_that_does_not_grow_is_refused() -> None:
    """The volume behind it could not follow."""
    with pytest.raises(StatusError, match="only dynamically provisioned pvc can be resized") as e:
        resize(claim("3Gi"), claim("2Gi"))

    assert e.value.code == 403


def test_others_are_not_held_up() -> None:
    """A class that grows, a claim that is not bound, and one that stays as it is."""
    resize(claim("3Gi"), claim("2Gi"), allowVolumeExpansion=True)
    resize(claim("3Gi"), claim("2Gi", "Pending"))
    resize(claim("2Gi"), claim("2Gi"))
