"""Strategic merge patches."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.merge import merged
from kubewright.scaffold.kustomize.node import node_of, plain
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar, text

DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment"}


def patched(spec: Any, patch: Any) -> Any:
    """Return the pod of a Deployment after a patch of it."""
    node = node_of(DEPLOYMENT | {"spec": {"template": {"spec": spec}}})

    found = merged(node, node_of({"spec": {"template": {"spec": patch}}}))

    return plain(found)["spec"]["template"].get("spec") if found else None


def test_elements_are_merged_deleted_and_added() -> None:
    """One container changes, one goes, one comes."""
    spec = {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}
    patch = {
        "containers": [
            {"name": "a", "args": ["y"]},
            {"name": "b", "$patch": "delete"},
            {"name": "c"},
        ]
    }

    assert patched(spec, patch) == {
        "containers": [{"name": "a", "image": "x", "args": ["y"]}, {"name": "c"}]
    }


def test_directives_replace_and_delete_mappings_and_lists() -> None:
    """``$patch`` says that nothing is merged."""
    spec = {"nodeSelector": {"a": "b"}, "containers": [{"name": "a"}]}

    assert patched(spec, {"nodeSelector": {"$patch": "replace", "c": "d"}})["nodeSelector"] == {
        "c": "d"
    }
    assert "nodeSelector" not in patched(spec, {"nodeSelector": {"$patch": "delete"}})
    assert patched(spec, {"containers": [{"$patch": "replace"}, {"name": "z"}]})["containers"] == [
        {"name": "z"}
    ]
    assert merged(node_of(DEPLOYMENT), node_of({"$patch": "delete"})) is None


def test_null_removes_and_the_documents_own_null_stays() -> None:
    """A null that is spelled out means something to somebody."""
    assert patched({"a": 1, "b": None}, {"a": None}) == {"b": None}


def test_lists_without_a_key_are_replaced() -> None:
    """Arguments are an order, not a set."""
    assert patched({"tolerations": [{"key": "a"}]}, {"tolerations": [{"key": "b"}]}) == {
        "tolerations": [{"key": "b"}]
    }


def test_a_number_in_the_place_of_a_quoted_one_is_a_text() -> None:
    """Quotation marks of the document stay, as in kustomize."""
    node = {"a": Scalar("1", "str", quoted=True)}

    assert plain(merged(node, {"a": Scalar("2", "int")}) or {}) == {"a": "2"}


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (
            {"containers": {"name": "a"}},
            "spec.template.spec.containers is a list, and the patch has a mapping there",
        ),
        (
            {"nodeSelector": {"$patch": "remove"}},
            (
                "spec.template.spec.nodeSelector: $patch is 'remove'; it can be delete, merge or"
                " replace"
            ),
        ),
    ],
)
def test_a_patch_that_does_not_fit_names_the_field(patch: Any, why: str) -> None:
    """The patch may be long."""
    with pytest.raises(ProblemError) as caught:
        patched({"containers": [], "nodeSelector": {"a": "b"}}, patch)

    assert str(caught.value) == why


def test_an_object_is_not_replaced_as_a_whole() -> None:
    """Kustomize makes the new object, and then lets go of it: the old one stays as it was."""
    node = node_of({"kind": "A", "spec": {"a": "b"}})

    found = merged(node, node_of({"$patch": "replace", "kind": "A", "spec": {"c": "d"}}))

    assert found is not None
    assert plain(found) == {"kind": "A", "spec": {"a": "b"}}


def test_a_patch_changes_a_scalar_wherever_it_stands() -> None:
    """A label that kustomize has put into several fields is one node."""
    shared = text("v")
    node = {"metadata": {"labels": {"x": shared}}, "spec": {"selector": {"x": shared}}}

    found = merged(node, node_of({"metadata": {"labels": {"x": "w"}}}))

    assert found is not None
    assert plain(found) == {"metadata": {"labels": {"x": "w"}}, "spec": {"selector": {"x": "w"}}}


def test_what_looks_like_a_number_and_has_no_tag_becomes_a_text() -> None:
    """A replacement makes such values, and each patch goes over all fields of the object."""
    found = merged({"a": Scalar("1"), "b": Scalar("1", "int")}, {})

    assert found is not None
    assert plain(found) == {"a": "1", "b": 1}
