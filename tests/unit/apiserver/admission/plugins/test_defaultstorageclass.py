from kubewright.apiserver.admission.plugins.defaultstorageclass import (
    CLASSES,
    DEFAULT_CLASS,
    DefaultStorageClass,
)
from tests.unit.apiserver.admission.writes import Obj, context, pod_write
from tests.unit.apiserver.memory_reader import MemoryReader


def claim(**spec: str) -> Obj:
    return {"metadata": {"name": "c", "namespace": "default"}, "spec": spec}


def admitted(obj: Obj) -> Obj:
    """Return the spec of a claim beside an old and a new default class."""
    reader = MemoryReader()
    for name, created in (("old", "2020-01-01T00:00:00Z"), ("new", "2026-01-01T00:00:00Z")):
        notes = {DEFAULT_CLASS: "true"}
        meta = {"name": name, "creationTimestamp": created, "annotations": notes}
        reader.put(CLASSES, {"metadata": meta})
    attributes = pod_write(obj, resource="persistentvolumeclaims")
    DefaultStorageClass(context(reader)).admit(attributes)
    spec: Obj = obj["spec"]
    return spec


def test_the_newest_default_class_is_taken() -> None:
    """An administrator changes the default by adding another one."""
    assert admitted(claim())["storageClassName"] == "new"


def test_a_claim_may_want_no_class() -> None:
    """An empty name says so; leaving it out does not."""
    assert admitted(claim(storageClassName=""))["storageClassName"] == ""
