"""The API reference has everything that is public, as it is now."""

import importlib
import re

import pytest
from tools.generate_api_reference import PAGES, pages

from tests.structure.test_public_names import PUBLIC, names


def test_the_pages_are_up_to_date() -> None:
    """Who reads about a parameter that is gone does not trust the rest; run `make reference`."""
    written = {path.name: path.read_text() for path in PAGES.glob("*.md")}

    assert written == pages()


@pytest.mark.parametrize("word", PUBLIC)
def test_every_public_name_has_its_entry(word: str) -> None:
    """What Python imports and what the page shows are found in different ways."""
    text = (PAGES / f"{word}.md").read_text()
    entry = r"^## (?:class )?`(\w+)(?:\(\))?`$" if word != "kubewright" else r"^\| \[`(\w+)`\]\("

    assert re.findall(entry, text, re.MULTILINE) == names(importlib.import_module(word))
