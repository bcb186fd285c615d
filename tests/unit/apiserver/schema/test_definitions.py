"""The schemas of the built-in kinds."""

from functools import partial

from kubewright.apiserver.schema import definitions
from tests.unit.apiserver.schema.threads import answers, fresh_definitions

META = "io.k8s.apimachinery.pkg.apis.meta.v1"


def test_kinds_are_found_by_group_version_and_kind() -> None:
    """And others are not."""
    pod = definitions.find("", "v1", "Pod")

    assert pod is not None
    assert (pod.name, pod.definition) == ("Pod", "io.k8s.api.core.v1.Pod")
    assert definitions.find("", "v2", "Pod") is None
    assert definitions.find("", "v1", "Pod") is pod


def test_special_types_are_marked() -> None:
    """The document calls them strings and objects."""
    quantity = definitions.definition("io.k8s.apimachinery.pkg.api.resource.Quantity")
    port = definitions.definition("io.k8s.apimachinery.pkg.util.intstr.IntOrString")
    time = definitions.definition(f"{META}.MicroTime")
    free = definitions.definition("io.k8s.apimachinery.pkg.runtime.RawExtension")

    assert (quantity.format, time.format) == ("quantity", "micro-time")
    assert port.int_or_string
    assert free.preserve_unknown


def test_a_schema_may_contain_itself() -> None:
    """As that of schemas does."""
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    schema = definitions.definition(name)

    assert schema.properties["not"].properties is schema.properties


def test_the_fields_of_structs_are_known_in_go() -> None:
    """Those of other schemas are not."""
    spec = definitions.definition("io.k8s.api.apps.v1.DeploymentSpec")

    assert definitions.fields_in_go(spec)["replicas"] == "*int32"
    assert definitions.fields_in_go(spec.properties["replicas"]) == {}


def test_no_thread_sees_half_a_schema() -> None:
    """Two servers in one process would drop the status of every pod, for ever."""
    for _ in range(5):
        fresh = fresh_definitions()

        found = answers(partial(fresh.find, "", "v1", "Pod"))

        assert {len(one.properties) for one in found} == {5}
