"""lightkube: typed and generic resources, apply, patches, watches and waiting."""

from collections.abc import Callable
from pathlib import Path

from lightkube import ApiError, Client, codecs  # type: ignore[import-not-found]  # only in .venv-clients
from lightkube.generic_resource import (  # type: ignore[import-not-found]  # as above
    create_namespaced_resource,
    load_in_cluster_generic_resources,
)
from lightkube.models.meta_v1 import ObjectMeta  # type: ignore[import-not-found]  # as above
from lightkube.resources.apps_v1 import Deployment  # type: ignore[import-not-found]  # as above
from lightkube.resources.core_v1 import ConfigMap, Namespace  # type: ignore[import-not-found]  # as above
from lightkube.types import CascadeType, PatchType  # type: ignore[import-not-found]  # as above

client = Client(field_manager="light")
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: nginx}]
"""


def reason(ask: Callable[[], object]) -> str:
    """Return why the server refuses; empty if it does not."""
    try:
        ask()
    except ApiError as error:
        return str(error.status.reason)
    return ""


def check_objects() -> None:
    """Create, read, replace, patch, list and delete."""
    made = client.create(
        ConfigMap(metadata=ObjectMeta(name="one", namespace="default"), data={"a": "1"})
    )
    made.data["b"] = "2"
    assert client.replace(made).data == {"a": "1", "b": "2"}
    patched = client.patch(ConfigMap, "one", {"data": {"a": None}}, patch_type=PatchType.MERGE)
    assert patched.data == {"b": "2"}
    names = [
        found.metadata.name for found in client.list(ConfigMap, namespace="default", chunk_size=1)
    ]
    assert "one" in names
    assert {ns.metadata.name for ns in client.list(Namespace)} >= {"default", "kube-system"}
    client.delete(ConfigMap, "one", cascade=CascadeType.FOREGROUND)
    assert reason(lambda: client.get(ConfigMap, "missing")) == "NotFound"


def check_apply() -> None:
    """Apply a manifest; scale it; wait for its condition."""
    (wanted,) = codecs.load_all_yaml(DEPLOYMENT)
    made = client.apply(wanted)
    assert made.spec.strategy.type == "RollingUpdate"
    assert client.apply(wanted).metadata.resourceVersion == made.metadata.resourceVersion
    client.patch(Deployment.Scale, "web", {"spec": {"replicas": 4}})
    assert client.get(Deployment.Scale, "web").spec.replicas == 4
    condition = {"type": "Available", "status": "True", "reason": "Here", "message": ""}
    client.patch(Deployment.Status, "web", {"status": {"conditions": [condition]}})
    client.wait(Deployment, "web", for_conditions=["Available"])


def check_watch() -> None:
    """See each change."""
    start = client.create(ConfigMap(metadata=ObjectMeta(name="seen", namespace="default")))
    client.patch(ConfigMap, "seen", {"data": {"a": "1"}})
    client.delete(ConfigMap, "seen")
    kinds = []
    for kind, found in client.watch(
        ConfigMap, namespace="default", resource_version=start.metadata.resourceVersion
    ):
        kinds.append((kind, found.metadata.name))
        if kind == "DELETED":
            break
    assert kinds == [("MODIFIED", "seen"), ("DELETED", "seen")], kinds


def check_generic() -> None:
    """Bring a kind of one's own."""
    (definition,) = codecs.load_all_yaml(Path("programs/crd.yaml").read_text())
    client.create(definition)
    client.wait(type(definition), "shops.example.org", for_conditions=["Established"])
    shop = create_namespaced_resource("example.org", "v1", "Shop", "shops")
    made = client.create(
        shop(metadata=ObjectMeta(name="corner"), spec={"owner": "Ada"}), namespace="default"
    )
    assert made.spec["counters"] == 1
    client.patch(shop.Status, "corner", {"status": {"open": 2}}, patch_type=PatchType.MERGE)
    assert client.get(shop, "corner").status == {"open": 2}
    load_in_cluster_generic_resources(client)
    assert [found.metadata.name for found in client.list(shop)] == ["corner"]
    client.delete(shop, "corner")


check_objects()
check_apply()
check_watch()
check_generic()
print("done")  # noqa: T201  # the test reads it
