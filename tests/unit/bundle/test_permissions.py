"""Rights by service account."""

from kubewright.bundle.collection import Object, collect, name_of
from kubewright.bundle.permissions import accounts_of, permissions
from tests.unit.bundle.sample import objects, one, put

OTHER = {"kind": "ServiceAccount", "name": "other", "namespace": "shop-system"}


def with_subject(subject: Object) -> list[Object]:
    """Return the objects, with one more subject of the cluster-wide binding."""
    binding = one("ClusterRoleBinding")
    changed = put(binding, ("subjects",), [*binding["subjects"], subject])
    return [changed if each == binding else each for each in objects()]


def test_roles_become_permissions() -> None:
    """OLM makes the roles itself, for whichever namespaces somebody chooses."""
    found = permissions(collect(objects()))

    assert [each["serviceAccountName"] for each in found.cluster] == ["shop-manager"]
    assert found.cluster[0]["rules"] == one("ClusterRole", "shop-role")["rules"]
    assert found.namespaced[0]["rules"] == one("Role")["rules"]
    assert [name_of(each) for each in found.left] == ["shop-viewer"]


def test_a_binding_for_others_stays_for_them() -> None:
    """Otherwise they lose their rights without a word."""
    found = permissions(collect(with_subject(OTHER)))

    [binding] = [each for each in found.left if each["kind"] == "ClusterRoleBinding"]
    assert binding["subjects"] == [OTHER]
    assert "shop-role" in [name_of(each) for each in found.left]


def test_more_accounts_are_taken_in_if_they_are_named() -> None:
    """Pods that the operator starts may need rights, too."""
    found = permissions(collect(with_subject(OTHER)), ["other"])

    assert [each["serviceAccountName"] for each in found.cluster] == ["other", "shop-manager"]
    assert not [each for each in found.left if each["kind"] == "ClusterRoleBinding"]


def test_a_role_of_the_cluster_can_be_bound_in_a_namespace() -> None:
    """Then it gives rights there only."""
    binding = put(one("RoleBinding"), ("roleRef",), one("ClusterRoleBinding")["roleRef"])
    found = permissions(collect([*objects(), binding]))

    assert len(found.namespaced[0]["rules"]) == 2


def test_pods_without_an_account_run_as_default() -> None:
    """Kubernetes says so."""
    bare = put(one("Deployment"), ("spec", "template", "spec", "serviceAccountName"), None)

    assert accounts_of(collect([bare])) == ["default"]


def test_a_binding_to_a_role_from_elsewhere_stays() -> None:
    """The role may be one of Kubernetes' own, such as view."""
    binding = put(one("ClusterRoleBinding"), ("roleRef", "name"), "view")

    assert binding in permissions(collect([one("Deployment"), binding])).left
