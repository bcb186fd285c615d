"""Quantity in expressions."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule


@pytest.mark.parametrize(
    "source",
    [
        "!quantity('500m').isInteger() && quantity('1.5').asApproximateFloat() == 1.5",
        "quantity('1Gi').isGreaterThan(quantity('1Mi')) && quantity('1') == quantity('1000m')",
        "isQuantity('500m') && !isQuantity('1Zi') && quantity('1Ki').asInteger() == 1024",
        "quantity('1').add(1).compareTo(quantity('3').sub(quantity('1'))) == 0",
        "sign(quantity('-1')) == -1 && quantity('1k').isLessThan(quantity('1Ki'))",
    ],
)
def test_claims_about_quantities_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("quantity('500m').asInteger()", "cannot convert value to integer"),
        ("quantity('1ki')", "unable to parse quantity's suffix"),
        ("quantity('abc')", "quantities must match the regular expression '"),
    ],
)
def test_what_is_no_such_value_is_refused(source: str, text: str) -> None:
    """The texts are the server's."""
    with pytest.raises(EvaluationError) as caught:
        compile_rule(source, {}, result=None).evaluate({})

    assert text in str(caught.value)
