"""Metadata of every kind."""

from typing import Any

import pytest

from kubewright.apiserver.registry import metadata
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource

REGISTRY = Registry()
OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}


def resource(plural: str = "configmaps") -> Resource:
    found = REGISTRY.find("", "v1", plural)
    assert found is not None
    return found


def texts(**meta: Any) -> list[str]:
    obj = {"metadata": {"name": "a", **meta}}
    return [str(error) for error in metadata.validate(obj, resource())]


def test_generated_names_fit_and_have_no_words() -> None:
    """Five letters after what fits."""
    name = metadata.generated_name("x" * 100)

    assert len(name) == 63
    assert set(name[58:]) <= set(metadata.ALPHABET)
    assert not set("aeiou") & set(metadata.ALPHABET)


@pytest.mark.parametrize(
    ("meta", "text"),
    [
        ({"name": ""}, "metadata.name: Required value: name or generateName is required"),
        ({"generateName": "A-"}, 'metadata.generateName: Invalid value: "A-":'),
        ({"labels": {"a": "é"}}, 'metadata.labels: Invalid value: "é"'),
        ({"annotations": {"é": ""}}, 'metadata.annotations: Invalid value: "é"'),
        ({"finalizers": ["a"]}, "name is neither a standard finalizer name nor is it fully"),
        ({"finalizers": ["orphan", "foregroundDeletion"]}, "cannot be both set"),
        (
            {"ownerReferences": [OWNER, {}]},
            "metadata.ownerReferences[1].apiVersion: Required value: must not be empty",
        ),
        (
            {"ownerReferences": [{**OWNER, "apiVersion": "a/b/c"}]},
            (
                'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be'
                " <group>/<version> or <version>"
            ),
        ),
        ({"ownerReferences": [{**OWNER, "kind": "Event"}]}, "is disallowed from being an owner"),
        (
            {"ownerReferences": [{**OWNER, "controller": True}, {**OWNER, "controller": True}]},
            'can have Controller set to true. Found "true" in references for Pod/p and Pod/p',
        ),
    ],
)
def test_wrong_metadata_is_named(meta: dict[str, Any], text: str) -> None:
    """With Kubernetes' words."""
    assert any(text in found for found in texts(**meta)), texts(**meta)


def test_right_metadata_is_right() -> None:
    """A prefix may end in a dash, and a finalizer may be qualified."""
    assert texts(generateName="web-", finalizers=["x.io/y"], ownerReferences=[OWNER]) == []


def test_a_new_object_is_given_its_identity() -> None:
    """And loses what it claims."""
    meta: dict[str, Any] = {"name": "a", "selfLink": "x", "generation": 4, "uid": "mine"}

    metadata.fill(meta, "now")

    assert meta.pop("uid") != "mine"
    assert meta == {"name": "a", "creationTimestamp": "now"}


def test_an_update_may_leave_out_but_not_change_its_identity() -> None:
    """The generation is never the client's."""
    old = {"name": "a", "uid": "u", "creationTimestamp": "t", "generation": 3}
    new: dict[str, Any] = {"name": "a", "generation": 9}

    metadata.carry_over(new, old)

    assert new == old
    changed = metadata.validate_update({**new, "uid": "x"}, old, resource())
    assert {str(error) for error in changed} == {
        'metadata.uid: Invalid value: "x": field is immutable'
    }


def test_another_time_of_creation_or_deletion_is_said_in_vain() -> None:
    """Both are the server's alone, and no reason to refuse the rest."""
    old = {"name": "a", "creationTimestamp": "t", "deletionTimestamp": "u"}
    new: dict[str, Any] = {"name": "a", "creationTimestamp": "x", "deletionTimestamp": "y"}

    metadata.carry_over(new, old)

    assert new == old


def test_no_finalizer_is_added_to_what_is_being_deleted() -> None:
    """They could hold it for ever; fewer is fine."""
    old = {"name": "a", "deletionTimestamp": "t", "finalizers": ["x.io/a", "x.io/b"]}

    more = metadata.validate_update({**old, "finalizers": ["x.io/a", "x.io/c"]}, old, resource())
    fewer = metadata.validate_update({**old, "finalizers": ["x.io/a"]}, old, resource())

    assert 'found new finalizers []string{"x.io/c"}' in str(more[0])
    assert fewer == []


def test_owners_are_there_once() -> None:
    """Only what is equal in everything is the same."""
    meta = {"ownerReferences": [OWNER, dict(OWNER), {**OWNER, "controller": True}]}

    assert metadata.drop_duplicate_owners(meta)
    assert len(meta["ownerReferences"]) == 2
    assert not metadata.drop_duplicate_owners(meta)
    assert not metadata.drop_duplicate_owners({})
