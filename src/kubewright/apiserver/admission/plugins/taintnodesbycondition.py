"""A new node takes no pods until the node controller has seen it ready."""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin

NOT_READY: str = "node.kubernetes.io/not-ready"


class TaintNodesByCondition(AdmissionPlugin):
    """Taints new nodes; the node controller removes the taint."""

    def admit(self, attributes: Attributes) -> None:
        """Add the taint."""
        assert attributes.object is not None
        taint = {"key": NOT_READY, "effect": "NoSchedule"}
        taints = attributes.object["spec"].setdefault("taints", [])
        if not any((one.get("key"), one.get("effect")) == (*taint.values(),) for one in taints):
            taints.append(taint)
