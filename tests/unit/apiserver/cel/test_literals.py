"""Constants that cannot be right."""

import pytest

from kubewright.apiserver.cel import CompileError, InstantiationError, compile_rule


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("duration('x') == duration('1s')", "invalid duration argument"),
        ("timestamp('x') == timestamp(0)", "invalid timestamp argument"),
        ("'a'.matches('(')", "invalid matches argument"),
        ("[1, 'a'] == []", "expected type 'int' but found 'string'"),
        ("{'a': 1, 'b': 'c'} == {}", "expected type 'int' but found 'string'"),
        ("'%d'.format(['x']) == ''", "error during formatting"),
        ("'%s'.format([]) == ''", "index"),
    ],
)
def test_a_constant_that_cannot_be_right_does_not_compile(source: str, text: str) -> None:
    """The author of the rule sees the error, rather than the users of the resource."""
    with pytest.raises(CompileError, match=text):
        compile_rule(source, {})


def test_a_pattern_to_find_by_fails_only_when_a_program_is_made() -> None:
    """The checker of the server does not look at it."""
    with pytest.raises((CompileError, InstantiationError)):
        compile_rule("'a'.find('(') == ''", {})


def test_arguments_of_a_format_may_be_mixed() -> None:
    """It is what they are for."""
    assert compile_rule("'%s %d'.format(['a', 1]) == 'a 1'", {}).evaluate({}) is True
