"""How rules spell the names of fields."""

import pytest

from kubewright.apiserver.cel.escaping import escape


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("plain_1", "plain_1"),
        ("foo-bar", "foo__dash__bar"),
        ("foo.bar/baz", "foo__dot__bar__slash__baz"),
        ("a__b", "a__underscores__b"),
        ("namespace", "__namespace__"),
        ("Namespace", "Namespace"),
        ("$ref", None),
        ("1st", None),
        ("", None),
        ("é", None),
    ],
)
def test_names_are_escaped_as_kubernetes_does(name: str, spelled: str | None) -> None:
    """Fields whose names cannot be spelled are out of reach of rules."""
    assert escape(name) == spelled
