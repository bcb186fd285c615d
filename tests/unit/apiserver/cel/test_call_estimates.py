"""Estimates of calls."""

from kubewright.apiserver.cel import celtype
from kubewright.apiserver.cel.bounds import Bounds, exactly
from kubewright.apiserver.cel.call_estimates import Argument, estimate_call
from kubewright.apiserver.cel.expression import Literal


def argument(kind: celtype.Type, size: Bounds) -> Argument:
    node = Literal(0, None)
    node.type = kind
    return Argument(node, size)


def test_a_longer_text_costs_more() -> None:
    """The bounds follow those of the text."""
    short, long = (
        estimate_call("upperAscii", "", target=argument(celtype.STRING, exactly(size)), args=[])
        for size in (10, 1000)
    )

    assert short is not None
    assert long is not None
    assert short.cost.high < long.cost.high
    assert long.size is not None


def test_unknown_functions_are_estimated_elsewhere() -> None:
    """Libraries estimate operators only for values of Kubernetes' own types."""
    plain = [argument(celtype.INT, exactly(1))] * 2
    own = [argument(celtype.parse_type("kubernetes.Quantity"), exactly(1))] * 2

    assert estimate_call("_+_", "add_int64", target=None, args=plain) is None
    assert estimate_call("_==_", "equals", target=None, args=plain) is None
    assert estimate_call("_==_", "equals", target=None, args=own) == (exactly(1), None)
