"""Which lists are merged."""

from kubewright.apiserver.schema import definitions
from kubewright.scaffold.kustomize import schema
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.schema import elements, field, find_schema, merge_keys


def keys_at(api_version: str, kind: str, *path: str) -> list[str] | None:
    """Return the merge keys of a list."""
    found = find_schema(GroupVersionKind.parse(api_version, kind))
    for name in path:
        found = elements(found) if name == "[]" else field(found, name)
    return merge_keys(found)


def test_lists_of_built_in_kinds_are_merged_by_their_keys() -> None:
    """A patch of one container leaves the others alone."""
    containers = ("spec", "template", "spec", "containers")

    assert keys_at("apps/v1", "Deployment", *containers) == ["name"]
    assert keys_at("apps/v1", "Deployment", *containers, "[]", "ports") == [
        "containerPort",
        "protocol",
    ]
    assert keys_at("apps/v1", "Deployment", *containers, "[]", "args") is None
    assert keys_at("v1", "Pod", "metadata", "finalizers") == []


def test_other_kinds_have_no_lists_to_merge() -> None:
    """That of a custom resource is replaced as a whole."""
    assert keys_at("example.com/v1", "Shop", "metadata", "finalizers") is None


def test_lists_later_than_the_schemas_of_kustomize_are_replaced() -> None:
    """What kustomize knows is Kubernetes 1.21."""
    assert keys_at("v1", "Pod", "spec", "resourceClaims") is None
    assert keys_at("autoscaling/v2", "HorizontalPodAutoscaler", "metadata", "finalizers") is None
    assert keys_at("resource.k8s.io/v1", "DeviceClass", "metadata", "finalizers") is None


def test_versions_that_are_gone_merge_as_version_1() -> None:
    """Files with them are still around."""
    assert keys_at("batch/v1beta1", "CronJob", "metadata", "finalizers") == []
    assert keys_at("extensions/v1beta1", "Ingress", "metadata", "ownerReferences") == ["uid"]


def test_the_exceptions_exist() -> None:
    """A typo in a table would be an exception from nothing."""
    assert all(definitions.find(*kind) for kind in schema._LATER_VERSIONS)
    assert all(definitions.find(group, "v1", kind) for group, kind in schema._LATER_KINDS)
