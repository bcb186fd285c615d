"""The fields of our log lines come from one table."""

import ast
from collections.abc import Iterator

from kubewright.log import FIELDS
from tests.structure.tree import ROOT, python_files

LEVELS = {"debug", "info", "warning", "error", "exception"}
LOGGERS = {"log", "_log"}
NOT_FIELDS = {"exc_info"}


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Return each call of ``log.info`` and its like in our sources, with its place."""
    for path in python_files("src/kubewright"):
        for node in ast.walk(ast.parse((ROOT / path).read_text(), str(path))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                if name in LOGGERS and node.func.attr in LEVELS | {"bind"}:
                    yield f"{path}:{node.lineno}", node


def test_every_field_is_in_the_table() -> None:
    """Docs and dashboards rely on the names; one meaning has one name."""
    unknown = [
        f"{place}: {keyword.arg}"
        for place, call in calls()
        for keyword in call.keywords
        if keyword.arg is not None and keyword.arg not in FIELDS and keyword.arg not in NOT_FIELDS
    ]

    assert not unknown


def test_every_message_is_a_constant_in_lower_case() -> None:
    """What varies is a field, so that lines can be counted by their message."""
    wrong = [
        place
        for place, call in calls()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in LEVELS
        and not (call.args and _is_message(call.args[0]))
    ]

    assert not wrong


def _is_message(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and not text[0].isupper() and not text.endswith(".")


def test_every_field_of_the_table_has_its_meaning() -> None:
    """The table is a page of the reference; it is sorted for who looks a name up."""
    assert list(FIELDS) == sorted(FIELDS)
    assert all(meaning and meaning[0].islower() for meaning in FIELDS.values())
