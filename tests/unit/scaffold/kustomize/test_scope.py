"""Which kinds belong to no namespace."""

from kubewright.apiserver.schema import definitions
from kubewright.scaffold.kustomize import scope
from kubewright.scaffold.kustomize.scope import is_cluster_scoped


def test_kinds_of_kubernetes_are_known_by_group_and_version() -> None:
    """A namespace on a ClusterRole would be refused, and one missing on a Role, too."""
    assert is_cluster_scoped("rbac.authorization.k8s.io", "v1", "ClusterRole")
    assert not is_cluster_scoped("rbac.authorization.k8s.io", "v1", "Role")
    assert not is_cluster_scoped("example.com", "v1", "ClusterRole")


def test_later_kinds_count_as_namespaced() -> None:
    """Since kustomize does not know them, it prints a namespace."""
    kind = ("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy")

    assert definitions.find(*kind) is not None
    assert not is_cluster_scoped(*kind)


def test_all_kinds_of_version_1_exist() -> None:
    """A typo in the table would move objects into namespaces."""
    unknown = [
        (group, kind)
        for (group, kind), versions in scope._CLUSTER_SCOPED.items()
        if "v1" in versions and kind != "NodeProxyOptions"
        if definitions.find(group, "v1", kind) is None
    ]

    assert not unknown
