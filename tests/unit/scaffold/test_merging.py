import pytest

from kubewright.scaffold.merging import merged

OLD = "a\nb\nc\nd\ne\n"


@pytest.mark.parametrize(
    ("mine", "new", "expected"),
    [
        (OLD, "a\nx\nc\nd\ne\n", "a\nx\nc\nd\ne\n"),
        ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n", "A\nb\nc\nd\ne\nf\n"),
        ("a\nb\nc\ne\n", "z\na\nb\nc\nd\ne\n", "z\na\nb\nc\ne\n"),
        ("a\nb\nc\nd\ne\nmine\n", "a\nc\nd\ne\n", "a\nc\nd\ne\nmine\n"),
    ],
)
def test_changes_in_different_places_are_both_there(mine: str, new: str, expected: str) -> None:
    """Users edit the files of a scaffold, as they should."""
    assert merged(mine, OLD, new) == expected


def test_what_was_changed_already_is_left_alone() -> None:
    """The command is run twice, or users were first."""
    assert merged("a\n2\n", "a\n1\n", "a\n2\n") == "a\n2\n"


def test_changes_of_the_same_lines_are_not_guessed_at() -> None:
    """A wrong guess in a manifest is worse than a question."""
    assert merged("a\nB\nc\nd\ne\n", OLD, "a\nx\nc\nd\ne\n") is None
