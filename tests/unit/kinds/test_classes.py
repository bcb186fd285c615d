"""The generated classes as users meet them: names, defaults, unions and special types."""

import json
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import msgspec
import pytest
from tools.kindgen.facts import HAND_WRITTEN

from kubewright import _json, kinds
from kubewright._json import MicroTime
from kubewright.api.lists import ResourceList
from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.api.resource import Resource, document, read, to_json
from kubewright.errors import DecodeError
from kubewright.kinds.apiextensions.v1 import JSONSchemaProps
from kubewright.kinds.apps.v1 import DaemonSet, Deployment, DeploymentSpec
from kubewright.kinds.coordination.v1 import Lease, LeaseSpec
from kubewright.kinds.core.v1 import (
    Container,
    EmptyDirVolumeSource,
    Event,
    Pod,
    PodList,
    PodSpec,
    PodTemplateSpec,
    Secret,
    Service,
    Volume,
)
from kubewright.kinds.meta.v1 import DeleteOptions, Status
from kubewright.kinds.networking.v1 import HTTPIngressPath, IPBlock
from kubewright.kinds.rbac.v1 import RoleBinding
from tests.unit.kinds import samples


@pytest.mark.parametrize(
    ("where", "field", "wire"),
    [
        ("core.v1.ServiceSpec", "cluster_ip", "clusterIP"),
        ("core.v1.ServiceSpec", "external_ips", "externalIPs"),
        ("core.v1.PodStatus", "pod_ips", "podIPs"),
        ("core.v1.PodSpec", "host_ipc", "hostIPC"),
        ("core.v1.PodSpec", "set_hostname_as_fqdn", "setHostnameAsFQDN"),
        ("core.v1.ContainerStatus", "image_id", "imageID"),
        ("core.v1.Volume", "scale_io", "scaleIO"),
        ("core.v1.Volume", "downward_api", "downwardAPI"),
        ("core.v1.FCVolumeSource", "target_wwns", "targetWWNs"),
        ("core.v1.NodeSystemInfo", "system_uuid", "systemUUID"),
        ("core.v1.PersistentVolumeSpec", "cephfs", "cephfs"),
        ("rbac.v1.PolicyRule", "non_resource_urls", "nonResourceURLs"),
        ("networking.v1.NetworkPolicyIngressRule", "from_", "from"),
        ("networking.v1.IPBlock", "except_", "except"),
        ("meta.v1.ListMeta", "continue_", "continue"),
        ("meta.v1.ManagedFieldsEntry", "fields_v1", "fieldsV1"),
        ("resource.v1.DeviceAttribute", "bool_", "bool"),
        ("resource.v1.DeviceAttribute", "int_", "int"),
        ("apiextensions.v1.JSONSchemaProps", "not_", "not"),
        ("apiextensions.v1.JSONSchemaProps", "ref", "$ref"),
        ("apiextensions.v1.CustomResourceValidation", "open_api_v3_schema", "openAPIV3Schema"),
        (
            "apiextensions.v1.JSONSchemaProps",
            "x_kubernetes_preserve_unknown_fields",
            "x-kubernetes-preserve-unknown-fields",
        ),
    ],
)
def test_a_field_has_the_name_that_one_guesses(where: str, field: str, wire: str) -> None:
    """The wire's capitals and Python's keywords must not be looked up each time."""
    module, _, name = where.rpartition(".")
    cls = getattr(import_module(f"kubewright.kinds.{module}"), name)

    assert (
        dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))[field] == wire
    )


@pytest.mark.parametrize("name", sorted(HAND_WRITTEN))
def test_classes_written_by_hand_have_every_property_of_the_document(name: str) -> None:
    """They do not change by themselves when Kubernetes adds a property."""
    cls = getattr(import_module("kubewright.kinds.meta.v1"), HAND_WRITTEN[name])

    assert set(cls.__struct_encode_fields__) == set(samples.properties(name))


def test_spec_and_status_can_be_used_at_once() -> None:
    """Without this, each read of a status would need a check for None."""
    pod = Pod()

    pod.spec.containers.append(Container(name="web"))

    assert pod.status.phase is None
    assert Pod().spec.containers == []


