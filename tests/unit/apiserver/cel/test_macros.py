"""Macros, and what they refuse."""

import pytest

from kubewright.apiserver.cel import CompileError, compile_rule
from kubewright.apiserver.cel.expression import Comprehension, Select
from kubewright.apiserver.cel.parser import parse


def test_macros_become_folds_and_tests() -> None:
    """An ordinary call of another shape stays one."""
    presence = parse("has(a.b)")

    assert isinstance(presence, Select)
    assert presence.presence
    for source in ("l.all(i, i)", "l.exists_one(i, i)", "l.map(i, i)", "l.transformMap(k, v, v)"):
        assert isinstance(parse(source), Comprehension)
    assert not isinstance(parse("l.all(i)"), Comprehension)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("has(a)", "invalid argument to has"),
        ("[1].all(1, true)", "argument"),
        ("[1].map(a.b, 1) == []", "argument"),
        ("[1].exists(i, i, true)", "i"),
    ],
)
def test_a_macro_with_wrong_arguments_does_not_compile(source: str, text: str) -> None:
    """The message says which argument."""
    with pytest.raises(CompileError, match=text):
        compile_rule(source, {})
