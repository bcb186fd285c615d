"""Names of kinds and resources."""

from kubewright.apiserver.meta.names import GroupKind, GroupResource, api_version


def test_the_core_group_has_no_name() -> None:
    """Messages say pods and deployments.apps, and objects say v1 and apps/v1."""
    assert [str(GroupResource("", "pods")), str(GroupResource("apps", "deployments"))] == [
        "pods",
        "deployments.apps",
    ]
    assert [str(GroupKind("", "Pod")), str(GroupKind("apps", "Deployment"))] == [
        "Pod",
        "Deployment.apps",
    ]
    assert [api_version("", "v1"), api_version("apps", "v1")] == ["v1", "apps/v1"]
