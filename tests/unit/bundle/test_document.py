"""`Document`: fields and their lines."""

import pytest

from kubewright.bundle.document import at, items, mapping, read_documents, text
from kubewright.errors import ConfigError


def test_a_field_knows_its_line() -> None:
    """A message that names the line is mended at once."""
    [first, second] = read_documents("f.yaml", "kind: A\n---\nkind: B\nspec:\n  list:\n  - x: 1\n")

    assert (first.kind, first.line("kind")) == ("A", 1)
    assert (second.line("kind"), second.line("spec", "list", 0, "x")) == (3, 6)


def test_what_is_missing_is_told_where_it_should_be() -> None:
    """There is no line of a field that nobody has written."""
    [found] = read_documents("f.yaml", "kind: A\nmetadata:\n  labels: {}\n")

    assert found.line("metadata", "name", "first") == 2
    assert found.line("spec") == 1
    assert (found.name, found.api_version) == ("", "")


def test_a_wrong_shape_is_nothing() -> None:
    """Validators look into whatever people have written."""
    assert at({"a": [1]}, "a", 3) is None
    assert at([1], "a") is None
    assert at({"a": {"b": 2}}, "a", "b") == 2
    assert (mapping([1]), items({}), text(3)) == ({}, [], "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: b: c", "f.yaml: this is not YAML: "),
        (
            "kind: A\n---\n- 1\n",
            "f.yaml, line 3: this should be a mapping, such as `kind: Service`",
        ),
        ("just words", "f.yaml, line 1: this should be a mapping"),
    ],
)
def test_what_is_no_document_is_refused(content: str, message: str) -> None:
    """The file is named, and the line where there is one."""
    with pytest.raises(ConfigError) as caught:
        read_documents("f.yaml", content)

    assert str(caught.value).startswith(message)


def test_aliases_that_multiply_are_refused() -> None:
    """A few lines would become gigabytes when they are sent."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{one}: &a{one} [{', '.join([f'*a{one - 1}'] * 9)}]" for one in range(1, 9)]

    with pytest.raises(ConfigError, match=r"f, line 1: the document has more than 1,000,000 val"):
        read_documents("f", "\n".join(lines))
