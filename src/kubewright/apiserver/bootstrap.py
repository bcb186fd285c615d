"""What every cluster has before anybody asked for it."""

from uuid import uuid4

from kubewright.apiserver.authorization.bootstrap import bootstrap_objects
from kubewright.apiserver.builtin.priority import system_classes
from kubewright.apiserver.names import GroupResource
from kubewright.apiserver.network import DEFAULT, Network
from kubewright.apiserver.storage import Store
from kubewright.apiserver.strategy import Obj

NAMESPACES: tuple[str, ...] = ("default", "kube-node-lease", "kube-public", "kube-system")
PLURALS: dict[str, str] = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Namespace": "namespaces",
    "PriorityClass": "priorityclasses",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "Service": "services",
}


def fill(store: Store, now: str, *, network: Network = DEFAULT) -> None:
    """Store what is missing of it."""
    service = _kubernetes(network.kubernetes_ip)
    for obj in (*_namespaces(), *bootstrap_objects(), *system_classes(), service):
        group = obj["apiVersion"].rpartition("/")[0]
        resource = GroupResource(group, PLURALS[obj["kind"]])
        metadata = obj["metadata"]
        if store.find(resource, metadata.get("namespace", ""), metadata["name"]) is None:
            metadata |= {"uid": str(uuid4()), "creationTimestamp": now}
            store.put(resource, obj)


def _namespaces() -> list[Obj]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        }
        for name in NAMESPACES
    ]


def _kubernetes(address: str) -> Obj:
    labels = {"component": "apiserver", "provider": "kubernetes"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": labels},
        "spec": {
            "ports": [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": 6443}],
            "clusterIP": address,
            "clusterIPs": [address],
            "type": "ClusterIP",
            "sessionAffinity": "None",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
        },
        "status": {"loadBalancer": {}},
    }
