"""Functions of strings, patterns and formats of numbers."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule


@pytest.mark.parametrize(
    "source",
    [
        "'tacocat'.charAt(3) == 'o' && 'tacocat'.charAt(7) == ''",
        "'tacocat'.indexOf('a', 2) == 5 && 'tacocat'.indexOf('') == 0 && ''.indexOf('a') == -1",
        "'tacocat'.lastIndexOf('a') == 5 && 'tacocat'.lastIndexOf('a', 3) == 1",
        "'tacocat'.lastIndexOf('') == 7 && 'tacocat'.indexOf('a', 30) == -1",
        "'ÆBC'.lowerAscii() == 'Æbc' && 'æbc'.upperAscii() == 'æBC'",
        "'{0} {0}'.replace('{0}', 'x', 1) == 'x {0}' && 'ab'.replace('', '-') == '-a-b-'",
        "'a b c'.split(' ') == ['a', 'b', 'c'] && 'a b c'.split(' ', 2) == ['a', 'b c']",
        "'abc'.split('') == ['a', 'b', 'c'] && 'abc'.split('', 2) == ['a', 'bc']",
        "'a'.split(' ', 0) == [] && ''.split(',') == ['']",
        "'tacocat'.substring(4) == 'cat' && 'tacocat'.substring(0, 4) == 'taco'",
        "' \\u00a0\\ttext\\n'.trim() == 'text'",
        "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && [].join('-') == ''",
        "strings.quote('a\"\\n\\\\') == r'\"a\\\"\\n\\\\\"'",
        "'baac'.findAll('a*') == ['', 'aa', ''] && 'a1b2'.find('[0-9]') == '1'",
        "'abcabc'.findAll('b', 1) == ['b'] && 'x'.findAll('y') == []",
        "'%s %d %%'.format(['a', 1]) == 'a 1 %'",
        "'%s'.format([[1, 'a', 1.5, null, b'x']]) == '[1, \"a\", 1.500000, null, b\"x\"]'",
        "'%s'.format([{'b': 1, 'a': duration('1s')}]) == '{\"a\":duration(\"1s\"), \"b\":1}'",
        "'%.3f'.format([1234567.5]) == '1,234,567.500' && '%f'.format(['Infinity']) == '∞'",
        "'%e'.format([1234.5]) == '1.234500\\u202f\\u00d7\\u202f10⁰³'",
        "'%x %X %x'.format([255, 255, 'abc']) == 'ff FF 616263'",
        "'%b %b %o'.format([5, true, -8]) == '101 1 -10'",
    ],
)
def test_claims_about_strings_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("'abc'.charAt(5)", "index out of range: 5"),
        ("'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"),
        ("'abc'.substring(0, 9)", "index out of range: 9"),
        ("'abc'.indexOf('a', -1)", "index out of range: -1"),
        ("'abc'.matches('(' + '')", "error parsing regexp: missing closing ): `(`"),
        ("'abc'.find('(' + '')", "Illegal regex: error parsing regexp: missing closing ): `(`"),
        ("('%' + 'd').format([dyn('a')])", "decimal clause can only be used on integers"),
        ("('%' + 'd').format([])", "index 0 out of range"),
    ],
)
def test_what_strings_cannot_do(source: str, text: str) -> None:
    """The texts are the server's."""
    with pytest.raises(EvaluationError) as caught:
        compile_rule(source, {}, result=None).evaluate({})

    assert text in str(caught.value)
