"""What must not be shown."""

from typing import Any

import pytest

from kubewright.runs.hiding import LAST_APPLIED, hidden, is_hidden, is_hidden_variable, shown


def test_what_is_hidden_shows_its_length_and_whether_it_changed() -> None:
    """Somebody who looks for a change must see one, and nothing of the value."""
    first, second = hidden("s3cret"), hidden("S3cret")

    assert "6 bytes" in first
    assert "s3cret" not in first
    assert first != second
    assert first == hidden("s3cret")


@pytest.mark.parametrize(
    "name", ["password", "adminPassword", "token", "clientSecret", "api_key", LAST_APPLIED]
)
def test_text_in_fields_with_such_names_is_hidden(name: str) -> None:
    """Custom resources hold passwords, too, though they should not."""
    assert is_hidden(name)
    assert "hunter2" not in shown(name, "hunter2")


@pytest.mark.parametrize("name", ["secretName", "keys", "replicas", "image", "tokens"])
def test_other_fields_are_shown(name: str) -> None:
    """A record in which everything is hidden explains nothing."""
    assert not is_hidden(name)
    assert shown(name, "plain") == "plain"


@pytest.mark.parametrize("value", [True, 3, None])
def test_what_is_no_text_is_shown(value: Any) -> None:
    """``automountServiceAccountToken: true`` is no token."""
    assert shown("automountServiceAccountToken", value) == value


def test_a_variable_with_such_a_name_is_hidden_inside_of_other_values() -> None:
    """Programs get their keys by variables, and a list that got longer is shown as a whole."""
    variables = [{"name": "AWS_SECRET_ACCESS_KEY", "value": "hunter2"}, {"name": "A", "value": "b"}]

    found = shown("env", variables)

    assert is_hidden_variable("AWS_SECRET_ACCESS_KEY")
    assert "hunter2" not in str(found)
    assert found[1] == {"name": "A", "value": "b"}


def test_what_is_secret_as_a_whole_is_hidden_whatever_it_is() -> None:
    """Also a tree; and nothing stays nothing."""
    assert "hunter2" not in shown("data", {"deep": ["hunter2"]}, secret=True)
    assert shown("data", None, secret=True) is None


def test_tokens_inside_of_text_are_taken_out() -> None:
    """A header that was copied into an annotation is a leak like any other."""
    assert "abcdefgh12345" not in shown("note", "Authorization: Bearer abcdefgh12345")
