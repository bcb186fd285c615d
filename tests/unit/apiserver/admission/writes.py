"""Writes to be admitted, and the objects around them."""

from typing import Any

from kubewright.apiserver.admission.attributes import (
    Attributes,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from kubewright.apiserver.admission.plugin import PluginContext
from kubewright.apiserver.admission.webhook_client import WebhookClient
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta.names import GroupResource
from tests.unit.apiserver.memory_reader import MemoryReader

Obj = dict[str, Any]
ANN = UserInfo("ann", groups=("dev",))
NAMESPACES = GroupResource("", "namespaces")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
CONFIG_MAP = GroupVersionKind("", "v1", "ConfigMap")
OPTIONS = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}


def config_map(name: str = "x", **labels: str) -> Obj:
    metadata = {"name": name, "namespace": "shop", **({"labels": labels} if labels else {})}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}


def write(operation: Operation = "CREATE", **parts: Any) -> Attributes:
    """Return a write of a ConfigMap in the namespace shop."""
    options = {"kind": OPTIONS.get(operation, ""), "apiVersion": "meta.k8s.io/v1"}
    if operation != "DELETE":
        parts.setdefault("object", config_map())
    parts.setdefault("namespace", "shop")
    return Attributes(
        operation,
        parts.pop("kind", CONFIG_MAP),
        parts.pop("resource", CONFIG_MAPS),
        parts.pop("user", ANN),
        options=options,
        **parts,
    )


def no_client() -> WebhookClient:
    raise AssertionError("nobody is to be called")


def context(reader: MemoryReader | None = None, **parts: Any) -> PluginContext:
    """Return what plugins are made with; without webhooks to call unless *parts* says so."""
    parts.setdefault("client", no_client)
    return PluginContext(store() if reader is None else reader, PlainObjects(), **parts)


def pod_write(
    pod: Obj, operation: Operation = "CREATE", *, old: Obj | None = None, resource: str = "pods"
) -> Attributes:
    """Return a write of *pod*, or of an object of another core resource."""
    return Attributes(
        operation,
        GroupVersionKind("", "v1", "Pod"),
        GroupVersionResource("", "v1", resource),
        ANN,
        object=pod,
        old_object=old,
        namespace="default",
    )


def namespace(name: str, phase: str = "Active", **labels: str) -> Obj:
    return {"metadata": {"name": name, "labels": labels}, "status": {"phase": phase}}


def store(*namespaces: Obj) -> MemoryReader:
    reader = MemoryReader()
    for one in namespaces or (namespace("shop", team="a"),):
        reader.put(NAMESPACES, one)
    return reader


class PlainObjects:
    """Objects of two versions that differ in their apiVersion only, and a patch that sets keys."""

    def equivalents(
        self, resource: GroupVersionResource, subresource: str
    ) -> list[tuple[GroupVersionResource, GroupVersionKind]]:
        group, _, plural = resource
        versions = [one for one in ("v1", "v2") if one != resource.version]
        kind = "ConfigMap"
        return [
            (GroupVersionResource(group, one, plural), GroupVersionKind(group, one, kind))
            for one in versions
        ]

    async def convert(self, obj: Obj, kind: GroupVersionKind) -> Obj:
        return {**obj, "apiVersion": kind.api_version}

    def patch(self, obj: Obj, operations: list[Any]) -> Obj:
        changed = {**obj}
        for operation in operations:
            if operation["op"] != "add":
                raise ValueError("the patch does not fit")
            changed[operation["path"].lstrip("/")] = operation["value"]
        return changed

    def merge(self, obj: Obj, config: Obj, kind: GroupVersionKind) -> Obj:
        return {**obj, **config}

    def normalize(self, obj: Obj, kind: GroupVersionKind) -> Obj:
        return {key: value for key, value in obj.items() if key != "unknown"}
