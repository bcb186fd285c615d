"""What was read, converted to types."""

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.conversion import read_as
from kubewright.scaffold.kustomize.fields import Image, Replacement


def test_fields_are_found_in_any_case() -> None:
    """Since kustomize takes ``newtag``, people write it."""
    assert read_as("name: a\nnewtag: b\n", Image, place="a.yaml") == Image(name="a", new_tag="b")


def test_null_is_as_if_the_field_were_missing() -> None:
    """An empty field is often left behind."""
    assert read_as("name: a\nnewTag:\n", Image, place="a.yaml") == Image(name="a")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tag: a\n", "a.yaml, line 1: tag: there is no such field; did you mean newTag?"),
        ("name: a\nqqq: b\n", "a.yaml, line 2: qqq: there is no such field"),
        (
            "newTag: 1.10\n",
            "a.yaml, line 1: newTag: this is a number, and should be a text; put it in quotes",
        ),
        ("name: [a]\n", "a.yaml, line 1: name: this is a list, and should be a text"),
        ("- a\n", "a.yaml: this is a list, and should be a mapping"),
        ("a: [\n", "a.yaml, line 2: this is not YAML: did not find expected node content"),
    ],
)
def test_mistakes_name_line_and_field(text: str, why: str) -> None:
    """The message is what the user has to go by."""
    with pytest.raises(ConfigError) as caught:
        read_as(text, Image, place="a.yaml")

    assert str(caught.value) == why


def test_fields_deep_below_have_their_path() -> None:
    """A file of replacements has many of the same names."""
    text = "- source: {kind: A}\n  targets:\n  - select: {}\n    fieldPath: [a]\n"

    with pytest.raises(ConfigError) as caught:
        read_as(text, list[Replacement], place="a.yaml")

    assert str(caught.value) == (
        "a.yaml, line 4: [0].targets[0].fieldPath: there is no such field; did you mean fieldPath?"
    ) or str(caught.value).startswith("a.yaml, line 4: ")
