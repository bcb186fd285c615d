"""Strategic merge patch: lists are merged by their keys, and directives say the rest."""

from typing import Any

import pytest

from tests.conformance.bodies import deployment, service
from tests.conformance.crds import things_in
from tests.conformance.wire import Wire

CONTAINERS = [
    {"name": "a", "image": "a", "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]},
    {"name": "b", "image": "b", "args": ["1", "2"], "ports": [{"containerPort": 80}]},
]


@pytest.fixture
def path(api: Wire, deployments: str) -> str:
    """The path of a Deployment of two containers."""
    body = deployment("a")
    body["spec"]["template"]["spec"]["containers"] = CONTAINERS
    api.post(deployments, body).ok(201)
    return f"{deployments}/a"


def patched(api: Wire, path: str, **pod_spec: Any) -> dict[str, Any]:
    """Patch the pod spec and return it."""
    body = {"spec": {"template": {"spec": pod_spec}}}
    found: dict[str, Any] = api.patch(path, body, "strategic").ok()["spec"]["template"]["spec"]
    return found


def test_list_elements_are_found_by_their_key(api: Wire, path: str) -> None:
    """The other container stays, and so do the other fields of this one."""
    found = patched(api, path, containers=[{"name": "a", "image": "new"}])["containers"]

    assert [(one["name"], one["image"]) for one in found] == [("a", "new"), ("b", "b")]
    assert [one["name"] for one in found[0]["env"]] == ["X", "Y"]


def test_a_new_key_is_a_new_element(api: Wire, path: str) -> None:
    """Kubectl debug and every side-car injector do this."""
    found = patched(api, path, containers=[{"name": "c", "image": "c"}])["containers"]

    assert {one["name"] for one in found} == {"a", "b", "c"}


def test_lists_inside_of_elements_are_merged_too(api: Wire, path: str) -> None:
    """By their own key: variables by name, ports by number."""
    env = [{"name": "Y", "value": "3"}, {"name": "Z", "value": "4"}]
    found = patched(api, path, containers=[{"name": "a", "env": env}])["containers"][0]["env"]

    assert {one["name"]: one["value"] for one in found} == {"X": "1", "Y": "3", "Z": "4"}


def test_lists_without_a_key_are_replaced(api: Wire, path: str) -> None:
    """Arguments are a whole."""
    found = patched(api, path, containers=[{"name": "b", "args": ["3"]}])["containers"]

    assert next(one for one in found if one["name"] == "b")["args"] == ["3"]


def test_patch_delete_removes_an_element(api: Wire, path: str) -> None:
    """The directive stands beside the key."""
    found = patched(api, path, containers=[{"name": "a", "$patch": "delete"}])["containers"]

    assert [one["name"] for one in found] == ["b"]


def test_patch_replace_replaces_a_list(api: Wire, path: str) -> None:
    """The directive is an element of its own."""
    new = [{"$patch": "replace"}, {"name": "c", "image": "c"}]

    assert [one["name"] for one in patched(api, path, containers=new)["containers"]] == ["c"]


def test_patch_replace_replaces_an_object(api: Wire, path: str) -> None:
    """What is not in the patch is gone."""
    patched(api, path, nodeSelector={"a": "1", "b": "2"})

    found = patched(api, path, nodeSelector={"$patch": "replace", "c": "3"})

    assert found["nodeSelector"] == {"c": "3"}


def test_null_removes_a_field(api: Wire, path: str) -> None:
    """As in a merge patch."""
    patched(api, path, nodeSelector={"a": "1", "b": "2"})

    assert patched(api, path, nodeSelector={"a": None})["nodeSelector"] == {"b": "2"}
    assert "nodeSelector" not in patched(api, path, nodeSelector=None)


def test_set_element_order_orders(api: Wire, path: str) -> None:
    """Kubectl apply sends it, so that the server keeps the order of the file."""
    containers = [{"name": "c", "image": "c"}]
    order = {"$setElementOrder/containers": [{"name": "c"}, {"name": "b"}, {"name": "a"}]}

    found = patched(api, path, containers=containers, **order)["containers"]

    assert [one["name"] for one in found] == ["c", "b", "a"]


def test_retain_keys_forgets_the_other_member_of_a_union(api: Wire, deployments: str) -> None:
    """Otherwise a change to Recreate would leave the rolling parameters, and be refused."""
    api.post(deployments, deployment("b")).ok(201)
    strategy = {"$retainKeys": ["type"], "type": "Recreate"}

    found = api.patch(f"{deployments}/b", {"spec": {"strategy": strategy}}, "strategic").ok()

    assert found["spec"]["strategy"] == {"type": "Recreate"}


def test_lists_of_plain_values_can_be_merged(api: Wire, path: str) -> None:
    """Finalizers are a set: two controllers add theirs without a conflict."""
    for name in ("a.com/1", "a.com/2"):
        api.patch(path, {"metadata": {"finalizers": [name]}}, "strategic").ok()
    both = api.get(path).ok()["metadata"]["finalizers"]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.com/1"]}}
    one = api.patch(path, patch, "strategic").ok()["metadata"]["finalizers"]
    api.patch(path, {"metadata": {"finalizers": None}}).ok()

    assert sorted(both) == ["a.com/1", "a.com/2"]
    assert one == ["a.com/2"]


def test_owner_references_are_merged_by_uid(api: Wire, path: str) -> None:
    """Two owners do not know of one another."""
    for uid in ("u1", "u2"):
        owner = {"apiVersion": "v1", "kind": "Pod", "name": uid, "uid": uid}
        api.patch(path, {"metadata": {"ownerReferences": [owner]}}, "strategic").ok()

    found = api.get(path).ok()["metadata"]["ownerReferences"]
    assert sorted(one["uid"] for one in found) == ["u1", "u2"]


def test_ports_of_a_service_are_merged_by_number(api: Wire, namespace: str) -> None:
    """The key is the port."""
    services = f"/api/v1/namespaces/{namespace}/services"
    ports = [{"name": "a", "port": 1}, {"name": "b", "port": 2}]
    api.post(services, service("a", ports=ports)).ok(201)

    patch = {"spec": {"ports": [{"port": 2, "targetPort": 9}]}}
    found = api.patch(f"{services}/a", patch, "strategic").ok()["spec"]["ports"]

    assert {one["port"]: (one["name"], one["targetPort"]) for one in found} == {
        1: ("a", 1),
        2: ("b", 9),
    }


def test_an_element_without_its_key_is_refused(api: Wire, path: str) -> None:
    """Nobody could tell which one is meant."""
    body = {"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}}

    reply = api.patch(path, body, "strategic")

    assert reply.status in (400, 422, 500), reply.text
    assert "does not contain declared merge key: name" in reply.json()["message"]


@pytest.mark.crd
def test_custom_resources_have_none(api: Wire, namespace: str) -> None:
    """Their schema says nothing about it, so it is another media type that is not supported."""
    things = things_in(api, namespace, custom=True)
    api.post(things.path, things.body("a")).ok(201)

    reply = api.patch(f"{things.path}/a", {}, "strategic")

    status = reply.refused(415, "UnsupportedMediaType")
    assert "application/json-patch+json, application/merge-patch+json" in status["message"]
