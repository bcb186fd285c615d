"""Tests mirror the sources, and each says what it claims."""

import ast
from pathlib import Path

from tests.structure.tree import ROOT, files, python_files

SOURCES = Path("src/kubewright")
UNIT = Path("tests/unit")
GENERATED = SOURCES / "kinds"  # tested as a whole, against the document it is made from
# A folder under tests/unit mirrors the package, except these, which mirror a folder of their own.
ELSEWHERE = {"bench": Path("bench"), "tools": Path("tools")}


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of the file at *path*."""
    return ast.parse((ROOT / path).read_text(), str(path))


def has_code(path: Path) -> bool:
    """Tell whether a module defines a function, or a class with one: whether it can go wrong."""
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(parse(path))
    )


def places_of_tests(source: Path) -> set[Path]:
    """Return where the tests of *source* may be; underscores around its name may be dropped."""
    relative = source.relative_to(SOURCES)
    folder = UNIT / relative.parent
    return {folder / f"test_{stem}.py" for stem in (relative.stem, relative.stem.strip("_"))}


def sources_of(test: Path) -> set[Path]:
    """Return the files that the test file at *test* may be about."""
    relative = test.relative_to(UNIT)
    base = SOURCES
    if relative.parts[0] in ELSEWHERE:
        base, relative = ELSEWHERE[relative.parts[0]], Path(*relative.parts[1:])
    stem = relative.stem.removeprefix("test_")
    names = (stem, f"_{stem}", f"__{stem}__")
    return {base / relative.parent / f"{name}.py" for name in names}


def test_every_source_file_has_its_test_file() -> None:
    """Whoever changes a file knows where its claims are."""
    known = set(files())
    sources = [path for path in python_files(str(SOURCES)) if not path.is_relative_to(GENERATED)]

    orphans = [
        str(path) for path in sources if has_code(path) and not places_of_tests(path) & known
    ]

    assert not orphans


def test_every_unit_test_file_has_its_source_file() -> None:
    """A test of something that moved away misleads."""
    known = set(files())
    tests = [
        path
        for path in python_files(str(UNIT))
        if path.name.startswith("test_") and not path.is_relative_to(UNIT / "kinds")
    ]

    orphans = [str(path) for path in tests if not sources_of(path) & known]

    assert not orphans


def test_every_test_says_its_claim() -> None:
    """The docstring tells the reader of a red test what broke for whom."""
    silent = [
        f"{path}::{node.name}"
        for path in python_files("tests")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]

    assert not silent
