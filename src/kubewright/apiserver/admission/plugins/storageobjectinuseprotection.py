"""Claims and volumes get a finalizer that keeps them while they are in use.

`controllers.protection` removes it when nothing uses them any longer.
"""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin

CLAIM_FINALIZER: str = "kubernetes.io/pvc-protection"
VOLUME_FINALIZER: str = "kubernetes.io/pv-protection"


class StorageObjectInUseProtection(AdmissionPlugin):
    """Protects new claims and volumes."""

    def admit(self, attributes: Attributes) -> None:
        """Add the finalizer."""
        assert attributes.object is not None
        is_claim = attributes.resource.resource == "persistentvolumeclaims"
        finalizer = CLAIM_FINALIZER if is_claim else VOLUME_FINALIZER
        finalizers = attributes.object["metadata"].setdefault("finalizers", [])
        if finalizer not in finalizers:
            finalizers.append(finalizer)
