"""Built-in types in a CRD: their schemas are those of Kubernetes, in the version that is chosen."""

import subprocess
import sys
from importlib import import_module
from typing import Annotated, Any

import pytest

from kubewright import kinds
from kubewright.api.meta import OwnerReference
from kubewright.api.model import Model
from kubewright.crd.constraints import Maximum
from kubewright.crd.embedding import kubernetes_versions, label_of
from kubewright.crd.finishing import Options
from kubewright.crd.markers import KubernetesVersion
from kubewright.crd.schema import schema_of
from kubewright.errors import SchemaError
from kubewright.kinds.apiextensions.v1 import JSONSchemaProps
from kubewright.kinds.apps.v1 import DeploymentStatus
from kubewright.kinds.batch.v1 import JobTemplateSpec, SuccessPolicy
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

    assert conditions[LIST_TYPE] == "atomic"
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


def test_a_subclass_inherits_what_the_server_checks() -> None:
    """A field keeps its meaning in a class with one field more, unless that says otherwise."""

    class MyPodSpec(PodSpec):
        """A pod, and more."""

        size: int
        priority: int | None = None

    class OtherPodSpec(MyPodSpec):
        """Another one."""

        node_name: str

    schema = schema_of(OtherPodSpec)

    assert schema["properties"]["containers"][LIST_TYPE] == "map"
    assert schema["required"] == ["containers", "nodeName", "size"]
    assert schema["properties"]["priority"]["format"] == "int32"


def test_a_subclass_may_change_a_field() -> None:
    """What it says of the field itself counts."""

    class MyPodSpec(PodSpec):
        """A pod with a priority of its own."""

        priority: Annotated[int | None, Maximum(9)] = 5

    priority = schema_of(MyPodSpec)["properties"]["priority"]

    assert priority == {"type": "integer", "format": "int64", "maximum": 9, "default": 5}


def test_integers_have_the_size_of_go() -> None:
    """Python's have none, and the server would fail with what the CRD let through."""
    job = schema_of(JobTemplateSpec)["properties"]["spec"]["properties"]

    assert job["parallelism"] == {"type": "integer", "format": "int32"}
    assert job["activeDeadlineSeconds"] == {"type": "integer", "format": "int64"}


def test_what_the_server_requires_is_required() -> None:
    """The Python classes read what lacks it, and a CRD refuses it."""
    pod = schema_of(PodSpec)

    assert pod["required"] == ["containers"]
    assert pod["properties"]["containers"]["items"]["required"] == ["name"]
    assert schema_of(JobTemplateSpec)["properties"]["spec"]["required"] == ["template"]


def test_the_schema_is_that_of_the_version_that_was_chosen() -> None:
    """A field that the cluster does not know yet would be kept by the CRD and lost in the pod."""
    older = schema_of(PodSpec, options=Options(kubernetes="1.24"))["properties"]
    newer = schema_of(PodSpec)["properties"]

    assert "resourceClaims" not in older
    assert newer["resourceClaims"][LIST_KEYS] == ["name"]


def test_a_marker_chooses_the_version_for_one_field() -> None:
    """It holds for all inside, and for nothing beside."""

    class Both(Model):
        """Two pods."""

        old: Annotated[list[PodSpec], KubernetesVersion("1.24")] = []
        new: list[PodSpec] = []

    properties = schema_of(Both)["properties"]

    assert "resourceClaims" not in properties["old"]["items"]["properties"]
    assert "resourceClaims" in properties["new"]["items"]["properties"]


def test_a_version_that_is_not_shipped_is_refused_with_those_that_are() -> None:
    """The author has to know what there is to choose from."""
    with pytest.raises(SchemaError, match=r"'1\.3' are not known: choose one of 1\.24, .*1\.37"):
        schema_of(PodSpec, options=Options(kubernetes="1.3"))

    assert kubernetes_versions()[-1] == "1.37"


def test_a_type_that_the_version_lacks_is_refused() -> None:
    """An empty schema would keep nothing of it."""
    with pytest.raises(SchemaError, match=r"1\.24 has no batch\.v1\.SuccessPolicy"):
        schema_of(SuccessPolicy, options=Options(kubernetes="1.24"))


def test_a_type_that_contains_itself_is_refused() -> None:
    """A structural schema has no end then."""
    with pytest.raises(SchemaError, match="contains itself"):
        schema_of(JSONSchemaProps)


def test_every_builtin_type_has_a_schema_in_the_newest_version() -> None:
    """The classes and the schemas are made of the same Kubernetes."""
    classes = [
        cls
        for module in map(import_module, kinds.modules())
        for cls in (getattr(module, name) for name in module.__all__)
        if isinstance(cls, type) and issubclass(cls, Model) and label_of(cls)
    ]
    recursive = {"CustomResourceDefinition", "JSONSchemaProps", "JSON", "CustomResourceValidation"}

    without = [
        cls.__name__
        for cls in classes
        if not cls.__name__.startswith(tuple(recursive)) and not schema_of(cls)
    ]

    assert len(classes) > 500
    assert without == []


def test_a_class_of_the_user_is_left_alone() -> None:
    """Only the server's own types have the server's own lists."""

    class Spec(Model):
        """Not the one of pods."""

        containers: list[str] = []

    assert LIST_TYPE not in schema_of(Spec)["properties"]["containers"]


def test_the_tables_are_read_only_when_a_schema_is_made() -> None:
    """An operator that makes no CRD does not pay for them."""
    code = (
        "import sys; sys.addaudithook(lambda name, args: name == 'open' and print(args[0]));"
        "import kubewright.crd, kubewright.kinds.core.v1"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "kubewright" in done.stdout
    assert "schemas.json" not in done.stdout
