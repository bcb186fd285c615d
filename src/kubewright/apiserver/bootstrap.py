"""The objects that every cluster has from the start."""

from uuid import uuid4

from kubewright.apiserver.authorization.bootstrap import bootstrap_objects
from kubewright.apiserver.builtin.scheduling import system_classes
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.network import DEFAULT, Network
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.serving import Authorities
from kubewright.apiserver.storage import Store

NAMESPACES: tuple[str, ...] = ("default", "kube-node-lease", "kube-public", "kube-system")
SYSTEM: str = "kube-system"
CONFIG_MAPS = GroupResource("", "configmaps")
AUTHENTICATION: str = "extension-apiserver-authentication"
TRACKING: str = "kube-apiserver-legacy-service-account-token-tracking"
PLURALS: dict[str, str] = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "ConfigMap": "configmaps",
    "Namespace": "namespaces",
    "PriorityClass": "priorityclasses",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "Service": "services",
}


def fill(
    store: Store,
    now: str,
    *,
    network: Network = DEFAULT,
    authorities: Authorities | None = None,
) -> None:
    """Store the objects that are missing.

    Args:
        store: Where.
        now: The time as objects carry it.
        network: Where the server's own service is.
        authorities: Whom the server trusts; ``None`` for a server without a network, which
            publishes nothing.
    """
    service = _kubernetes(network.kubernetes_ip)
    tracking = [_config_map(TRACKING, {"since": now[:10]})] if authorities else []
    for obj in (*_namespaces(), *bootstrap_objects(), *system_classes(), service, *tracking):
        group = obj["apiVersion"].rpartition("/")[0]
        resource = GroupResource(group, PLURALS[obj["kind"]])
        metadata = obj["metadata"]
        if store.find(resource, metadata.get("namespace", ""), metadata["name"]) is None:
            metadata |= {"uid": str(uuid4()), "creationTimestamp": now}
            store.put(resource, obj)
    if authorities:
        _publish(store, now, authorities)


def _publish(store: Store, now: str, authorities: Authorities) -> None:
    """Publish how this server authenticates clients, so that aggregated servers can, too."""
    data = {
        "requestheader-allowed-names": '["front-proxy-client"]',
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
        "requestheader-uid-headers": '["X-Remote-Uid"]',
        "requestheader-username-headers": '["X-Remote-User"]',
        "client-ca-file": authorities.clients,
        "requestheader-client-ca-file": authorities.front_proxy,
    }
    found = store.find_object(CONFIG_MAPS, SYSTEM, AUTHENTICATION)
    if found is None:
        found = _config_map(AUTHENTICATION, {})
        found["metadata"] |= {"uid": str(uuid4()), "creationTimestamp": now}
    elif found.get("data") == data:
        return
    # Certificates may be new since the last start.
    store.put(CONFIG_MAPS, {**found, "data": data})


def _config_map(name: str, data: Obj) -> Obj:
    metadata = {"name": name, "namespace": SYSTEM}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


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
