"""Nothing is created in a namespace that is not there, or that is on its way out."""

from kubewright.apiserver.admission.attributes import NAMESPACES, Attributes
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry.strategy import Obj, Reader

IMMORTAL: frozenset[str] = frozenset({"default", "kube-system", "kube-public"})

_RESOURCE = NAMESPACES.group_resource
_LOCAL_REVIEW = ("authorization.k8s.io", "localsubjectaccessreviews")


class NamespaceLifecycle:
    """Keeps objects and their namespace together, and some namespaces for ever."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._revision = -1
        self._terminating: dict[str, bool] = {}

    def check(self, attributes: Attributes) -> None:
        """Check a write.

        Raises:
            StatusError: The namespace is missing (404), ends, or must not be deleted (403).
        """
        operation, namespace = attributes.operation, attributes.namespace
        if attributes.resource.group_resource == _RESOURCE:
            if operation == "DELETE" and attributes.name in IMMORTAL:
                why = "this namespace may not be deleted"
                raise status.forbidden(_RESOURCE, attributes.name, why)
            return
        if not namespace or operation in ("DELETE", "CONNECT"):
            return
        if attributes.resource.group_resource == _LOCAL_REVIEW:
            return  # an answer about the namespace would tell who asks more than they may know
        if self._is_terminating(namespace) and operation == "CREATE":
            raise _terminating(attributes)

    def _is_terminating(self, namespace: str) -> bool:
        revision = self._reader.revision_of(_RESOURCE)
        if revision != self._revision:
            self._terminating.clear()
            self._revision = revision
        found = self._terminating.get(namespace)
        if found is None:
            stored = self._reader.get(_RESOURCE, "", namespace)
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
