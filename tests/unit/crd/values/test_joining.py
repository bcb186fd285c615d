import pytest

from kubewright.crd.values.joining import joined, pointed_at


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", {"a/b": {"x": [1, 2]}}),
        ("#/a~1b/x/1", 2),
        ("#/a%7E1b/x/1", 2),
        ("#/a~1b/x/7", None),
        ("#/nothing", None),
        ("https://example.com/schema.json#/a", None),
        ("other.json", None),
    ],
)
def test_a_reference_is_followed_within_the_file(reference: str, found: object) -> None:
    """Others are not fetched: a scaffold needs no network."""
    assert pointed_at({"a/b": {"x": [1, 2]}}, reference) == found


def test_parts_that_all_hold_become_one() -> None:
    """`allOf` is how schemas build on others."""
    one = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    other = {"type": "array", "properties": {"a": {"minLength": 1}, "b": {}}, "required": ["b"]}

    found = joined([one, other])

    assert found == {
        "type": "object",
        "properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}, "b": {}},
        "required": ["a", "b"],
    }
