"""kr8s: objects that know how to change themselves."""

from pathlib import Path

import kr8s  # type: ignore[import-not-found]  # only in .venv-clients
import yaml
from kr8s.objects import (  # type: ignore[import-not-found]  # as above
    ConfigMap,
    CustomResourceDefinition,
    Deployment,
    Pod,
    new_class,
)

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "one", "labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx"}]},
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "main", "image": "nginx"}]},
        },
    },
}
api = kr8s.api()


def check_objects() -> None:
    """Create, find, label, annotate, wait and delete."""
    assert api.version()["major"] == "1"
    pod = Pod(POD)
    pod.create()
    assert pod.exists()
    assert [found.name for found in api.get("pods", label_selector={"app": "web"})] == ["one"]
    assert [found.name for found in api.get("po", field_selector="status.phase=Pending")] == ["one"]
    pod.label({"tier": "front"})
    pod.annotate({"note": "hello"})
    pod.refresh()
    assert pod.labels == {"app": "web", "tier": "front"}
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    pod.patch({"status": ready}, subresource="status")
    pod.wait("condition=Ready", timeout=20)
    pod.delete(grace_period=0)
    pod.wait("delete", timeout=20)
    assert not pod.exists()


def check_workloads() -> None:
    """Scale a deployment, whose status nobody but we writes."""
    web = Deployment(DEPLOYMENT)
    web.create()
    web.patch({"spec": {"replicas": 3}})
    status = {"observedGeneration": 9, "replicas": 2, "readyReplicas": 2}
    web.patch({"status": status}, subresource="status")
    web.scale(2)
    web.refresh()
    assert web.replicas == 2


def check_watch() -> None:
    """See what is there and what comes."""
    first = ConfigMap({"metadata": {"name": "seen"}, "data": {"a": "1"}})
    first.create()
    names = []
    for kind, found in api.watch("configmaps", namespace="default"):
        if found.name == "seen":
            names.append(kind)
            if kind == "ADDED":
                found.patch({"data": {"a": "2"}})
            else:
                break
    assert names == ["ADDED", "MODIFIED"], names


def check_custom() -> None:
    """Bring a kind of one's own."""
    definition = CustomResourceDefinition(yaml.safe_load(Path("programs/crd.yaml").read_text()))
    definition.create()
    definition.wait("condition=Established", timeout=20)
    shop = new_class(kind="Shop", version="example.org/v1", namespaced=True, scalable=True)
    corner = shop(
        {"metadata": {"name": "corner", "namespace": "default"}, "spec": {"owner": "Ada"}}
    )
    corner.create()
    assert corner.spec.counters == 1
    corner.delete()


check_objects()
check_workloads()
check_watch()
check_custom()
print("done")  # noqa: T201  # the test reads it
