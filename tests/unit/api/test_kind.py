import pytest

from kubewright.api.kind import (
    GroupKind,
    GroupVersion,
    GroupVersionKind,
    GroupVersionResource,
    ObjectKey,
    RESTMapping,
)


@pytest.mark.parametrize(
    ("text", "group", "version", "path"),
    [
        ("v1", "", "v1", "/api/v1"),
        ("apps/v1", "apps", "v1", "/apis/apps/v1"),
        ("example.com/v1alpha1", "example.com", "v1alpha1", "/apis/example.com/v1alpha1"),
    ],
)
def test_an_api_version_reads_and_prints(text: str, group: str, version: str, path: str) -> None:
    """The core group has no name and lives under /api; all others under /apis."""
    parsed = GroupVersion.parse(text)

    assert parsed == GroupVersion(group, version)
    assert str(parsed) == text
    assert parsed.path == path


@pytest.mark.parametrize("text", ["", "/", "/v1", "apps/", "a/b/c", "//"])
def test_a_malformed_api_version_is_refused(text: str) -> None:
    """With the form it should have."""
    with pytest.raises(ValueError, match="write 'v1' or 'group/version'"):
        GroupVersion.parse(text)


def test_kinds_print_as_people_write_them() -> None:
    """In errors and logs."""
    gvk = GroupVersionKind.of("apps/v1", "Deployment")

    assert str(gvk) == "apps/v1 Deployment"
    assert gvk.api_version == "apps/v1"
    assert GroupVersionKind.of("v1", "Pod").api_version == "v1"
    assert gvk.group_version == GroupVersion("apps", "v1")
    assert str(gvk.group_kind) == "Deployment.apps"
    assert str(GroupKind("", "Pod")) == "Pod"
    gvr = GroupVersionResource("apps", "v1", "deployments")
    assert str(gvr) == "apps/v1 deployments"
    assert gvr.group_version == GroupVersion("apps", "v1")


PODS = RESTMapping("", "v1", "Pod", "pods")
DEPLOYMENTS = RESTMapping("apps", "v1", "Deployment", "deployments")
NODES = RESTMapping("", "v1", "Node", "nodes", namespaced=False)


@pytest.mark.parametrize(
    ("mapping", "parts", "path"),
    [
        (PODS, (), "/api/v1/pods"),
        (PODS, ("shop",), "/api/v1/namespaces/shop/pods"),
        (PODS, ("shop", "web-0"), "/api/v1/namespaces/shop/pods/web-0"),
        (PODS, ("shop", "web-0", "log"), "/api/v1/namespaces/shop/pods/web-0/log"),
        (NODES, ("", "n1", "status"), "/api/v1/nodes/n1/status"),
        (DEPLOYMENTS, (), "/apis/apps/v1/deployments"),
        (DEPLOYMENTS, ("shop", "web"), "/apis/apps/v1/namespaces/shop/deployments/web"),
    ],
)
def test_request_paths_follow_the_mapping(
    mapping: RESTMapping, parts: tuple[str, ...], path: str
) -> None:
    """Collections, objects and subresources, in a namespace, in all or in none."""
    assert mapping.path(*parts) == path


def test_a_mapping_knows_its_kind_and_its_resource() -> None:
    """One is in the object, the other in the path."""
    assert DEPLOYMENTS.gvk == GroupVersionKind("apps", "v1", "Deployment")
    assert DEPLOYMENTS.gvr == GroupVersionResource("apps", "v1", "deployments")


@pytest.mark.parametrize(
    ("text", "key"),
    [("web", ObjectKey("", "web")), ("shop/web", ObjectKey("shop", "web"))],
)
def test_an_object_key_reads_and_prints(text: str, key: ObjectKey) -> None:
    """As kubectl and client-go's queues write it."""
    assert ObjectKey.parse(text) == key
    assert str(key) == text


@pytest.mark.parametrize("text", ["", "/", "/web", "shop/", "a/b/c"])
def test_a_malformed_object_key_is_refused(text: str) -> None:
    """An empty half is always a bug of the caller."""
    with pytest.raises(ValueError, match="write 'name' or 'namespace/name'"):
        ObjectKey.parse(text)


def test_names_are_values() -> None:
    """They are keys of dicts and are sorted for people."""
    assert {ObjectKey("a", "b"): 1}[ObjectKey("a", "b")] == 1
    assert ObjectKey("a", "z") < ObjectKey("b", "a")
    with pytest.raises(AttributeError):
        ObjectKey("a", "b").name = "c"  # type: ignore[misc]  # that is the point
