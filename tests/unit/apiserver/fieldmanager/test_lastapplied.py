import json

from kubewright.apiserver.fieldmanager import lastapplied, shape
from tests.unit.apiserver.fieldmanager import custom

ROOT = shape.root(custom.schema())


def annotated(annotation: str, **spec: object) -> dict[str, object]:
    obj = custom.thing(**spec)
    obj["metadata"]["annotations"] = {lastapplied.ANNOTATION: annotation}
    return obj


def test_annotation_vouches_for_what_is_still_so() -> None:
    """A field that another client has changed since no longer belongs to kubectl."""
    text = json.dumps(custom.thing(size=1, text="old"))

    found = lastapplied.allowed(
        annotated(text, size=1, text="new"), ROOT, api_version=custom.VERSION
    )

    assert found is not None
    assert found["f:spec"] == {"f:size": {}}


def test_annotation_that_makes_no_sense_vouches_for_nothing() -> None:
    """It may be missing, broken, of another version, or not fit the schema."""
    other = {**custom.thing(), "apiVersion": "example.com/v2"}
    texts = ["", "{", "[]", json.dumps(other), json.dumps(custom.thing(nope=1))]

    for text in texts:
        live = annotated(text, size=1)
        assert lastapplied.allowed(live, ROOT, api_version=custom.VERSION) is None


def test_annotation_is_written_as_kubectl_does() -> None:
    """Sorted, without itself, and with a line end."""
    obj = annotated("old")
    config = annotated("nested", text="<x>")

    lastapplied.refresh(obj, config)

    assert lastapplied.find(obj) == (
        '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"annotations":{},'
        '"name":"t","namespace":"default"},"spec":{"text":"\\u003cx\\u003e"}}\n'
    )


def test_annotation_that_would_be_too_large_goes() -> None:
    """Annotations may have 256 KiB in all; a stale one would be worse than none."""
    obj = annotated("old")

    lastapplied.refresh(obj, custom.thing(text="x" * 256 * 1024))

    assert lastapplied.find(obj) == ""
