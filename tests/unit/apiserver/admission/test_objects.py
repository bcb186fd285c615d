"""What admission does with objects of any kind."""

import pytest

from kubewright.apiserver.admission.attributes import GroupVersionKind, GroupVersionResource
from kubewright.apiserver.admission.objects import RegisteredObjects
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import Obj, define, definition, foo

OBJECTS = RegisteredObjects(Registry())
SCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "a"},
    "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "d"}},
}


def kind(version: str) -> GroupVersionKind:
    return GroupVersionKind("autoscaling", version, "HorizontalPodAutoscaler")


async def test_built_in_objects_are_converted_both_ways() -> None:
    """A webhook may ask for any version."""
    old = await OBJECTS.convert(SCALER, kind("v1"))
    again = await OBJECTS.convert(old, kind("v2"))

    assert (old["apiVersion"], old["spec"]["maxReplicas"]) == ("autoscaling/v1", 3)
    assert (again["apiVersion"], again["spec"]["maxReplicas"]) == ("autoscaling/v2", 3)
    assert await OBJECTS.convert(SCALER, kind("v2")) is SCALER


async def test_custom_objects_are_converted_by_their_definition(server: APIServer) -> None:
    """Without a webhook only the version changes."""
    one = definition()["spec"]["versions"][0]
    await define(server, versions=[one, {**one, "name": "v2", "storage": False}])
    objects = RegisteredObjects(server.registry)

    found = await objects.convert(foo("a", {"x": 1}), GroupVersionKind("example.com", "v2", "Foo"))

    assert (found["apiVersion"], found["spec"]) == ("example.com/v2", {"x": 1})


def test_other_versions_of_a_resource_are_known() -> None:
    """Webhooks match equivalent ones; a subresource must exist there, too."""
    resource = GroupVersionResource("autoscaling", "v2", "horizontalpodautoscalers")

    assert [one.version for one, _ in OBJECTS.equivalents(resource, "")] == ["v1"]
    assert OBJECTS.equivalents(resource, "nosuch") == []


def test_a_patch_leaves_its_object_alone_and_says_what_does_not_fit() -> None:
    """The owner of the webhook reads it."""
    obj = {"a": {"b": 1}}

    patched = OBJECTS.patch(obj, [{"op": "replace", "path": "/a/b", "value": 2}])

    assert (obj, patched) == ({"a": {"b": 1}}, {"a": {"b": 2}})
    with pytest.raises(ValueError, match="x"):
        OBJECTS.patch(obj, [{"op": "remove", "path": "/x/y"}])


def test_what_a_webhook_returns_is_cut_and_defaulted() -> None:
    """As if a client had sent it; another kind is refused."""
    map_kind = GroupVersionKind("", "v1", "ConfigMap")
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "x": 1, "data": None}

    assert "x" not in OBJECTS.normalize(obj, map_kind)
    wrong: list[Obj] = [{"kind": "Pod"}, {"metadata": []}, {"data": 1}]
    for bad in wrong:
        with pytest.raises(StatusError):
            OBJECTS.normalize({**obj, **bad}, map_kind)


def test_kinds_are_found_by_their_api_version() -> None:
    """Policies name their parameters so."""
    deployments = GroupResource("apps", "deployments")

    assert OBJECTS.find_kind("apps/v1", "Deployment") == (deployments, True)
    assert OBJECTS.find_kind("v1", "Node") == (GroupResource("", "nodes"), False)
    assert OBJECTS.find_kind("v9", "Node") is None
