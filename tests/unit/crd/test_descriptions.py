"""Descriptions from docstrings and from the strings under fields."""

import os
from typing import ClassVar

import pytest

from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model
from kubewright.crd.descriptions import (
    classes_in,
    description_of,
    field_descriptions,
    remember,
    shortened,
)


class Outer:
    class Inner(Model):
        """Is inside."""

        size: int
        """
        How large.

            Indented.
        """
        constant: ClassVar[int] = 1
        """Not a field."""
        plain: str
        number: int = 3
        "Single quotes will do."


class Base(Model):
    a: int
    """From the base."""
    b: int
    """From the base."""


class Derived(Base):
    b: int
    """From the subclass."""


def test_the_string_under_a_field_describes_it() -> None:
    """Cleaned of its indentation, as a docstring is; in nested classes, too."""
    assert field_descriptions(Outer.Inner) == {
        "size": "How large.\n\n    Indented.",
        "number": "Single quotes will do.",
    }
    assert description_of(Outer.Inner) == "Is inside."


def test_local_classes_are_found() -> None:
    """Tests define models in functions."""

    class Local(Model):
        a: int
        """Here."""

    assert field_descriptions(Local) == {"a": "Here."}


def test_the_subclass_has_the_last_word() -> None:
    """What it does not say, it inherits."""
    assert field_descriptions(Derived) == {"a": "From the base.", "b": "From the subclass."}


if os.sep:  # two classes of one name, of which the first is real

    class Twice(Model):
        a: int
        """The first."""

else:

    class Twice(Model):  # type: ignore[no-redef]  # that is the test
        b: int
        """The second."""


def test_of_two_classes_of_one_name_the_fitting_one_is_taken() -> None:
    """The fields tell which branch was run."""
    assert field_descriptions(Twice) == {"a": "The first."}


def test_without_source_there_are_none() -> None:
    """A frozen program or a prompt has no file to read."""
    namespace = {"Model": Model, "__name__": "nowhere"}
    exec('class Made(Model):\n    a: int\n    """Here."""', namespace)

    assert field_descriptions(namespace["Made"]) == {}  # type: ignore[arg-type]  # a class


def test_descriptions_can_be_told() -> None:
    """Classes that are made without a file have their descriptions from their maker."""
    namespace = {"Model": Model, "__name__": "nowhere"}
    exec("class Made(Model):\n    a: int", namespace)
    made: type = namespace["Made"]  # type: ignore[assignment]  # a class

    remember(made, {"a": "Told."})

    assert field_descriptions(made) == {"a": "Told."}


def test_our_own_docstrings_describe_python_not_the_api() -> None:
    """Users of kubectl explain should not read about our None."""
    assert description_of(ObjectMeta) == ""


def test_a_class_without_a_docstring_does_not_inherit_one() -> None:
    """What is said of all models is not a description of this one."""
    assert description_of(Base) == ""


def test_source_that_does_not_parse_has_no_classes() -> None:
    """The file may have changed since it was imported."""
    assert classes_in("class") == []


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (99, "One. Two words.\nThree."),
        (17, "One. Two words."),
        (14, "One."),
        (3, "One"),
        (0, ""),
    ],
)
def test_a_long_description_ends_with_a_sentence_or_a_word(limit: int, text: str) -> None:
    """Half a word looks like a mistake."""
    assert shortened("One. Two words.\nThree.", limit) == text


def test_a_cut_before_a_blank_keeps_the_word() -> None:
    """The word is whole, so it stays."""
    assert shortened("How large it is", 9) == "How large"
    assert shortened("How large it is", 8) == "How"
