"""The two formats of discovery, into values and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.kind import GroupVersion, GroupVersionResource, RESTMapping
from kubewright.client.discovery_format import (
    APIGroup,
    Discovery,
    checked,
    decode_aggregated,
    decode_groups,
    decode_resources,
    decode_versions,
    encode_groups,
    encode_resources,
)
from kubewright.errors import DecodeError, ServerError
from tests.unit.client.discovery_server import DATA, group, resource

APIS = (DATA / "discovery-apis.json").read_bytes()
APPS = GroupVersion("apps", "v1")


def aggregated(*groups: dict[str, Any]) -> bytes:
    """Return a document in the aggregated format."""
    return json.dumps({"kind": "APIGroupDiscoveryList", "items": groups}).encode()


def test_aggregated_document_gives_every_group_with_its_versions_in_order() -> None:
    """The order is the server's priority, so it must survive."""
    found = decode_aggregated(APIS)

    assert len(found.groups) == 21
    assert found.find_group("autoscaling") == APIGroup("autoscaling", ("v2", "v1"), "v2")
    assert found.find_group("nothing") is None
    assert not found.failures


def test_aggregated_resource_carries_all_that_the_server_said() -> None:
    """Verbs, short names and categories are what kubectl and RBAC go by."""
    found = decode_aggregated(APIS)

    deployments = found.find_resource(GroupVersionResource("apps", "v1", "deployments"))

    assert deployments is not None
    assert deployments.mapping == RESTMapping("apps", "v1", "Deployment", "deployments")
    assert deployments.singular_name == "deployment"
    assert deployments.short_names == ("deploy",)
    assert deployments.categories == ("all",)
    assert "deletecollection" in deployments.verbs


def test_subresource_of_another_group_keeps_that_group() -> None:
    """A scale is an autoscaling/v1 Scale; sending an apps/v1 Scale is refused."""
    found = decode_aggregated(APIS)
    deployments = found.find_resource(GroupVersionResource("apps", "v1", "deployments"))
    assert deployments is not None

    scale = deployments.find_subresource("scale")
    status = deployments.find_subresource("status")

    assert scale is not None
    assert (scale.group, scale.version, scale.kind) == ("autoscaling", "v1", "Scale")
    assert status is not None
    assert (status.group, status.version, status.kind) == ("apps", "v1", "Deployment")
    assert deployments.find_subresource("log") is None


def test_kind_of_the_core_group_in_another_group_is_not_taken_for_its_own() -> None:
    """An empty group with a version beside it means core; without one, the same as the parent."""
    gv = GroupVersion("a.io", "v2")
    event = {"subresource": "events", "responseKind": {"version": "v1", "kind": "Event"}}
    status = {"subresource": "status", "responseKind": {"kind": "A"}}
    body = aggregated(group("a.io", v2=[resource("as", "A", subresources=[event, status])]))

    (found,) = decode_aggregated(body).resources[gv]

    places = [(sub.group, sub.version, sub.kind) for sub in found.subresources]
    assert places == [("", "v1", "Event"), ("a.io", "v2", "A")]
    assert decode_resources(encode_resources(gv, (found,)), gv) == (found,)


def test_stale_version_is_a_failure_and_not_the_preferred_one() -> None:
    """An extension server that is down must not take the versions that work with it."""
    metrics = group("metrics.k8s.io", v1=[], v1beta1=[resource("pods", "PodMetrics")])
    metrics["versions"][0]["freshness"] = "Stale"

    found = decode_aggregated(aggregated(metrics))

    assert found.groups == (APIGroup("metrics.k8s.io", ("v1", "v1beta1"), "v1beta1"),)
    assert isinstance(found.failures[GroupVersion("metrics.k8s.io", "v1")], ServerError)
    assert list(found.resources) == [GroupVersion("metrics.k8s.io", "v1beta1")]


def test_nulls_where_go_writes_them_read_as_empty() -> None:
    """Go writes null for an empty slice that lacks omitempty."""
    lonely = {"metadata": {"name": "a"}, "versions": None}
    bare = group("b", v1=[resource("bs", "B", verbs=None, shortNames=None)])

    found = decode_aggregated(aggregated(lonely, bare))

    assert found.find_group("a") == APIGroup("a", (), "")
    assert found.resources[GroupVersion("b", "v1")][0].verbs == ()


def test_resource_without_a_kind_only_carries_its_subresources() -> None:
    """The custom metrics API lists pods/http_requests without any pods."""
    listed = {
        "kind": "APIResourceList",
        "groupVersion": "custom.metrics.k8s.io/v1",
        "resources": [{"name": "pods/rps", "kind": "MetricValueList", "verbs": ["get"]}],
    }
    gv = GroupVersion("custom.metrics.k8s.io", "v1")

    (pods,) = decode_resources(json.dumps(listed).encode(), gv)

    assert pods.kind == ""
    assert [sub.name for sub in pods.subresources] == ["rps"]
    assert decode_resources(encode_resources(gv, (pods,)), gv) == (pods,)


