"""The tree of an expression."""

from kubewright.apiserver.cel.expression import Call, Comprehension, Expression, children
from kubewright.apiserver.cel.parser import parse


def every(node: Expression) -> list[Expression]:
    return [node, *(below for child in children(node) for below in every(child))]


def test_every_part_is_reached_from_the_top() -> None:
    """Checks and estimates walk the tree so."""
    tree = parse("{'a': [x.b, f(y)]}.c + z.g(1)")

    kinds = [type(node).__name__ for node in every(tree)]

    assert {"Call", "Select", "MapLiteral", "ListLiteral", "Ident", "Literal"} <= set(kinds)
    assert kinds.count("Ident") == 3


def test_a_target_counts_as_an_operand() -> None:
    """The target is the first operand."""
    call = parse("a.f(b)")

    assert isinstance(call, Call)
    assert len(call.operands) == 2


def test_a_comprehension_knows_whether_it_only_names_a_value() -> None:
    """Naming a value must not cost as much as a loop."""
    loop = parse("l.all(i, i > 0)")

    assert isinstance(loop, Comprehension)
    assert not loop.is_binding()
    assert len(children(loop)) == 5
