"""All that is served."""

from typing import Any

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Strategy
from kubewright.apiserver.schema.tree import Schema

ALL = ("get", "list", "create")


def custom(version: str = "v1", hub: str = "v1", **more: Any) -> Resource:
    names = {"group": "example.com", "plural": "foos", "kind": "Foo", **more}
    return Resource(
        version=version,
        namespaced=True,
        hub=hub,
        schema=Schema,
        make_strategy=Strategy,
        verbs=ALL,
        custom=True,
        **names,
    )


def test_every_built_in_resource_has_a_shape_and_a_behaviour() -> None:
    """Whatever discovery promises can be asked for."""
    registry = Registry()

    for resource in registry.stored():
        if "create" in resource.verbs:
            assert resource.schema().properties is not None
            assert isinstance(resource.strategy, Strategy), resource.plural


def test_resources_are_found_by_path_kind_and_storage() -> None:
    """In any version, and in the one that is stored."""
    registry = Registry()
    scalers = GroupResource("autoscaling", "horizontalpodautoscalers")

    found = registry.find("apps", "v1", "deployments")
    assert found is registry.find_kind("apps", "v1", "Deployment")
    assert found is registry.find_any("apps", "Deployment")
    hub = registry.find_hub(scalers)
    assert hub is not None
    assert hub.version == "v2"
    assert {one.version for one in registry.versions_of(scalers)} == {"v1", "v2"}
    assert registry.find("apps", "v9", "deployments") is None
    assert registry.find_kind("", "v1", "Nothing") is registry.find_any("x", "Pod") is None


def test_events_of_both_groups_are_stored_as_one() -> None:
    """An event made through one is seen through the other."""
    registry = Registry()
    core, new = registry.find("", "v1", "events"), registry.find("events.k8s.io", "v1", "events")

    assert core is not None
    assert new is not None
    assert core.storage == new.storage
    assert new.to_hub is not None


def test_definitions_come_change_and_go() -> None:
    """Each time the generation grows, so that nobody answers from memory."""
    registry = Registry()
    before, first = set(registry.groups), registry.generation
    v1, v2 = custom(), custom("v2")

    registry.set_custom("foos.example.com", [v1, v2], v1)
    both = registry.versions_of(v1.group_resource)
    registry.set_custom("foos.example.com", [v2], custom("v2", "v2"))
    one = registry.versions_of(v1.group_resource)
    registry.remove_custom("foos.example.com")

    assert (both, one) == ([v1, v2], [v2])
    assert set(registry.groups) == before
    assert registry.find_any("example.com", "Foo") is None
    assert registry.generation > first + 2


def test_a_definition_of_which_nothing_is_served_leaves_nothing_behind() -> None:
    """Its objects are stored all the same while it is there."""
    registry = Registry()
    hub = custom()

    registry.set_custom("foos.example.com", [], hub)
    there = registry.find_hub(hub.group_resource)
    registry.remove_custom("foos.example.com")

    assert there is hub
    assert registry.find_hub(hub.group_resource) is None


def test_what_is_built_in_is_not_for_definitions() -> None:
    """Neither to replace nor to remove."""
    registry = Registry()
    deployments = registry.find("apps", "v1", "deployments")
    impostor = custom(group="apps", plural="deployments", kind="Deployment")

    registry.set_custom("deployments.apps", [impostor], impostor)
    during = registry.find("apps", "v1", "deployments"), registry.find_any("apps", "Deployment")
    registry.remove_custom("deployments.apps")

    assert during == (deployments, deployments)
    assert registry.find("apps", "v1", "deployments") is deployments
    assert registry.find_any("apps", "Deployment") is deployments