@pytest.mark.parametrize("name", ["discovery-api.json", "discovery-apis.json"])
def test_old_format_loses_nothing_of_a_real_server(name: str) -> None:
    """What goes through kubectl's cache files must come back the same."""
    found = decode_aggregated((DATA / name).read_bytes())

    groups = decode_groups(encode_groups(found.groups))
    resources = {
        gv: decode_resources(encode_resources(gv, each), gv) for gv, each in found.resources.items()
    }

    assert Discovery(groups, resources) == found


def test_groups_are_written_as_kubectl_writes_them() -> None:
    """Kubectl refuses a file without kind, apiVersion or groupVersion, and asks the server."""
    written = json.loads(encode_groups([APIGroup("", ("v1",), "v1"), APIGroup("a", ("v2",), "v2")]))

    core, named = {"groupVersion": "v1", "version": "v1"}, {"groupVersion": "a/v2", "version": "v2"}
    assert written == {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [
            {"name": "", "versions": [core], "preferredVersion": core},
            {"name": "a", "versions": [named], "preferredVersion": named},
        ],
    }


def test_resources_are_written_as_kubectl_writes_them() -> None:
    """A subresource is an entry of its own, with a group only where it is another one."""
    deployments = decode_aggregated(APIS).find_resource(
        GroupVersionResource("apps", "v1", "deployments")
    )
    assert deployments is not None

    written = json.loads(encode_resources(APPS, (deployments,)))

    assert (written["kind"], written["apiVersion"]) == ("APIResourceList", "v1")
    assert written["groupVersion"] == "apps/v1"
    entries = {each["name"]: each for each in written["resources"]}
    assert entries["deployments"]["namespaced"] is True
    assert entries["deployments"]["shortNames"] == ["deploy"]
    assert entries["deployments/scale"]["group"] == "autoscaling"
    assert "group" not in entries["deployments/status"]
    assert "shortNames" not in entries["deployments/status"]


def test_versions_of_an_old_server_are_the_core_group() -> None:
    """/api lists versions only; an empty list is a server without a core group."""
    assert decode_versions(b'{"kind":"APIVersions","versions":["v1"]}') == (
        APIGroup("", ("v1",), "v1"),
    )
    assert decode_versions(b'{"kind":"APIVersions","versions":null}') == ()


def test_group_without_a_preferred_version_prefers_its_first() -> None:
    """Some extension servers leave the preference out."""
    listed = {"name": "a", "versions": [{"version": "v1"}], "preferredVersion": None}
    body = json.dumps({"kind": "APIGroupList", "groups": [listed]}).encode()

    assert decode_groups(body) == (APIGroup("a", ("v1",), "v1"),)


def test_list_of_another_group_version_is_refused() -> None:
    """A file in the wrong folder, or a proxy that mixes answers up, must not be believed."""
    with pytest.raises(DecodeError, match=r"expected the resources of batch/v1, got .*apps/v1"):
        decode_resources(encode_resources(APPS, ()), GroupVersion("batch", "v1"))


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"[]", b"null", b'{"kind":"Status"}'])
def test_anything_else_is_refused(body: bytes) -> None:
    """A login page or a Status must not read as a server without resources."""
    for decode in (decode_aggregated, decode_versions, decode_groups):
        with pytest.raises(DecodeError):
            decode(body)
    with pytest.raises(DecodeError):
        decode_resources(body, APPS)


@given(st.binary() | st.text().map(str.encode))
def test_garbage_raises_nothing_but_decode_error(body: bytes) -> None:
    """Cache files hold whatever a crash left in them; readers catch DecodeError alone."""
    for text in (body, b'{"kind":"APIGroupList","groups":' + body, b'{"kind":"' + body + b'"}'):
        with pytest.raises(DecodeError):
            decode_groups(text)


def test_order_is_core_first_then_preferred_versions_of_each_group() -> None:
    """Ambiguous names are settled by this order."""
    late_core = Discovery(
        groups=(
            APIGroup("b", ("v1", "v2"), "v2"),
            APIGroup("", ("v1",), "v1"),
            APIGroup("a", ("v1", "v0"), "v1"),
        ),
        resources=dict.fromkeys(map(GroupVersion.parse, ("a/v0", "b/v1", "b/v2", "v1")), ()),
    )

    order = [str(gv) for gv in late_core.group_versions()]

    assert order == ["v1", "b/v2", "b/v1", "a/v0"]


def test_a_version_that_is_no_name_leaves_the_others_of_its_group() -> None:
    """The preferred one is then the first of those that can be asked for."""
    group = APIGroup("example.com", ("..", "v1", "v2"), "..")

    found = checked(Discovery((group,)))

    assert found.groups == (APIGroup("example.com", ("v1", "v2"), "v1"),)
    assert list(found.failures) == [GroupVersion("example.com", "..")]


def test_a_resource_in_the_old_format_must_have_a_name_too() -> None:
    """Both formats come from the same servers."""
    gv = GroupVersion("example.com", "v1")
    body = b"""{"kind": "APIResourceList", "groupVersion": "example.com/v1",
              "resources": [{"name": "..", "kind": "E"}]}"""

    with pytest.raises(DecodeError, match="cannot stand in a URL"):
        decode_resources(body, gv)
