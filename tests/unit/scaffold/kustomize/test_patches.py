"""Patches of both sorts."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Patch, Selector
from kubewright.scaffold.kustomize.patches import patch, patch_json, patch_strategic
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources

SHOP = "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: corner}\nspec: {a: 1}\n"
STRATEGIC = "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: corner}\nspec: {b: 2}\n"
ANY = Selector(kind="Shop")
FILES = {"strategic.yaml": STRATEGIC, "json.yaml": "- {op: remove, path: /spec/a}\n", "empty": ""}


def shops() -> Collection:
    """Return one Shop."""
    return Collection(resources(SHOP, place="a.yaml"))


def patched(**said: Any) -> list[Any]:
    """Return the Shop after a patch."""
    found = shops()
    patch(found, Patch(**said), read=FILES.__getitem__)
    found.drop_deleted()
    return [one.finished() for one in found]


def test_strategic_patches_meet_the_object_that_they_name() -> None:
    """Kind and name in the patch say which."""
    assert patched(patch=STRATEGIC)[0]["spec"] == {"a": 1, "b": 2}
    assert patched(path="strategic.yaml")[0]["spec"] == {"a": 1, "b": 2}


def test_with_a_target_the_name_in_the_patch_does_not_count() -> None:
    """One patch for many objects has some name, since it must have one."""
    found = patched(patch=STRATEGIC.replace("corner", "ignored"), target=ANY)

    assert found[0]["metadata"]["name"] == "corner"
    assert found[0]["spec"] == {"a": 1, "b": 2}


def test_names_and_kinds_change_only_if_they_may() -> None:
    """Mostly such a change is a mistake."""
    text = "apiVersion: example.com/v1\nkind: Market\nmetadata: {name: other}\n"

    (kept,) = patched(patch=text, target=ANY)
    (changed,) = patched(
        patch=text, target=ANY, options={"allowNameChange": True, "allowKindChange": True}
    )

    assert (kept["kind"], kept["metadata"]["name"]) == ("Shop", "corner")
    assert (changed["kind"], changed["metadata"]["name"]) == ("Market", "other")


def test_a_json_patch_can_annotate_what_has_no_annotations() -> None:
    """At that time kustomize has annotations of its own, and people rely on it."""
    operations = '[{"op": "add", "path": "/metadata/annotations/a", "value": "b"}]'

    assert patched(patch=operations, target=ANY)[0]["metadata"]["annotations"] == {"a": "b"}
    assert "annotations" not in patched(path="json.yaml", target=ANY)[0]["metadata"]


def test_an_object_can_be_deleted() -> None:
    """An overlay leaves out what its base has."""
    assert patched(patch="$patch: delete\n" + SHOP) == []


def test_patches_of_the_old_sort_work() -> None:
    """They are deprecated, not gone."""
    found = shops()

    patch_strategic(found, STRATEGIC, read=FILES.__getitem__)
    patch_strategic(found, "strategic.yaml", read=FILES.__getitem__)
    patch_json(
        found, Patch(path="json.yaml", target=Selector(name="corner")), read=FILES.__getitem__
    )

    assert [one.finished()["spec"] for one in found] == [{"b": 2}]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "patch or path is missing"),
        ({"patch": "a: b", "path": "empty"}, "there are a patch and a path; keep one of them"),
        ({"path": "empty"}, "the patch is empty"),
        ({"patch": "# nothing"}, "the patch is empty"),
        ({"patch": "[]"}, "the JSON patch has no operations"),
        ({"patch": "text"}, "line 1: an object is a mapping, with apiVersion, kind and metadata"),
        (
            {"path": "json.yaml"},
            "a JSON patch needs a target, such as `target: {kind: Deployment}`",
        ),
        (
            {"patch": "[{op: remove, path: /spec/a}]", "target": ANY},
            (
                "a JSON patch that begins with [ is read as JSON, and is malformed: object keys"
                " must be strings (byte 2). Put names and texts into double quotes, or write a list"
                " with dashes"
            ),
        ),
        (
            {"patch": '["text"]', "target": ANY},
            "a JSON patch is a list of operations: op, path and perhaps value",
        ),
        (
            {"patch": '[{"op": "replace", "path": ""}]', "target": ANY},
            "Shop.v1.example.com corner: replace operation value must be object or array",
        ),
        (
            {"patch": f"{STRATEGIC}---\n{STRATEGIC}", "target": ANY},
            "with a target, there can be one patch only; make several entries",
        ),
        (
            {"patch": STRATEGIC.replace("corner", "other")},
            "there is no Shop.v1.example.com other; there is Shop.v1.example.com corner",
        ),
        (
            {"patch": STRATEGIC.replace("{b: 2}", "[b]")},
            "Shop.v1.example.com corner: spec is a mapping, and the patch has a list there",
        ),
    ],
)
def test_what_is_wrong_with_a_patch_is_said(said: dict[str, Any], why: str) -> None:
    """A patch that does nothing is worse than one that fails."""
    with pytest.raises(ProblemError) as caught:
        patched(**said)

    assert str(caught.value) == why


def test_only_a_patch_that_begins_as_json_has_to_be_json() -> None:
    """By its very first sign: kustomize strips inline patches, and no others."""
    flow = "[{op: remove, path: /spec/a}]"
    corner = Selector(name="corner")

    for begin in ("# flow\n", "\n", " "):
        found = shops()
        patch(found, Patch(path="p", target=ANY), read={"p": begin + flow}.__getitem__)
        assert [one.finished().get("spec") for one in found] == [{}]
    found = shops()
    patch_json(found, Patch(patch=f" {flow}", target=corner), read=FILES.__getitem__)
    assert [one.finished().get("spec") for one in found] == [{}]

    with pytest.raises(ProblemError, match="is read as JSON"):
        patch_json(shops(), Patch(patch=flow, target=corner), read=FILES.__getitem__)
    with pytest.raises(ProblemError, match="is read as JSON"):
        patched(patch=f"\n {flow}", target=ANY)


def test_an_inline_patch_that_is_malformed_is_not_taken_for_a_path() -> None:
    """The message would be about a file with a very long name."""
    with pytest.raises(ProblemError, match="line 3: this is not YAML"):
        patch_strategic(shops(), "a: [\nb: c\n", read=FILES.__getitem__)


def test_a_patch_of_the_old_sort_needs_a_name() -> None:
    """So kustomize says, too."""
    with pytest.raises(ProblemError, match=r"target\.name is missing"):
        patch_json(shops(), Patch(path="json.yaml", target=ANY), read=FILES.__getitem__)
