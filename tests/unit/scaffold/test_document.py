import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.document import document_in, fault_of


def test_a_mapping_is_returned() -> None:
    """As YAML has it."""
    assert document_in("a: [1]\n", "PROJECT") == {"a": [1]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "PROJECT is empty. Put back what was in it, for instance with git"),
        ("# a comment\n", "PROJECT is empty. Put back what was in it, for instance with git"),
        ("- a\n", "PROJECT is not a mapping: it should begin with `domain:`"),
        ("a: 1\nproj", "PROJECT:2: this is not YAML: could not find expected ':'"),
        (
            "a: 1\n\tx: y\n",
            "PROJECT:2: this is not YAML: found character '\\t' that cannot start any token",
        ),
        ("a: \x00", "PROJECT is not YAML: "),
    ],
)
def test_a_file_that_was_cut_off_is_named_with_the_line(text: str, said: str) -> None:
    """In one line, as all messages are."""
    with pytest.raises(ConfigError) as refused:
        document_in(text, "PROJECT")

    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            "Object missing required field `domain`",
            (
                "it has no domain. Add one, such as `domain: example.com`, or undo what was edited"
                " by hand"
            ),
        ),
        (
            "Object missing required field `options` - at `$.resources[0]`",
            "resources[0] has no options. Add it, or undo what was edited by hand",
        ),
        (
            "Expected `array`, got `object` - at `$.resources`",
            "resources: expected array, got object. Undo what was edited by hand",
        ),
        ("Something else", "Something else"),
    ],
)
def test_what_is_wrong_is_said_with_the_field_and_what_to_do(error: str, said: str) -> None:
    """People edit the file, and know nothing of how it is read."""
    assert fault_of(error) == said
