"""Imports inside of functions: each must spare somebody something."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.structure.start_ups import START_UPS, imported, loaded
from tests.structure.tree import ROOT, python_files

SOURCE = ROOT / "src"
CIRCLES = frozenset[tuple[str, str]]()
"""Pairs that need one another; the later one is imported late."""


class Late(NamedTuple):
    """An import inside of a function."""

    module: str
    line: int
    targets: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {', '.join(self.targets)}"


@pytest.mark.timeout(120)  # it starts many interpreters; the first ones compile everything
def test_a_late_import_spares_some_program_the_module() -> None:
    """One that spares nothing hides a dependency: move it to the top of its file."""
    useless = [str(late) for late in late_imports() if not spares(late)]

    assert not useless


def spares(late: Late) -> bool:
    """Say whether a program loads the module of *late* without loading what it imports."""
    if all((late.module, target) in CIRCLES for target in late.targets):
        return True
    profiles = [found for name in START_UPS if late.module in (found := loaded(name))]
    return any(
        target not in found
        for found in profiles or [imported(late.module)]
        for target in late.targets
    )


def late_imports() -> Iterator[Late]:
    """Find every import inside of a function in the package."""
    for path in python_files("src"):
        if "kinds" in path.parts or path.stem == "_operator":
            continue
        if "ansible_collections" in path.parts:
            continue  # Ansible runs them, and is not there otherwise
        module = ".".join(path.relative_to("src").with_suffix("").parts)
        tree = ast.parse((ROOT / path).read_text())
        yield from sorted(
            {
                Late(module.removesuffix(".__init__"), node.lineno, tuple(targets(node)))
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
                for node in ast.walk(function)
                if isinstance(node, ast.Import | ast.ImportFrom) and node not in optional(function)
            }
        )


def optional(function: ast.AST) -> set[ast.stmt]:
    """Return the imports that may fail, since not everybody has installed the module."""
    return {
        node
        for tried in ast.walk(function)
        if isinstance(tried, ast.Try)
        for node in tried.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    }


def targets(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the modules that *node* loads."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
        return
    assert node.module is not None
    folder = SOURCE / Path(*node.module.split("."))
    for name in node.names:
        inside = (folder / f"{name.name}.py").exists() or (folder / name.name).is_dir()
        yield f"{node.module}.{name.name}" if inside else node.module
