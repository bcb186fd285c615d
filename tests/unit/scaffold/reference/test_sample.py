"""Samples, as somebody has written them."""

import pytest

from kubewright.errors import SchemaError
from kubewright.scaffold.reference.sample import samples_in


def test_comments_stay() -> None:
    """They explain the sample, and are the reason to show it."""
    text = "# First.\napiVersion: a/v1\nkind: A\n---\n# Second.\napiVersion: a/v1\nkind: B # b\n"

    assert list(samples_in(text)) == [
        (("a/v1", "A"), "# First.\napiVersion: a/v1\nkind: A"),
        (("a/v1", "B"), "# Second.\napiVersion: a/v1\nkind: B # b"),
    ]


def test_empty_documents_are_no_samples() -> None:
    """A file often begins with a separator, or ends with one."""
    assert list(samples_in("---\n---\n# nothing\n--- # more\n")) == []


def test_what_is_not_yaml_is_refused() -> None:
    """The caller says in which file."""
    with pytest.raises(SchemaError, match="this is not YAML"):
        list(samples_in("a: b: c"))
