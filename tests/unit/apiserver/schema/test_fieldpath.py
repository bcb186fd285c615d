"""Paths to fields of a schema."""

from typing import Any

import pytest

from kubewright.apiserver.schema.fieldpath import FieldPathError, resolve

SOURCE: dict[str, Any] = {
    "properties": {
        "spec": {
            "properties": {
                "a b": {"type": "string"},
                "it's": {"type": "boolean"},
                "m": {"additionalProperties": {"type": "integer"}},
            }
        }
    }
}


@pytest.mark.parametrize(
    ("path", "shown", "kind"),
    [
        (".spec['a b']", "spec.a b", "string"),
        ("['spec']['it\\'s']", "spec.it's", "boolean"),
        (".spec.m.k", "spec.m[k]", "integer"),
        (".spec.m['k']", "spec.m[k]", "integer"),
    ],
)
def test_paths_lead_to_schemas(path: str, shown: str, kind: str) -> None:
    """Keys of maps are shown in brackets."""
    assert resolve(path, SOURCE) == (shown, {"type": kind})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("spec", "expected [ or . but got: spec"),
        (".", "unexpected end of JSON path"),
        (".foo", "does not refer to a valid field"),
        (".spec.m.k.l", "does not refer to a valid field"),
        ("[spec]", "expected single quoted string but got spec"),
        ("['spec'", "unexpected end of JSON path"),
        ("['spec'.x", "expected ] but got ."),
        ("['\\q']", "invalid string literal: invalid escape char \\q"),
    ],
)
def test_bad_paths_say_why(path: str, text: str) -> None:
    """The texts end up in refusals of definitions."""
    with pytest.raises(FieldPathError) as caught:
        resolve(path, SOURCE)

    assert str(caught.value) == text


def test_brackets_can_be_forbidden() -> None:
    """Paths of selectable fields cannot contain brackets."""
    with pytest.raises(FieldPathError, match="array notation is not allowed"):
        resolve("['spec']", SOURCE, arrays=False)
