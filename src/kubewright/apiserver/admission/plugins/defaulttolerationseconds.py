"""A pod stays for five minutes on a node that does not answer, unless it says otherwise."""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.registry.strategy import Obj

TOLERATED_SECONDS: int = 300
_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class DefaultTolerationSeconds(AdmissionPlugin):
    """Adds a toleration for each of the two taints that a silent node gets."""

    def admit(self, attributes: Attributes) -> None:
        """Add the tolerations that are missing."""
        assert attributes.object is not None
        spec: Obj = attributes.object["spec"]
        tolerations: list[Obj] = spec.get("tolerations") or []
        missing = [taint for taint in _TAINTS if not any(_tolerates(t, taint) for t in tolerations)]
        if missing:
            spec["tolerations"] = tolerations + [_toleration(taint) for taint in missing]


def _tolerates(toleration: Obj, taint: str) -> bool:
    of_key = (toleration.get("key") or taint) == taint
    return of_key and (toleration.get("effect") or "NoExecute") == "NoExecute"


def _toleration(taint: str) -> Obj:
    return {
        "key": taint,
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": TOLERATED_SECONDS,
    }
