import pytest

from kubewright.crd.values.comments import Comments


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("# How many.\n", "How many."),
        ("# -- How many.\n", "How many."),
        ("# size -- How many.\n", "How many."),
        ("# -- (int) How many.\n", "How many."),
        ("# Not this.\n# -- How\n# many.\n# @default -- 3\n", "How many."),
        ("# One\n# two.\n", "One two."),
        ("# Of the section before.\n\n", ""),
        ("# - name: foo\n#   path: bar\n# How many.\n", "How many."),
        ("# - name: foo\n#   path: bar\n", ""),
        ("  # Of something deeper.\n", ""),
        ("# ------\n# How many.\n# ------\n", "How many."),
        ("## @param other Not this.\n", ""),
        ("", ""),
    ],
)
def test_the_comment_right_above_a_key_describes_it(above: str, said: str) -> None:
    """`kubectl explain` shows it; what is commented out or of another key would mislead."""
    text = f"{above}size: 1\n"

    found = Comments(text).description("size", above.count("\n"), 0)

    assert found == said


def test_a_parameter_is_described_wherever_its_comment_is() -> None:
    """Some charts have all comments of a section above its first key."""
    text = (
        "## @param image.tag [string] Which one.\n## @param image.name Which.\nimage:\n  tag: ''\n"
    )

    assert Comments(text).description("image.tag", 3, 2) == "Which one."


def test_a_comment_may_name_the_type() -> None:
    """A value of null says nothing itself."""
    comments = Comments("# -- (int) How many.\nsize:\n")

    assert comments.hint(1, 0) == "int"
    assert comments.hint(0, 0) == ""
