"""A claim that names no storage class gets the default one."""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

CLASSES: GroupResource = GroupResource("storage.k8s.io", "storageclasses")
DEFAULT_CLASS: str = "storageclass.kubernetes.io/is-default-class"
BETA_DEFAULT_CLASS: str = "storageclass.beta.kubernetes.io/is-default-class"
BETA_CLASS: str = "volume.beta.kubernetes.io/storage-class"


class DefaultStorageClass(AdmissionPlugin):
    """Sets the class of new claims."""

    def admit(self, attributes: Attributes) -> None:
        """Set the class if the claim does not name one and there is a default."""
        claim = attributes.object
        assert claim is not None
        notes = claim["metadata"].get("annotations") or {}
        if "storageClassName" in claim["spec"] or BETA_CLASS in notes:
            return
        if name := _find_default(self._reader):
            claim["spec"]["storageClassName"] = name


def _find_default(reader: Reader) -> str | None:
    """Return the newest class that is marked as the default; the first by name of the newest."""
    chosen: Obj | None = None
    for item in reader.list(CLASSES):
        meta = item["metadata"]
        notes = meta.get("annotations") or {}
        if "true" not in (notes.get(DEFAULT_CLASS), notes.get(BETA_DEFAULT_CLASS)):
            continue
        age = meta["creationTimestamp"]
        if (
            chosen is None
            or age > chosen["creationTimestamp"]
            or (age == chosen["creationTimestamp"] and meta["name"] < chosen["name"])
        ):
            chosen = meta
    return chosen["name"] if chosen else None
