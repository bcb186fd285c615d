"""Manifests, taken apart."""

import asyncio

import pytest

from kubewright.helm.manifest import (
    RenderError,
    check_unique,
    hook_of,
    identity,
    objects_in,
    read_objects,
    readable_objects_in,
    sources_in,
)

TWO = "---\n# Source: shop/a.yaml\nkind: A\n---\n# Source: shop/b.yaml\nkind: B\n"


def test_documents_know_their_template() -> None:
    """It is named when one of them is wrong."""
    assert list(sources_in(TWO)) == [
        ("shop/a.yaml", "kind: A\n"),
        ("shop/b.yaml", "kind: B\n"),
    ]


def test_text_at_the_end_of_a_document_keeps_its_line_break() -> None:
    """A configuration file without it may not be read by its program, and has another checksum."""
    text = (
        "apiVersion: v1\nkind: A\nmetadata: {name: a}\ndata:\n  file: |\n    last line\n\n\n---\n"
    )

    (found,) = objects_in(text)

    assert found["data"] == {"file": "last line\n"}


def test_lists_are_taken_apart() -> None:
    """Each object is applied, watched and removed by itself."""
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n"

    assert [one["kind"] for one in objects_in(text)] == ["A"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Source: shop/a.yaml\nkind: A\n", r"shop/a\.yaml: it renders an object without apiV"),
        ("apiVersion: v1\nkind: A\n", r"without metadata\.name"),
        ("- a\n", "not a Kubernetes object"),
        ("a: : b\n", "not YAML, in line 1"),
        ("# Source: s/a.yaml\napiVersion: v1\nkind: A\nmetadata: b\n", r"s/a\.yaml: .* metadata"),
        ("apiVersion: v1\nkind: A\nmetadata: {name: 1}\n", r"metadata\.name is no text: 1"),
        ("apiVersion: 1\nkind: A\nmetadata: {name: a}\n", "apiVersion is no text: 1"),
        ("apiVersion: a/b/c\nkind: A\nmetadata: {name: a}\n", "wrong A a: not an apiVersion"),
        ("apiVersion: v1\nkind: A\nmetadata: {name: a, labels: [x]}\n", r"A a: .*metadata\.labels"),
        ("apiVersion: v1\nkind: A\nmetadata: {name: a, labels: {b: 1}}\n", "expected `str`"),
    ],
)
def test_what_is_not_an_object_is_refused(text: str, message: str) -> None:
    """Before anything of the manifest is installed."""
    with pytest.raises(RenderError, match=message):
        objects_in(text)


def test_hook_is_read_from_its_annotations() -> None:
    """As Helm reads it, spaces and missing weights included."""
    annotations = {
        "helm.sh/hook": "pre-install, Post-Upgrade",
        "helm.sh/hook-weight": "-5",
        "helm.sh/hook-delete-policy": "hook-succeeded",
    }
    obj = {"kind": "Job", "metadata": {"name": "a", "annotations": annotations}}

    hook = hook_of(obj, "shop/a.yaml", "text")

    assert hook is not None
    assert (hook.events, hook.weight) == (["pre-install", "post-upgrade"], -5)
    assert hook.delete_policies == ["hook-succeeded"]
    assert hook_of({"kind": "Job", "metadata": {"name": "a"}}, "", "") is None


def test_namespace_of_the_release_is_the_default() -> None:
    """Most charts do not name any."""
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}

    _, key = identity(obj, "market")

    assert str(key) == "market/a"


def test_removal_leaves_out_what_was_never_accepted() -> None:
    """Else a manifest that helm has stored, and that no server took, would hold it up for ever."""
    wrong = "apiVersion: v1\nkind: A\nmetadata: {name: a, labels: [x]}\n"
    right = "apiVersion: v1\nkind: B\nmetadata: {name: b}\n"

    found = readable_objects_in(f"---\n{wrong}---\na: : b\n---\n# Source: s/b.yaml\n{right}")

    assert [one["kind"] for one in found] == ["B"]


@pytest.mark.parametrize("metadata", ["text", ["x"], {"annotations": ["helm.sh/hook"]}, None])
def test_metadata_of_another_shape_makes_no_hook(metadata: object) -> None:
    """It is an object then, and refused as such."""
    assert hook_of({"kind": "Job", "metadata": metadata}, "", "") is None


def test_object_that_is_there_twice_is_refused() -> None:
    """Each would undo the other, for ever; the same in another version, too."""
    one = "---\n# Source: shop/{}.yaml\napiVersion: {}\nkind: A\nmetadata: {{name: a{}}}\n"
    first = one.format("a", "g/v1", "")

    with pytest.raises(RenderError, match=r"shop/b\.yaml: .* 'market/a', which shop/a\.yaml"):
        check_unique(first + one.format("b", "g/v2", ", namespace: market"), "market")

    check_unique(first + one.format("b", "g/v1", ", namespace: other"), "market")
    check_unique(first + one.format("b", "h/v1", ""), "market")


def test_version_that_is_none_is_refused() -> None:
    """With the template that it comes from."""
    text = "# Source: shop/a.yaml\napiVersion: a/b/c\nkind: A\nmetadata: {name: a}\n"

    with pytest.raises(RenderError, match=r"shop/a\.yaml: .*not an apiVersion: 'a/b/c'"):
        check_unique(text, "market")


async def test_long_manifest_is_read_beside_the_event_loop() -> None:
    """Seconds without a turn would cost the leader its lease."""
    object_ = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '%s'}\n"
    reading = asyncio.create_task(read_objects(object_ % ("x" * 1000) * 300))
    await asyncio.sleep(0)

    assert not reading.done()
    assert len(await reading) == 300
    assert len(await read_objects(object_)) == 1
