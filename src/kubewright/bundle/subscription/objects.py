"""What is applied so that OLM installs a bundle: a catalog, who may see what, a subscription."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kubewright.bundle.collection import Object

__all__ = [
    "GROUP_NAME",
    "OURS",
    "PORT",
    "Settings",
    "address_of",
    "catalog_name",
    "catalog_source",
    "config_maps",
    "operator_group",
    "registry_pod",
    "revision_of",
    "subscription",
    "subscription_name",
]

OURS: str = "kubewright.dev/run-bundle"
"""The label of what we have made; its value is the package."""
GROUP_NAME: str = "kubewright-operators"
"""The OperatorGroup that is made where there is none."""
PORT: int = 50051
"""Where opm serves a catalog."""
_V1ALPHA1 = "operators.coreos.com/v1alpha1"
_FOLDER = "/configs"
_LABEL_LIMIT = 63
_RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": False,
}


class Settings(NamedTuple):
    """How the pod with the catalog runs.

    Attributes:
        image: The image with opm.
        pull_policy: When it is pulled; empty for Kubernetes' own rule.
        pull_secret: The Secret to pull images with; empty for none.
        account: The service account of the pod; empty for the default.
        restricted: Whether it runs under the strictest of the Pod Security Standards.
    """

    image: str = "quay.io/operator-framework/opm:latest"
    pull_policy: str = ""
    pull_secret: str = ""
    account: str = ""
    restricted: bool = True


def catalog_name(package: str) -> str:
    """Return the name of the CatalogSource of a package."""
    return f"{package}-catalog"


def revision_of(parts: Iterable[str], settings: Settings) -> str:
    """Return a name for just this catalog, served just so."""
    digest = hashlib.sha256("".join(parts).encode() + repr(settings).encode())
    return digest.hexdigest()[:10]


def catalog_source(
    package: str, namespace: str, settings: Settings, *, has_security: bool = True
) -> Object:
    """Return the CatalogSource, yet without an address.

    Args:
        package: The package.
        namespace: Where it is.
        settings: How its pod runs, and the pods with which OLM unpacks images.
        has_security: Whether this OLM is new enough to be told of the latter.
    """
    spec: Object = {"sourceType": "grpc", "displayName": package, "publisher": "kubewright"}
    if has_security:
        config = "restricted" if settings.restricted else "legacy"
        spec["grpcPodConfig"] = {"securityContextConfig": config}
    if settings.pull_secret:
        spec["secrets"] = [settings.pull_secret]
    return {
        "apiVersion": _V1ALPHA1,
        "kind": "CatalogSource",
        "metadata": _metadata(catalog_name(package), namespace, package),
        "spec": spec,
    }


def config_maps(
    package: str, parts: Iterable[str], source: Mapping[str, Any], revision: str
) -> list[Object]:
    """Return the ConfigMaps with the parts of a catalog, which go with the CatalogSource."""
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _owned(_part_name(package, revision, number), package, source),
            "data": {f"catalog-{number}.json": part},
        }
        for number, part in enumerate(parts)
    ]


def registry_pod(
    package: str, maps: Iterable[Object], source: Mapping[str, Any], revision: str,
    settings: Settings,
) -> Object:  # fmt: skip
    """Return the pod that serves the catalog in *maps*."""
    projected = [{"configMap": {"name": one["metadata"]["name"]}} for one in maps]
    container: Object = {
        "name": "registry",
        "image": settings.image,
        "command": ["opm", "serve", _FOLDER, "--port", str(PORT), "--cache-dir", "/tmp/cache"],  # noqa: S108  # of the pod
        "ports": [{"name": "grpc", "containerPort": PORT}],
        "volumeMounts": [{"name": "catalog", "mountPath": _FOLDER}],
        "resources": {"requests": {"cpu": "10m", "memory": "50Mi"}},
    }
    spec: Object = {
        "containers": [container],
        "volumes": [{"name": "catalog", "projected": {"sources": projected}}],
    }
    if settings.pull_policy:
        container["imagePullPolicy"] = settings.pull_policy
    if settings.restricted:
        container["securityContext"] = _RESTRICTED
        seccomp = {"type": "RuntimeDefault"}
        spec["securityContext"] = {"runAsNonRoot": True, "seccompProfile": seccomp}
    if settings.pull_secret:
        spec["imagePullSecrets"] = [{"name": settings.pull_secret}]
    if settings.account:
        spec["serviceAccountName"] = settings.account
    name = _short(f"{catalog_name(package)}-{revision}")
    metadata = _owned(name, package, source)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def address_of(ip: str) -> str:
    """Return where OLM reaches the catalog of a pod."""
    return f"[{ip}]:{PORT}" if ":" in ip else f"{ip}:{PORT}"


def operator_group(package: str, namespace: str, targets: Iterable[str]) -> Object:
    """Return the OperatorGroup of a namespace; without targets, its operators see all of them."""
    listed = list(targets)
    return {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": _metadata(GROUP_NAME, namespace, package),
        "spec": {"targetNamespaces": listed} if listed else {},
    }


def subscription_name(version: str) -> str:
    """Return the name of the Subscription that begins with a version, such as ``shop.v0.1.0``."""
    return _short(f"{re.sub('[^a-z0-9-]+', '-', version.lower())}-sub")


def subscription(package: str, namespace: str, version: str, channel: str) -> Object:
    """Return the Subscription to the catalog of a package, whose plans somebody approves."""
    return {
        "apiVersion": _V1ALPHA1,
        "kind": "Subscription",
        "metadata": _metadata(subscription_name(version), namespace, package),
        "spec": {
            "name": package,
            "channel": channel,
            "source": catalog_name(package),
            "sourceNamespace": namespace,
            "startingCSV": version,
            "installPlanApproval": "Manual",
        },
    }


def _metadata(name: str, namespace: str, package: str) -> Object:
    labels = {OURS: package[:_LABEL_LIMIT].rstrip("-_.")}
    return {"name": name, "namespace": namespace, "labels": labels}


def _owned(name: str, package: str, source: Mapping[str, Any]) -> Object:
    owner = source["metadata"]
    reference = {
        "apiVersion": source["apiVersion"],
        "kind": source["kind"],
        "name": owner["name"],
        "uid": owner["uid"],
    }
    metadata = _metadata(name, owner["namespace"], package)
    return {**metadata, "ownerReferences": [reference]}


def _part_name(package: str, revision: str, number: int) -> str:
    return f"{catalog_name(package)}-{revision}-{number}"


def _short(name: str) -> str:
    """Return *name* as a label of DNS; what is too long keeps its end, which tells it apart."""
    return name if len(name) <= _LABEL_LIMIT else name[-_LABEL_LIMIT:].lstrip("-.")
