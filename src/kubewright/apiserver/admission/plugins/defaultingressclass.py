"""An ingress that names no class gets the default one."""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

CLASS: str = "kubernetes.io/ingress.class"
DEFAULT_CLASS: str = "ingressclass.kubernetes.io/is-default-class"
CLASSES: GroupResource = GroupResource("networking.k8s.io", "ingressclasses")


class DefaultIngressClass(AdmissionPlugin):
    """Sets the class of new ingresses."""

    def admit(self, attributes: Attributes) -> None:
        """Set the class if the ingress does not name one and there is a default."""
        ingress = attributes.object
        assert ingress is not None
        notes = ingress["metadata"].get("annotations") or {}
        if "ingressClassName" in ingress["spec"] or CLASS in notes:
            return
        if name := _find_default(self._reader):
            ingress["spec"]["ingressClassName"] = name


def _find_default(reader: Reader) -> str | None:
    chosen: Obj | None = None
    for item in reader.list(CLASSES):
        meta = item["metadata"]
        if (meta.get("annotations") or {}).get(DEFAULT_CLASS) != "true":
            continue
        # The newest wins; of two made in the same second, the first by name.
        if chosen is None or (
            chosen["creationTimestamp"] < meta["creationTimestamp"]
            or (
                chosen["creationTimestamp"] == meta["creationTimestamp"]
                and meta["name"] < chosen["name"]
            )
        ):
            chosen = meta
    return chosen["name"] if chosen else None
