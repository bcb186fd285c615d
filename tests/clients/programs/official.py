"""The official client: typed calls, watches, patches, the dynamic client and the informer."""

import json
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client, config, dynamic, watch  # type: ignore[import-not-found]  # only in .venv-clients
from kubernetes.client.rest import ApiException  # type: ignore[import-not-found]  # as above
from kubernetes.informer import SharedInformer  # type: ignore[import-not-found]  # as above

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()


def refusal(ask: Callable[[], object]) -> dict[str, Any]:
    """Return the Status with which the server refuses; empty if it does not."""
    try:
        ask()
    except ApiException as error:
        found: dict[str, Any] = json.loads(error.body)
        return found
    return {}


def config_map(name: str, **data: str) -> client.V1ConfigMap:
    """Return a ConfigMap."""
    return client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name=name, labels={"app": "a"}), data=data
    )


def check_objects() -> None:
    """Create, read, replace, patch, list and delete."""
    made = core.create_namespaced_config_map("default", config_map("one", colour="blue"))
    assert made.metadata.uid
    made.data["size"] = "large"
    replaced = core.replace_namespaced_config_map("one", "default", made)
    old = refusal(lambda: core.replace_namespaced_config_map("one", "default", made))
    assert old["reason"] == "Conflict", old
    patched = core.patch_namespaced_config_map("one", "default", {"data": {"size": None}})
    assert patched.data == {"colour": "blue"}
    assert int(patched.metadata.resource_version) > int(replaced.metadata.resource_version)
    for number in range(5):
        core.create_namespaced_config_map("default", config_map(f"many-{number}"))
    page = core.list_namespaced_config_map("default", label_selector="app=a", limit=4)
    rest = core.list_namespaced_config_map(
        "default", label_selector="app=a", limit=4, _continue=page.metadata._continue
    )
    assert len(page.items) + len(rest.items) == 6
    core.delete_collection_namespaced_config_map("default", label_selector="app=a")
    assert not core.list_namespaced_config_map("default", label_selector="app=a").items


def check_apply() -> None:
    """Apply on the server, from one manager and from another."""
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "mine"},
        "data": {"a": "1"},
    }
    options = {"_content_type": "application/apply-patch+yaml"}
    core.patch_namespaced_config_map("mine", "default", body, field_manager="one", **options)
    body["data"] = {"a": "2"}
    conflict = refusal(
        lambda: core.patch_namespaced_config_map(
            "mine", "default", body, field_manager="two", **options
        )
    )
    assert 'conflict with "one"' in conflict["message"], conflict


def check_watch() -> None:
    """See each change, from a version on."""
    version = core.list_namespaced_config_map("default").metadata.resource_version
    core.create_namespaced_config_map("default", config_map("seen"))
    core.patch_namespaced_config_map("seen", "default", {"data": {"a": "b"}})
    core.delete_namespaced_config_map("seen", "default")
    watcher = watch.Watch()
    kinds = []
    for event in watcher.stream(
        core.list_namespaced_config_map, "default", resource_version=version, timeout_seconds=20
    ):
        kinds.append(event["type"])
        if event["type"] == "DELETED":
            watcher.stop()
    assert kinds == ["ADDED", "MODIFIED", "DELETED"], kinds


def check_workloads() -> None:
    """Work with a kind that has defaults, a scale and a status."""
    pod = client.V1PodSpec(containers=[client.V1Container(name="main", image="nginx")])
    labels = {"app": "web"}
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=pod)
    spec = client.V1DeploymentSpec(
        selector=client.V1LabelSelector(match_labels=labels), template=template
    )
    meta = client.V1ObjectMeta(name="web")
    made = apps.create_namespaced_deployment(
        "default", client.V1Deployment(metadata=meta, spec=spec)
    )
    assert made.spec.strategy.rolling_update.max_surge == "25%"
    apps.patch_namespaced_deployment_scale("web", "default", {"spec": {"replicas": 3}})
    scale = apps.read_namespaced_deployment_scale("web", "default")
    assert scale.spec.replicas == 3
    apps.patch_namespaced_deployment_status("web", "default", {"status": {"replicas": 3}})
    assert apps.read_namespaced_deployment("web", "default").status.replicas == 3


def check_dynamic() -> None:
    """Find a kind by discovery and use it without a class."""
    definition = yaml.safe_load(Path("programs/crd.yaml").read_text())
    client.ApiextensionsV1Api().create_custom_resource_definition(definition)
    found = dynamic.DynamicClient(client.ApiClient())
    shops = found.resources.get(api_version="example.org/v1", kind="Shop")
    body: dict[str, Any] = {
        "apiVersion": "example.org/v1",
        "kind": "Shop",
        "metadata": {"name": "corner"},
        "spec": {"owner": "Ada"},
    }
    made = shops.create(body=body, namespace="default")
    assert made.spec.counters == 1
    body["spec"]["owner"] = "Bob"
    applied = shops.server_side_apply(
        body=body, namespace="default", field_manager="dynamic", force_conflicts=True
    )
    assert applied.spec.owner == "Bob"
    shops.status.patch(
        body={"status": {"open": 1}},
        name="corner",
        namespace="default",
        content_type="application/merge-patch+json",
    )
    assert shops.get(name="corner", namespace="default").status.open == 1
    custom = client.CustomObjectsApi()
    assert (
        len(custom.list_namespaced_custom_object("example.org", "v1", "default", "shops")["items"])
        == 1
    )
    shops.delete(name="corner", namespace="default")


def check_informer() -> None:
    """Follow a collection with the client's own cache."""
    names: queue.Queue[str] = queue.Queue()
    # With a period, as stop() waits for a watch that was opened a moment after it was called.
    informer = SharedInformer(core.list_namespaced_config_map, namespace="default", resync_period=2)
    informer.add_event_handler("ADDED", lambda obj: names.put(obj.metadata.name))
    informer.start()
    try:
        core.create_namespaced_config_map("default", config_map("late"))
        while names.get(timeout=20) != "late":
            pass
    finally:
        informer.stop()


check_objects()
check_apply()
check_watch()
check_workloads()
check_dynamic()
check_informer()
print("done")  # noqa: T201  # the test reads it
