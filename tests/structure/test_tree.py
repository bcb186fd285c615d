"""What must not be in the repository, and what must."""

import re

from tests.structure.tree import ROOT, files

# Without their first slash here, or this file would find itself.
MACHINE_PATH = re.compile(r"/(work/main|work/shared|root/)")
SECRET = re.compile("-----BEGIN [A-Z ]*PRIV" + "ATE KEY-----\n[A-Za-z0-9+/=]{20}")
DATA = {".json", ".png", ".svg", ".woff2"}
SIZE_LIMIT = 1_000_000


def texts() -> list[tuple[str, str]]:
    """Return name and content of every text file."""
    return [
        (str(path), (ROOT / path).read_text(encoding="utf-8"))
        for path in files()
        if path.suffix not in DATA
    ]


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    """What works only where it was written does not work."""
    found = [
        f"{name}: {match[0]}" for name, text in texts() if (match := MACHINE_PATH.search(text))
    ]

    assert not found


def test_no_private_key_is_committed() -> None:
    """Tests make their keys when they run; one in the tree looks like a leak and ages."""
    assert not [name for name, text in texts() if SECRET.search(text)]


def test_requirements_come_from_whatever_index_the_machine_uses() -> None:
    """An address among the pins would tie everybody to one mirror."""
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text()

        assert not re.search(r"^\s*(-i|--(extra-)?index-url|--find-links|-f)\b", text, re.MULTILINE)
        assert "://" not in text, path.name


def test_every_text_file_ends_with_one_newline() -> None:
    """Diffs stay about what was changed."""
    wrong = [
        name
        for name, text in texts()
        if text and (not text.endswith("\n") or text.endswith("\n\n"))
    ]

    assert not wrong


def test_large_files_are_data_for_tests() -> None:
    """A clone is for ever; generated code and fixtures are the only large things in it."""
    large = [str(path) for path in files() if (ROOT / path).stat().st_size > SIZE_LIMIT]

    assert not large
