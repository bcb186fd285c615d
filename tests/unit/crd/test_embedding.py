"""Built-in types in a CRD: they keep their list types, map types and defaults."""

import subprocess
import sys
from typing import Any

from kubewright.api.meta import OwnerReference
from kubewright.api.model import Model
from kubewright.crd.schema import schema_of
from kubewright.kinds.apps.v1 import DeploymentStatus
from kubewright.kinds.core.v1 import (
    ObjectReference,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    ServiceSpec,
)

LIST_TYPE = "x-kubernetes-list-type"
LIST_KEYS = "x-kubernetes-list-map-keys"
MAP_TYPE = "x-kubernetes-map-type"


def broken_lists(schema: Any, path: str = "") -> list[str]:
    """Return the maps in *schema* with a key that an item may lack."""
    if not isinstance(schema, dict):
        return []
    items = schema.get("items", {})
    lacking = [
        f"{path}: {key}"
        for key in schema.get(LIST_KEYS, ())
        if key not in items.get("required", ()) and "default" not in items["properties"][key]
    ]
    rest = {"[]": schema.get("items"), "{}": schema.get("additionalProperties")}
    inside = {**schema.get("properties", {}), **rest}
    return lacking + [found for k, v in inside.items() for found in broken_lists(v, f"{path}.{k}")]


def test_containers_of_an_embedded_template_are_a_map_by_name() -> None:
    """Two writers of one pod template must not take all containers from each other."""
    pod = schema_of(PodTemplateSpec)["properties"]["spec"]["properties"]

    assert (pod["containers"][LIST_TYPE], pod["containers"][LIST_KEYS]) == ("map", ["name"])
    assert pod["tolerations"][LIST_TYPE] == "atomic"
    assert pod["nodeSelector"][MAP_TYPE] == "atomic"
    assert LIST_KEYS not in pod["tolerations"]


def test_a_key_that_may_be_left_out_has_the_default_of_the_server() -> None:
    """The server refuses a CRD with a list whose items may lack a key."""
    pod = schema_of(PodSpec)["properties"]
    ports = pod["containers"]["items"]["properties"]["ports"]

    assert ports[LIST_KEYS] == ["containerPort", "protocol"]
    assert ports["items"]["properties"]["protocol"]["default"] == "TCP"
    assert pod["imagePullSecrets"]["items"]["properties"]["name"]["default"] == ""
    assert broken_lists(schema_of(PodTemplateSpec)) == []
    assert broken_lists(schema_of(ServiceSpec)) == []


def test_a_list_is_atomic_where_a_key_has_no_default() -> None:
    """No default is known for the type of a condition, and without one no map is possible."""
    conditions = schema_of(DeploymentStatus)["properties"]["conditions"]

    assert LIST_TYPE not in conditions
    assert LIST_KEYS not in conditions


def test_an_object_that_is_replaced_as_a_whole_stays_so() -> None:
    """Half of a reference to one object and half of another refers to nothing."""
    assert schema_of(ObjectReference)[MAP_TYPE] == "atomic"
    assert schema_of(OwnerReference)[MAP_TYPE] == "atomic"
    assert MAP_TYPE not in schema_of(PodSpec)


def test_resource_claims_of_a_container_are_a_map() -> None:
    """Resources are what custom resources embed most."""
    claims = schema_of(ResourceRequirements)["properties"]["claims"]

    assert (claims[LIST_TYPE], claims[LIST_KEYS]) == ("map", ["name"])


def test_a_subclass_inherits_how_its_lists_are_shared() -> None:
    """A field keeps its meaning in a class with one field more."""

    class MyPodSpec(PodSpec):
        """A pod, and more."""

        size: int = 1

    assert schema_of(MyPodSpec)["properties"]["containers"][LIST_TYPE] == "map"


def test_a_class_of_the_user_is_left_alone() -> None:
    """Only the server's own types have the server's own lists."""

    class Spec(Model):
        """Not the one of pods."""

        containers: list[str] = []

    assert LIST_TYPE not in schema_of(Spec)["properties"]["containers"]


def test_the_tables_are_read_only_when_a_schema_is_made() -> None:
    """An operator that makes no CRD does not pay for them."""
    code = "import sys, kubewright.crd, kubewright.kinds.core.v1 as _; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "kubewright.kinds.core.v1" in done.stdout.split()
    assert "kubewright.kinds._sharing" not in done.stdout.split()
