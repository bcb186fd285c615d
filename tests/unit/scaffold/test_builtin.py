import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.builtin import Builtin, find_builtin, is_core


@pytest.mark.parametrize(
    ("group", "version", "kind", "found"),
    [
        ("apps", "v1", "Deployment", ("apps", "", "kubewright.kinds.apps.v1")),
        ("core", "v1", "Pod", ("core", "", "kubewright.kinds.core.v1")),
        ("networking", "v1", "Ingress", ("networking", "k8s.io", "kubewright.kinds.networking.v1")),
        ("rbac", "v1", "Role", ("rbac", "authorization.k8s.io", "kubewright.kinds.rbac.v1")),
        (
            "rbac.authorization.k8s.io",
            "v1",
            "Role",
            ("rbac", "authorization.k8s.io", "kubewright.kinds.rbac.v1"),
        ),
    ],
)
def test_kinds_of_kubernetes_are_known_by_their_group(
    group: str, version: str, kind: str, found: tuple[str, str, str]
) -> None:
    """Kubebuilder takes the first word of the group; the whole name will do, too."""
    assert find_builtin(group, version, kind) == Builtin(
        found[0], found[1], version, kind, found[2]
    )


def test_kinds_in_groups_of_ones_own_are_not_taken_for_others() -> None:
    """Every name is free where Kubernetes has no such group, and most are where it has."""
    assert find_builtin("shop", "v1", "Deployment") is None
    assert find_builtin("apps", "v1", "Bookshop") is None


def test_a_mistyped_kind_is_recognised() -> None:
    """Nobody means to declare a Deploymnet."""
    with pytest.raises(ConfigError, match=r"Did you mean Deployment\? For a kind of your own"):
        find_builtin("apps", "v1", "Deploymnet")


def test_another_version_is_recognised() -> None:
    """v1beta1 is in many an old tutorial."""
    with pytest.raises(
        ConfigError, match=r"has no Deployment in version v1beta1.*Say --version v1"
    ):
        find_builtin("apps", "v1beta1", "Deployment")


def test_kinds_of_the_group_without_a_name_are_known() -> None:
    """Users leave the group out for them, and are told its name here."""
    assert is_core("v1", "Pod")
    assert not is_core("v1", "Deployment")
    assert not is_core("v2", "Pod")
