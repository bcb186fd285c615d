import pytest

from kubewright.apiserver.admission.attributes import GroupVersionKind, GroupVersionResource
from kubewright.apiserver.admission.plugins.namespacelifecycle import NamespaceLifecycle
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import (
    NAMESPACES,
    config_map,
    context,
    namespace,
    store,
    write,
)


def test_nothing_is_created_without_its_namespace() -> None:
    """The missing namespace is what the client hears about; a new one counts at once."""
    reader = store()
    lifecycle = NamespaceLifecycle(context(reader))

    with pytest.raises(StatusError) as caught:
        lifecycle.admit(write(namespace="nix"))

    assert (caught.value.code, caught.value.message) == (404, 'namespaces "nix" not found')
    assert caught.value.details == {"name": "nix", "kind": "namespaces"}
    reader.put(NAMESPACES, namespace("nix"))
    lifecycle.admit(write(namespace="nix"))


def test_nothing_new_comes_into_a_namespace_that_ends() -> None:
    """Updates and deletions go on, or it would never be empty."""
    lifecycle = NamespaceLifecycle(context(store(namespace("shop", "Terminating"))))

    with pytest.raises(StatusError) as caught:
        lifecycle.admit(write())

    assert caught.value.message == (
        'configmaps "x" is forbidden: unable to create new content in namespace shop because it is'
        " being terminated"
    )
    assert caught.value.details["causes"] == [
        {
            "reason": "NamespaceTerminating",
            "message": "namespace shop is being terminated",
            "field": "metadata.namespace",
        }
    ]
    lifecycle.admit(write("UPDATE"))
    lifecycle.admit(write("DELETE"))


def test_a_name_yet_to_be_made_is_shown_by_its_beginning() -> None:
    """Mutation comes before the name is generated."""
    lifecycle = NamespaceLifecycle(context(store(namespace("shop", "Terminating"))))
    obj = config_map()
    obj["metadata"] = {"generateName": "x-"}

    with pytest.raises(StatusError, match='configmaps "x-" is forbidden'):
        lifecycle.admit(write(object=obj))


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_some_namespaces_stay(name: str) -> None:
    """A cluster needs them."""
    lifecycle = NamespaceLifecycle(context(store()))
    kind, resource = (
        GroupVersionKind("", "v1", "Namespace"),
        GroupVersionResource("", "v1", "namespaces"),
    )

    with pytest.raises(StatusError) as caught:
        lifecycle.admit(write("DELETE", kind=kind, resource=resource, name=name))

    assert caught.value.message == (
        f'namespaces "{name}" is forbidden: this namespace may not be deleted'
    )
    lifecycle.admit(write("DELETE", kind=kind, resource=resource, name="shop"))


def test_access_reviews_tell_nothing_about_namespaces() -> None:
    """Who asks may not be allowed to know which exist."""
    kind = GroupVersionKind("authorization.k8s.io", "v1", "LocalSubjectAccessReview")
    resource = GroupVersionResource("authorization.k8s.io", "v1", "localsubjectaccessreviews")

    NamespaceLifecycle(context(store())).admit(write(kind=kind, resource=resource, namespace="nix"))