def test_an_empty_status_is_not_sent() -> None:
    """A create with a status looks as if the writer knew it; a DaemonSet's has required counts."""
    assert document(DaemonSet()).keys() == {"apiVersion", "kind", "spec"}
    assert document(Pod()) == {"apiVersion": "v1", "kind": "Pod"}


def test_an_object_without_spec_and_status_can_be_read() -> None:
    """Go writes both always; other servers and people do not."""
    found = _json.decode(b'{"metadata": {"name": "web"}, "spec": null}', Deployment)

    assert found.spec.template.spec.containers == []
    assert found.status.replicas is None


def test_a_template_has_metadata_and_spec() -> None:
    """`deployment.spec.template.metadata.labels` is read and written by every operator."""
    template = PodTemplateSpec()

    template.metadata.labels["app"] = "web"
    template.spec.containers.append(Container(name="web"))

    assert _json.to_builtins(template) == {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web"}]},
    }


def test_an_empty_part_that_was_given_is_sent() -> None:
    """`emptyDir: {}` says something, though there is nothing in it."""
    volume = Volume(name="tmp", empty_dir=EmptyDirVolumeSource())

    assert _json.to_builtins(volume) == {"name": "tmp", "emptyDir": {}}
    assert _json.convert({"name": "tmp", "emptyDir": {}}, Volume) == volume


def test_false_and_zero_of_optional_fields_are_sent() -> None:
    """`replicas: 0` and `enableServiceLinks: false` are not the defaults of the server."""
    spec = DeploymentSpec(replicas=0, selector=LabelSelector(match_labels={"a": "b"}))

    assert _json.to_builtins(spec)["replicas"] == 0
    assert _json.to_builtins(PodSpec(enable_service_links=False)) == {"enableServiceLinks": False}


def test_a_required_field_must_be_given() -> None:
    """The server would refuse a container without a name, and later."""
    with pytest.raises(TypeError, match="name"):
        Container()  # type: ignore[call-arg]  # that it is missing is the point
    with pytest.raises(DecodeError, match="roleRef"):
        _json.decode(b"{}", RoleBinding)


def test_a_null_pointer_that_the_document_requires_is_read() -> None:
    """A pathType is required, and a pointer in Go: one that is not set is written as null."""
    found = _json.decode(b'{"backend": {}, "pathType": null}', HTTPIngressPath)

    assert found.path_type is None


def test_a_secret_holds_bytes() -> None:
    """Values are base64 with padding on the wire, and whatever was put in on our side."""
    values = {"empty": b"", "one": b"\xff", "two": b"\x00\x01", "text": "äß".encode() * 50}

    secret = Secret(data=values)

    assert _json.to_builtins(secret)["data"]["one"] == "/w=="
    assert "\n" not in _json.to_builtins(secret)["data"]["text"]
    assert read(to_json(secret), Secret).data == values


def test_broken_base64_is_refused_with_the_name_of_the_field() -> None:
    """It must not be taken for text."""
    with pytest.raises(DecodeError, match="data"):
        _json.decode(b'{"data": {"password": "not base64!"}}', Secret)


@pytest.mark.parametrize("schema", [True, False, {"type": "string"}, {}])
def test_additional_properties_are_a_schema_or_a_bool(schema: Any) -> None:
    """`false` forbids further properties and must not turn into an absent schema."""
    raw = {"type": "object", "additionalProperties": schema}

    found = _json.convert(raw, JSONSchemaProps)

    assert isinstance(found.additional_properties, (bool, JSONSchemaProps))
    assert _json.to_builtins(found) == raw


@pytest.mark.parametrize("items", [{"type": "string"}, [{"type": "string"}, {"not": {}}]])
def test_items_are_a_schema_or_several(items: Any) -> None:
    """Both forms are in the wild, and both are recursive."""
    found = _json.convert({"items": items}, JSONSchemaProps)

    assert _json.to_builtins(found) == {"items": items}


def test_dependencies_are_schemas_or_names() -> None:
    """A union inside of a map."""
    raw = {"dependencies": {"a": ["b", "c"], "d": {"required": ["e"]}}}

    assert _json.to_builtins(_json.convert(raw, JSONSchemaProps)) == raw


