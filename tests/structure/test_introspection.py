"""What tools read from the public API: ``help()``, signatures and type hints."""

import importlib
import inspect
import pydoc
import typing
from contextlib import suppress
from typing import Any

import pytest

from tests.structure.test_public_names import PUBLIC, names


def exports(word: str) -> list[Any]:
    """Return the classes and functions of a package; constants have the help of their types."""
    module = importlib.import_module(word)
    found = [getattr(module, name) for name in names(module)]
    return [one for one in found if inspect.isclass(one) or inspect.isroutine(one)]


@pytest.mark.parametrize("word", PUBLIC)
def test_help_is_printed(word: str) -> None:
    """`help(kw.For)` is the first thing that a newcomer types."""
    for found in exports(word):
        assert pydoc.render_doc(found)


@pytest.mark.parametrize("word", PUBLIC)
def test_annotations_can_be_evaluated(word: str) -> None:
    """Editors, test doubles and injectors evaluate them, outside of any type checker.

    A name that only type checkers import must not stand in the fields of a class, therefore.
    """
    for found in exports(word):
        typing.get_type_hints(found)


@pytest.mark.parametrize("word", PUBLIC)
def test_signatures_can_be_read(word: str) -> None:
    """A notebook shows one at the opening parenthesis; what Python's own types take has none."""
    for found in exports(word):
        with suppress(ValueError):  # as for a dict or an exception
            inspect.signature(found)
