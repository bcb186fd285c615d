"""What literals mean."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule
from kubewright.apiserver.cel.values import UInt


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'a\"b'", 'a"b'),
        (r"'\a\b\f\n\r\t\v\\\?\"\'\`'", "\a\b\f\n\r\t\v\\?\"'`"),
        (r"'\x41\u00e9\U0001F600\101'", "A\u00e9\U0001f600A"),
        (r"r'\d\n'", r"\d\n"),
        ("'''a'b\nc'''", "a'b\nc"),
        ('"""a"b"""', 'a"b'),
        ('""', ""),
        ("'a' // a comment", "a"),
        (r"b'\xff\377é'", b"\xff\xff\xc3\xa9"),
        (r"br'\x'", rb"\x"),
        ("'''a\r\nb'''", "a\nb"),
        ("0xFFu", UInt(255)),
        ("-0x10", -16),
        ("-9223372036854775808", -(2**63)),
        (".5e1", 5.0),
        ("1e-3", 0.001),
        ("null", None),
    ],
)
def test_literals_mean_what_the_language_says(source: str, value: object) -> None:
    """Escapes, raw strings, bytes and numbers are read exactly."""
    found = compile_rule(source, {}, result=None).evaluate({})

    assert found == value
    assert type(found) is type(value)


def test_evaluation_errors_are_no_compile_errors() -> None:
    """A literal that cannot be converted fails when the rule runs."""
    program = compile_rule("int('abc')", {}, result=None)

    with pytest.raises(EvaluationError, match="type conversion error from 'string' to 'int'"):
        program.evaluate({})
