"""Formatted strings."""

import pytest

from kubewright.apiserver.cel.celtype import BOOL, INT, STRING
from kubewright.apiserver.cel.library.formatting import FormatError, check_format, format_string


@pytest.mark.parametrize(
    ("template", "args", "text"),
    [
        ("%s-%s", ["a", 1], "a-1"),
        ("%d%%", [5], "5%"),
        ("%.2f", [1.005], "1.00"),
        ("%x %X %o %b", [255, 255, 8, 5], "ff FF 10 101"),
        ("%x", ["é"], "c3a9"),
        ("%e", [1234.5], "1.234500\u202f\u00d7\u202f10\u2070\u00b3"),
        ("%s", [[1, "a", None]], '[1, "a", null]'),
        ("%s", [{"b": 1, "a": True}], '{"a":true, "b":1}'),
        ("", [], ""),
    ],
)
def test_values_are_put_in(template: str, args: list[object], text: str) -> None:
    """The output is that of the real server."""
    assert format_string(template, args) == text


@pytest.mark.parametrize(
    ("template", "args"),
    [("%s", []), ("%d", ["x"]), ("%", [1]), ("%q", [1]), ("%b", ["x"]), ("%.f", ["x"]), ("a", [1])],
)
def test_what_does_not_fit_is_refused(template: str, args: list[object]) -> None:
    """Too few, too many, or of the wrong kind."""
    if template == "a":
        with pytest.raises(FormatError, match="too many arguments"):
            check_format(template, [INT])
        return
    with pytest.raises(FormatError):
        format_string(template, args)


def test_a_format_is_checked_before_it_runs() -> None:
    """Formats with known argument types are checked at compile time."""
    check_format("%s %d", [BOOL, INT])
    with pytest.raises(FormatError) as error:
        check_format("%s %d", [INT, STRING])

    assert error.value.place == 1
