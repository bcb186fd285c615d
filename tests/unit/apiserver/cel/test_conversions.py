"""Conversions between kinds."""

from typing import Any

import pytest

from tests.unit.apiserver.cel.evaluating import problem, result


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("int('-7')", -7),
        ("int(3.9)", 3),
        ("int(-3.9)", -3),
        ("int(timestamp('1970-01-01T00:00:10Z'))", 10),
        ("uint('7')", 7),
        ("double('1.5')", 1.5),
        ("double(2)", 2.0),
        ("string(1.0)", "1"),
        ("string(true)", "true"),
        ("string(b'abc')", "abc"),
        ("string(duration('90s'))", "90s"),
        ("string(timestamp('2020-01-01T00:00:00Z'))", "2020-01-01T00:00:00Z"),
        ("bool('t')", True),
        ("bool('FALSE')", False),
        ("bytes('é')", "é".encode()),
        ("string(timestamp(10))", "1970-01-01T00:00:10Z"),
    ],
)
def test_values_are_converted_as_the_server_does(source: str, value: Any) -> None:
    """Towards zero, and with Go's texts."""
    found = result(source)

    assert (found, isinstance(found, bool)) == (value, isinstance(value, bool))


@pytest.mark.parametrize(
    "source",
    [
        *("int('x')", "int('1_0')", "int(1e19)", "int('٣')", "uint(-1)", "double('x')"),
        *("bool('yes')", "string(b'\\xff')", "duration('x')", "timestamp('x')"),
        "int('9223372036854775808')",
    ],
)
def test_what_cannot_be_converted_is_an_error(source: str) -> None:
    """A failed conversion must not return a wrong value."""
    dynamic = source.replace("('", "(dyn('").replace("')", "'))") if "('" in source else source

    assert problem(dynamic)
