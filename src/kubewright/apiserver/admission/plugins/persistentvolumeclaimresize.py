"""A bound claim grows only if its storage class allows that."""

from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

CLASSES: GroupResource = GroupResource("storage.k8s.io", "storageclasses")


class PersistentVolumeClaimResize(AdmissionPlugin):
    """Checks changes of claims."""

    def validate(self, attributes: Attributes) -> None:
        """Refuse to grow a claim whose class does not allow it.

        Raises:
            StatusError: It does not (403).
        """
        new, old = attributes.object, attributes.old_object
        assert new is not None
        assert old is not None
        bound = (old.get("status") or {}).get("phase") == "Bound"
        if not bound or _size(new) <= _size(old):
            return
        name = old["spec"].get("storageClassName")
        found = self._reader.find_object(CLASSES, "", name) if name else None
        if found is None or not found.get("allowVolumeExpansion"):
            why = "only dynamically provisioned pvc can be resized and the storageclass that"
            why += " provisions the pvc must support resize"
            raise attributes.forbidden(why)


def _size(claim: Obj) -> Any:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    return parse_quantity(requests.get("storage", "0"))
