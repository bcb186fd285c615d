"""What tells an object from others."""

from kubewright.scaffold.kustomize.identity import NO_NAMESPACE, GroupVersionKind, Identity

POD = GroupVersionKind.parse("v1", "Pod")
DEPLOYMENT = GroupVersionKind.parse("apps/v1", "Deployment")
NODE = GroupVersionKind.parse("v1", "Node")


def test_group_and_version_are_one_field_of_objects() -> None:
    """The core group has no name."""
    assert POD == ("", "v1", "Pod")
    assert DEPLOYMENT == ("apps", "v1", "Deployment")
    assert (POD.api_version, DEPLOYMENT.api_version) == ("v1", "apps/v1")


def test_a_selector_leaves_open_what_it_does_not_say() -> None:
    """``kind: Deployment`` means those of every group."""
    assert DEPLOYMENT.is_selected_by(GroupVersionKind(kind="Deployment"))
    assert not DEPLOYMENT.is_selected_by(GroupVersionKind(group="extensions", kind="Deployment"))


def test_no_namespace_means_default() -> None:
    """An object without a namespace and one in ``default`` are the same."""
    assert Identity(POD, "a", "").equals(Identity(POD, "a", "default"))
    assert not Identity(POD, "a", "").equals(Identity(POD, "a", "other"))
    assert Identity(NODE, "a", "ignored").effective_namespace == NO_NAMESPACE


def test_identities_are_selected_by_name_and_namespace() -> None:
    """Replacements find their source so."""
    pod = Identity(POD, "a", "shop")

    assert pod.is_selected_by(Identity(GroupVersionKind(), "a", "shop"))
    assert not pod.is_selected_by(Identity(GroupVersionKind(), "a", "default"))


def test_messages_name_what_is_known() -> None:
    """A selector may say little."""
    assert str(Identity(DEPLOYMENT, "a", "shop")) == "Deployment.v1.apps a in namespace shop"
    assert str(Identity(GroupVersionKind(), "", "")) == "object"