def test_nulls_deep_in_a_recursive_schema_are_read() -> None:
    """The second pass, which drops nulls, must follow the recursion as well."""
    raw = {"properties": {"a": {"items": {"required": None, "properties": {"b": {"enum": None}}}}}}

    found = _json.convert(raw, JSONSchemaProps)

    inner = found.properties["a"].items
    assert isinstance(inner, JSONSchemaProps)
    assert inner.properties["b"].enum == []


def test_int_or_string_keeps_what_it_is() -> None:
    """Port 8080 and the port named "8080" are two things."""
    raw = {"spec": {"ports": [{"port": 1, "targetPort": 80}, {"port": 2, "targetPort": "80"}]}}

    found = _json.convert(raw, Service)

    assert [port.target_port for port in found.spec.ports] == [80, "80"]
    assert document(found)["spec"] == raw["spec"]


def test_a_quantity_keeps_its_form() -> None:
    """`1024Mi` written as `1Gi` would be a change that nobody made."""
    raw = {"name": "web", "resources": {"limits": {"memory": "1024Mi", "cpu": 0.5}}}

    assert _json.to_builtins(_json.convert(raw, Container)) == raw


def test_a_lease_is_renewed_with_six_digits() -> None:
    """Go refuses a MicroTime without a fraction."""
    noon = MicroTime(2026, 1, 1, 12, tzinfo=UTC)

    lease = Lease(spec=LeaseSpec(renew_time=noon))

    assert document(lease)["spec"] == {"renewTime": "2026-01-01T12:00:00.000000Z"}
    assert read(to_json(lease), Lease).spec.renew_time == noon


def test_times_are_datetimes() -> None:
    """An event's times come as null when they are not set."""
    raw = b'{"firstTimestamp": "2026-01-01T12:00:00Z", "lastTimestamp": null, "eventTime": null}'

    event = _json.decode(raw, Event)

    assert event.first_timestamp == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert event.last_timestamp is None


def test_keywords_are_written_without_their_underscore() -> None:
    """`except_` is Python's need, not the server's."""
    block = IPBlock(cidr="10.0.0.0/8", except_=["10.1.0.0/16"])

    assert _json.to_builtins(block) == {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}


def test_options_and_answers_say_what_they_are() -> None:
    """They are no objects, and still carry apiVersion and kind."""
    options = DeleteOptions(grace_period_seconds=0)

    assert _json.to_builtins(options) == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": 0,
    }
    assert _json.decode(b'{"code": 404}', Status).kind == "Status"


def test_an_enum_takes_values_that_are_not_invented_yet() -> None:
    """A newer server must not break the decoding of a whole list."""
    assert _json.decode(b'{"status": {"phase": "Hibernating"}}', Pod).status.phase == "Hibernating"


def test_a_list_fills_in_what_it_and_its_items_are() -> None:
    """Servers leave out apiVersion and kind of the items."""
    raw = b'{"metadata": {"resourceVersion": "7"}, "items": [{"metadata": {"name": "a"}}]}'

    found = _json.decode(raw, PodList)

    assert (found.api_version, found.kind, found.metadata.resource_version) == (
        "v1",
        "PodList",
        "7",
    )
    assert [(pod.kind, pod.metadata.name) for pod in found.items] == [("Pod", "a")]


def test_objects_do_not_share_their_parts() -> None:
    """A default that two objects share would show the changes of one in the other."""
    one, other = Pod(), Pod()

    one.metadata.labels["a"] = "b"
    one.spec.containers.append(Container(name="a"))

    assert other == Pod(metadata=ObjectMeta(), spec=PodSpec())


def test_parts_are_not_tracked_by_the_garbage_collector() -> None:
    """A cache of many objects would be walked by every full collection."""
    for name in kinds.modules():
        module = import_module(name)
        for cls in (getattr(module, public) for public in module.__all__):
            if isinstance(cls, type) and issubclass(cls, msgspec.Struct):
                tracked = issubclass(cls, (Resource, ResourceList))
                assert cls.__struct_config__.gc is tracked, cls


def test_a_big_list_is_read_whole() -> None:
    """Nothing in the classes depends on the number of items."""
    items = [{"metadata": {"name": f"pod-{i}"}, "spec": {"containers": None}} for i in range(2000)]

    found = _json.decode(json.dumps({"items": items}).encode(), PodList)

    assert len({pod.metadata.name for pod in found.items}) == 2000
