"""Nothing is created in a namespace that does not exist or is being deleted."""

from kubewright.apiserver.admission.attributes import NAMESPACES, Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin, PluginContext
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry.strategy import Obj

IMMORTAL: frozenset[str] = frozenset({"default", "kube-system", "kube-public"})

_RESOURCE = NAMESPACES.group_resource
_LOCAL_REVIEW = ("authorization.k8s.io", "localsubjectaccessreviews")


class NamespaceLifecycle(AdmissionPlugin):
    """Keeps objects out of missing and ending namespaces, and keeps some namespaces for ever."""

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._revision = -1
        self._terminating: dict[str, bool] = {}

    def admit(self, attributes: Attributes) -> None:
        """Check the namespace of a write.

        Raises:
            StatusError: The namespace is missing (404), ends, or must not be deleted (403).
        """
        operation, namespace = attributes.operation, attributes.namespace
        resource = attributes.resource.group_resource
        if resource == _RESOURCE:
            if operation == "DELETE" and attributes.name in IMMORTAL:
                why = "this namespace may not be deleted"
                raise status.forbidden(_RESOURCE, attributes.name, why)
            return
        if not namespace or operation == "DELETE":
            return
        if resource == _LOCAL_REVIEW:
            return  # the answer would tell users about namespaces that they may not know
        if self._is_terminating(namespace) and operation == "CREATE":
            raise _terminating(attributes)

    def _is_terminating(self, namespace: str) -> bool:
        revision = self._reader.revision_of(_RESOURCE)
        if revision != self._revision:
            self._terminating.clear()
            self._revision = revision
        found = self._terminating.get(namespace)
        if found is None:
            stored = self._reader.find_object(_RESOURCE, "", namespace)
            if stored is None:
                raise status.not_found(_RESOURCE, namespace)
            found = self._terminating[namespace] = _ends(stored)
        return found


def _ends(namespace: Obj) -> bool:
    return bool((namespace.get("status") or {}).get("phase") == "Terminating")


def _terminating(attributes: Attributes) -> status.StatusError:
    namespace = attributes.namespace
    error = attributes.forbidden(
        f"unable to create new content in namespace {namespace} because it is being terminated"
    )
    error.details["causes"] = [
        {
            "reason": "NamespaceTerminating",
            "message": f"namespace {namespace} is being terminated",
            "field": "metadata.namespace",
        }
    ]
    return error
