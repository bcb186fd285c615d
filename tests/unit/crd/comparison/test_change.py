"""Changes as values."""

from collections.abc import Callable

import pytest

from kubewright.crd.comparison.change import Change, Severity, breaks, risky, safe, shown


@pytest.mark.parametrize(
    ("make", "severity"),
    [(breaks, Severity.BREAKS), (risky, Severity.RISKY), (safe, Severity.SAFE)],
)
def test_a_change_says_how_bad_it_is(
    make: Callable[[str, str, str], Change], severity: Severity
) -> None:
    """The name of the function is the severity; a mix-up would let a release pass."""
    assert make("a-rule", "A text.", ".spec") == Change(severity, "a-rule", "A text.", ".spec")


def test_long_values_are_cut() -> None:
    """A default can be a whole object, and a line of a report should fit on the screen."""
    text = shown({"a": "b" * 100})

    assert text == '{"a":"' + "b" * 53 + "…"
    assert shown("ä") == '"ä"'
