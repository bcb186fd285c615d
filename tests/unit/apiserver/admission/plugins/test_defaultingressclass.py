from kubewright.apiserver.admission.plugins.defaultingressclass import (
    CLASS,
    CLASSES,
    DEFAULT_CLASS,
    DefaultIngressClass,
)
from tests.unit.apiserver.admission.writes import Obj, context, pod_write
from tests.unit.apiserver.memory_reader import MemoryReader


def a_class(reader: MemoryReader, name: str, *, created: str, default: str = "true") -> None:
    meta = {"name": name, "creationTimestamp": created, "annotations": {DEFAULT_CLASS: default}}
    reader.put(CLASSES, {"metadata": meta})


def admitted(**meta: Obj) -> Obj:
    """Return the spec of an ingress beside several classes."""
    reader = MemoryReader()
    a_class(reader, "old", created="2025-01-01T00:00:00Z")
    a_class(reader, "b", created="2026-01-01T00:00:00Z")
    a_class(reader, "a", created="2026-01-01T00:00:00Z")
    a_class(reader, "z", created="2027-01-01T00:00:00Z", default="false")
    ingress: Obj = {"metadata": {"name": "i", "namespace": "default", **meta}, "spec": {}}
    DefaultIngressClass(context(reader)).admit(pod_write(ingress, resource="ingresses"))
    spec: Obj = ingress["spec"]
    return spec


def test_the_newest_default_class_is_taken() -> None:
    """Of two of the same second, the first by name."""
    assert admitted()["ingressClassName"] == "a"


def test_the_old_annotation_names_a_class_too() -> None:
    """Both at once would contradict each other."""
    assert admitted(annotations={CLASS: "nginx"}) == {}
