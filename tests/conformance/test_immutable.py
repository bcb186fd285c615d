"""Fields that may not change once they are set."""

from copy import deepcopy
from typing import Any

import pytest

from tests.conformance.bodies import config_map, deployment, pod, service
from tests.conformance.crds import Things
from tests.conformance.wire import Wire

IMMUTABLE = "field is immutable"


def changed(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy with the field at *path* set."""
    copy = deepcopy(document)
    *parents, last = path.split(".")
    inner: Any = copy
    for step in parents:
        inner = inner[int(step)] if step.isdigit() else inner.setdefault(step, {})
    inner[last] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value"),
    [("metadata.uid", None), ("metadata.creationTimestamp", None), ("metadata.selfLink", "/x")],
)
def test_system_metadata_that_is_left_out_stays(
    api: Wire, things: Things, path: str, value: Any
) -> None:
    """A client need not carry what only the server sets."""
    made = api.post(things.path, things.body("a")).ok(201)

    replaced = api.put(f"{things.path}/a", changed(made, path, value)).ok()

    assert replaced["metadata"]["uid"] == made["metadata"]["uid"]
    assert replaced["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]


def test_the_creation_time_cannot_be_set(api: Wire, things: Things) -> None:
    """The server overwrites it on create, and keeps it on every write."""
    body = changed(things.body("a"), "metadata.creationTimestamp", "2001-02-03T04:05:06Z")

    made = api.post(things.path, body).ok(201)

    assert not made["metadata"]["creationTimestamp"].startswith("2001")


def test_a_deletion_time_cannot_be_set(api: Wire, things: Things) -> None:
    """An object is deleted by DELETE only."""
    body = changed(things.body("a"), "metadata.deletionTimestamp", "2001-02-03T04:05:06Z")

    made = api.post(things.path, body).ok(201)
    patched = api.patch(
        f"{things.path}/a", {"metadata": {"deletionTimestamp": "2001-02-03T04:05:06Z"}}
    )

    assert "deletionTimestamp" not in made["metadata"]
    assert patched.status in (200, 422), patched.text
    assert "deletionTimestamp" not in api.get(f"{things.path}/a").ok()["metadata"]


def test_an_immutable_config_map_stays_as_it_is(api: Wire, configmaps: str) -> None:
    """Neither the data nor the mark can be changed; the metadata can."""
    made = api.post(configmaps, {**config_map("a", k="1"), "immutable": True}).ok(201)
    path = f"{configmaps}/a"

    data = api.put(path, changed(made, "data.k", "2")).causes()
    mark = api.put(path, changed(made, "immutable", False)).causes()
    labelled = api.put(path, changed(made, "metadata.labels", {"a": "b"})).ok()

    said = "Forbidden: field is immutable when `immutable` is set"
    assert data == [("FieldValueForbidden", "data", said)]
    assert mark == [("FieldValueForbidden", "immutable", said)]
    assert labelled["metadata"]["labels"] == {"a": "b"}


def test_the_type_of_a_secret_stays(api: Wire, namespace: str) -> None:
    """Who mounts it relies on the keys that the type promises."""
    path = f"/api/v1/namespaces/{namespace}/secrets"
    made = api.post(path, {"metadata": {"name": "a"}}).ok(201)

    [(_, field, message)] = api.put(f"{path}/a", changed(made, "type", "example.com/a")).causes()

    assert made["type"] == "Opaque"
    assert (field, message) == ("type", f'Invalid value: "example.com/a": {IMMUTABLE}')


def test_the_selector_of_a_deployment_stays(api: Wire, deployments: str) -> None:
    """Otherwise it would lose its replica sets."""
    made = api.post(deployments, deployment("a")).ok(201)
    other = changed(made, "spec.selector.matchLabels", {"app": "b"})
    other["spec"]["template"]["metadata"]["labels"] = {"app": "b"}

    [(_, field, message)] = api.put(f"{deployments}/a", other).causes()

    assert field == "spec.selector"
    assert message.endswith(IMMUTABLE)


def test_the_template_must_carry_the_selector(api: Wire, deployments: str) -> None:
    """A Deployment that would not find its own pods is refused."""
    body = changed(deployment("a"), "spec.selector.matchLabels", {"app": "b"})

    [(_, field, message)] = api.post(deployments, body).causes()

    assert field == "spec.template.metadata.labels"
    assert message.endswith("`selector` does not match template `labels`")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.containers.0.command", ["sleep"]),
        ("spec.containers.0.name", "other"),
        ("spec.nodeName", "n1"),
        ("spec.restartPolicy", "Never"),
        ("spec.hostNetwork", True),
    ],
)
def test_most_of_a_pod_stays(api: Wire, pods: str, path: str, value: Any) -> None:
    """What runs cannot be changed under its feet."""
    made = api.post(pods, pod("a")).ok(201)

    reply = api.put(f"{pods}/a", changed(made, path, value))

    messages = [message for _, field, message in reply.causes() if field == "spec"]
    assert any("pod updates may not change fields other than" in one for one in messages), messages


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.containers.0.image", "other"),
        ("spec.activeDeadlineSeconds", 60),
        ("spec.tolerations", [{"key": "a", "operator": "Exists"}]),
        ("metadata.labels", {"a": "b"}),
    ],
)
def test_a_little_of_a_pod_may_change(api: Wire, pods: str, path: str, value: Any) -> None:
    """Images, deadlines and more tolerations."""
    made = api.post(pods, pod("a")).ok(201)

    api.put(f"{pods}/a", changed(made, path, value)).ok()


def test_a_pod_may_not_lose_or_gain_containers(api: Wire, pods: str) -> None:
    """Ephemeral ones have a subresource of their own."""
    made = api.post(pods, pod("a")).ok(201)
    more = [*made["spec"]["containers"], {"name": "b", "image": "b"}]

    reply = api.put(f"{pods}/a", changed(made, "spec.containers", more))

    assert ("spec.containers", "Forbidden: pod updates may not add or remove containers") in [
        (field, message) for _, field, message in reply.causes()
    ]


def test_the_address_of_a_service_stays(api: Wire, namespace: str) -> None:
    """Clients have resolved it."""
    path = f"/api/v1/namespaces/{namespace}/services"
    made = api.post(path, service("a")).ok(201)
    assert made["spec"]["clusterIP"].startswith("10.")

    reply = api.put(f"{path}/a", changed(made, "spec.clusterIP", "None"))

    assert any(
        IMMUTABLE in message or "may not change" in message for *_, message in reply.causes()
    )


@pytest.mark.parametrize(
    ("group", "plural", "path", "value"),
    [
        ("apps/v1", "daemonsets", "spec.selector.matchLabels", {"app": "b"}),
        ("apps/v1", "replicasets", "spec.selector.matchLabels", {"app": "b"}),
        ("batch/v1", "jobs", "spec.completions", 5),
        ("batch/v1", "jobs", "spec.template.spec.containers.0.image", "other"),
    ],
)
def test_other_workloads_keep_their_selector_or_template(  # a row of the table
    api: Wire,
    namespace: str,
    *,
    group: str,
    plural: str,
    path: str,
    value: Any,
) -> None:
    """A Job is a thing of the past as soon as it is made."""
    collection = f"/apis/{group}/namespaces/{namespace}/{plural}"
    body = deployment("a")
    del body["apiVersion"], body["kind"]
    if plural == "jobs":
        body["spec"] = {"template": {"spec": {**pod("x")["spec"], "restartPolicy": "Never"}}}
    made = api.post(collection, body).ok(201)
    other = changed(made, path, value)
    if "matchLabels" in path:
        other["spec"]["template"]["metadata"]["labels"] = value

    reply = api.put(f"{collection}/a", other)

    assert any(message.endswith(IMMUTABLE) for *_, message in reply.causes()), reply.text


def test_the_role_of_a_binding_stays(api: Wire, namespace: str) -> None:
    """Somebody who may edit subjects must not gain another role by it."""
    path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings"
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}
    made = api.post(path, {"metadata": {"name": "a"}, "roleRef": role}).ok(201)

    [(_, field, message)] = api.put(f"{path}/a", changed(made, "roleRef.name", "b")).causes()

    assert field == "roleRef"
    assert message.endswith(("cannot change roleRef", IMMUTABLE))  # newer servers say the latter
