"""The import of PolicyRule: under which name, and in which place."""

import ast

import pytest

from kubewright.cli.rbac.imports import Import, rule_import

PLAIN = "from kubewright.crd import PolicyRule"
OTHER = f"{PLAIN} as OperatorRule"


def found(*lines: str) -> Import | None:
    """Return the import for a call on the last of *lines*."""
    tree = ast.parse("\n".join(lines))
    call = [one for one in ast.walk(tree) if isinstance(one, ast.Call)][-1]
    return rule_import(tree, call)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["f()"], Import("PolicyRule", PLAIN, 0, 0)),
        (["'''A.'''", "f()"], Import("PolicyRule", PLAIN, 1, 1)),
        (["import os", "import kubewright", "import z", "f()"], Import("PolicyRule", PLAIN, 2, 2)),
        (["import os", "a = 1", "import z; b = 1", "f()"], Import("PolicyRule", PLAIN, 2, 2)),
        (["import os", "", "@a", "def b():", "    f()"], Import("PolicyRule", PLAIN, 1, 1)),
        ([PLAIN, "f()"], Import("PolicyRule")),
        ([f"{PLAIN} as Rule", "f()"], Import("Rule")),
        (["import kubewright as PolicyRule", "f()"], Import("OperatorRule", OTHER, 1, 1)),
        ([PLAIN, "PolicyRule = 1", "f()"], Import("OperatorRule", OTHER, 1, 1)),
        (["from os import *", "f(PolicyRule)"], Import("OperatorRule", OTHER, 1, 1)),
    ],
)
def test_the_import_has_a_free_name_and_lines_of_its_own(
    lines: list[str], expected: Import
) -> None:
    """It goes where a sorter of imports would put it, if no other statement is in the way."""
    assert found(*lines) == expected


def test_names_are_counted_until_one_is_free() -> None:
    """Whoever has called something so needs it."""
    given = found("PolicyRule = OperatorRule = OperatorRule2 = 1", "f()")

    assert given is not None
    assert given.name == "OperatorRule3"


def test_without_a_place_there_is_no_import() -> None:
    """A docstring, or an import from the future, has to stay the first."""
    assert found("'''A.'''; f()") is None
    assert found("from __future__ import annotations; f()") is None
