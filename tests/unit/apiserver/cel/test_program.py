"""What expressions evaluate to."""

from typing import Any

import pytest

from kubewright.apiserver.cel import celtype
from kubewright.apiserver.cel.cost import Budget, BudgetError
from kubewright.apiserver.cel.errors import CompileError, CostLimitError, EvaluationError
from kubewright.apiserver.cel.program import InstantiationError, ResultTypeError, compile_rule

VARIABLES = {
    "x": celtype.INT,
    "s": celtype.STRING,
    "d": celtype.DYN,
    "l": celtype.list_of(celtype.INT),
    "m": celtype.map_of(celtype.STRING, celtype.INT),
}
VALUES = {"x": 3, "s": "abc", "d": {"a": 1.0}, "l": [1, 2, 3], "m": {"a": 1}}


def evaluate(source: str, **values: Any) -> Any:
    return compile_rule(source, VARIABLES, result=None).evaluate({**VALUES, **values})


@pytest.mark.parametrize(
    "source",
    [
        "x + 1 == 4 && x - 4 == -1 && x * 2 == 6 && x / 2 == 1 && x % 2 == 1",
        "-7 / 2 == -3 && -7 % 2 == -1 && 7 % -2 == 1",
        "1.0 / 0.0 > 1e308 && -1.0 / 0.0 < 0.0",
        "dyn(1) == 1u && dyn(1) == 1.0 && dyn(1u) == 1.0 && dyn(1) != dyn('1') && dyn(true) != 1",
        "1 < 1.5 && 2u > 1 && 1.5 < 2u && 'a' < 'b' && b'a' < b'b' && false < true",
        "[1, 2] == [1, 2] && {'a': 1} == {'a': 1} && [[1]] != [[2]]",
        "dyn(l) == [1.0, 2.0, 3.0]",
        "{true: 1, false: 2}[true] == 1 && dyn({1: 2})[1.0] == 2",
        "!(dyn(true) in {1: 2}) && 1 in {1: 2}",
        "'a' in m && !('b' in m) && 2 in l && !(4 in l)",
        "has(m.a) && !has(m.b) && has(d.a) && !has(d.b)",
        "s.size() == 3 && size(l) == 3 && size('é') == 1 && size(bytes('é')) == 2",
        "type(x) == int && type(d) == map && type(type(x)) == type && type(null) == null_type",
        "l.all(i, i > 0) && !l.all(i, i > 1) && l.exists(i, i == 2) && l.exists_one(i, i > 2)",
        "l.map(i, i * 2) == [2, 4, 6] && l.map(i, i > 1, i) == [2, 3]",
        "l.filter(i, i != 2) == [1, 3] && m.map(k, k) == ['a']",
        "l.all(i, v, i + 1 == v) && m.exists(k, v, k == 'a' && v == 1)",
        "l.transformList(i, v, i > 0, v) == [2, 3]",
        "l.transformMap(i, v, v * 2) == {0: 2, 1: 4, 2: 6}",
        "l.transformMapEntry(i, v, {v: i}) == {1: 0, 2: 1, 3: 2}",
        "l.exists(i, l.all(j, i <= j))",
        "1 / 0 > 0 || true",
        "!(false && 1 / 0 > 0) && !(1 / 0 > 0 && false)",
        "l.exists(i, 1 / (i - 1) > 0)",
        "!l.all(i, 1 / (i - 1) > 0)",
        "d.?a.orValue(2.0) == 1.0 && d.?b.orValue(2.0) == 2.0 && !d.?b.?c.hasValue()",
        "m[?'b'].orValue(5) == 5 && l[?9].orValue(5) == 5 && l[?0].value() == 1",
        "[?m[?'a'], ?m[?'b']] == [1] && {?'a': m[?'a'], ?'b': m[?'b']} == {'a': 1}",
        "optional.none().or(optional.of(1)).value() == 1",
        "m[?'a'].optMap(v, v + 1) == optional.of(2) && !m[?'b'].optMap(v, v + 1).hasValue()",
        "optional.of(l).optFlatMap(v, v[?0]) == optional.of(1)",
        "optional.of({'a': {'b': 1}}).a.b.value() == 1",
        "!optional.ofNonZeroValue('').hasValue() && optional.ofNonZeroValue(0.5).hasValue()",
        "optional.unwrap([optional.of(1), optional.none()]) == [1]",
        "l.first().value() == 1 && l.last().value() == 3 && ![].first().hasValue()",
        "int('42') == 42 && int(1.9) == 1 && int(-1.9) == -1 && int(5u) == 5",
        "uint('42') == 42u && double('1.5') == 1.5 && double(2) == 2.0",
        "string(1.0) == '1' && string(1e6) == '1e+06' && string(0.00001) == '1e-05'",
        "string(true) == 'true' && bool('True') && string(b'abc') == 'abc'",
        "bytes('é') == b'\\xc3\\xa9'",
        "(x > 1 ? s : 'no') == 'abc'",
    ],
)
def test_claims_in_the_language_itself_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert evaluate(source) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("m['b']", "no such key: b"),
        ("d.b", "no such key: b"),
        ("d.a.b", "no such key: b"),
        ("has(d.b.c)", "no such key: b"),
        ("l[3]", "index out of bounds: 3"),
        ("l[-1]", "index out of bounds: -1"),
        ("dyn([1])['a']", "unsupported index type 'string' in list"),
        ("dyn([1])[1.5]", "unsupported index value 1.5 in list"),
        ("1 / (x - 3)", "division by zero"),
        ("1 % (x - 3)", "modulus by zero"),
        ("9223372036854775807 + x", "integer overflow"),
        ("-(-9223372036854775807 - 1)", "integer overflow"),
        ("(-9223372036854775807 - 1) / -1", "integer overflow"),
        ("1u - 2u", "unsigned integer overflow"),
        ("uint(-1)", "unsigned integer overflow"),
        ("int(1e30)", "integer overflow"),
        ("int(s)", "type conversion error from 'string' to 'int'"),
        ("timestamp(s)", "type conversion error from 'string' to 'google.protobuf.Timestamp'"),
        ("string(b'\\xff')", "invalid UTF-8 in bytes, cannot convert to string"),
        ("double('nan') < 1.0", "NaN values cannot be ordered"),
        ("dyn(1) + dyn('a')", "no such overload"),
        ("dyn('a') < dyn(1)", "no such overload"),
        ("dyn('a') ? 1 : 2", "no such overload"),
        ("dyn(1) && true", "no such overload"),
        ("d.a && d.b", "no such overload"),
        ("size(dyn(1))", "no such overload: size"),
        ("dyn(1).lowerAscii()", "no such overload: lowerAscii(int)"),
        ("int(dyn(true))", "no such overload: int(bool)"),
        ("dyn(1).all(i, true)", "got 'types.Int', expected iterable type"),
        ("1 / 0 > 0 || false", "division by zero"),
        ("l.map(i, 1 / (i - 1))", "division by zero"),
        ("optional.none().value()", "optional.none() dereference"),
        ("l.transformMapEntry(i, v, {'k': v})", "insert failed: key k already exists"),
    ],
)
def test_what_has_no_value_says_why(source: str, text: str) -> None:
    """The text becomes part of the answer to the user whose object was refused."""
    with pytest.raises(EvaluationError) as caught:
        evaluate(source)

    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("source", "cost"),
    [
        ("x", 1),
        ("d.a == 1.0", 3),
        ("l[x - 2]", 4),
        ("m[s.substring(0, 1)]", 4),
        ("has(d.a) && has(d.b)", 2),
        ("[x, 1]", 11),
        ("{'a': x}", 31),
        ("x in [1, 2, 3]", 1),
        ("2 in l", 4),
        ("s + s", 3),
        ("s.matches('^[a-z]+$')", 3),
        ("x > 1 ? d.a : 1.0", 3),
        ("l.all(i, i > 0)", 17),
        ("l.all(i, i > 2)", 9),
        ("l.exists(i, i > 2)", 20),
        ("l.exists_one(i, i == 2)", 11),
        ("l.map(i, i)", 41),
        ("l.map(i, 1)", 8),
        ("l.filter(i, true)", 41),
        ("l.transformMap(i, v, v)", 14),
        ("l.transformMapEntry(i, v, {v: i})", 104),
        ("l.all(i, l.all(j, i <= j || true))", 71),
        ("optional.of(x).optMap(y, y + 1)", 9),
        ("sets.intersects(l, l)", 12),
        ("l.sortBy(i, -i)", 75),
        ("int('5') == 5", 1),
        ("l.sum() == 6", 5),
    ],
)
def test_evaluation_costs_what_the_server_counts(source: str, cost: int) -> None:
    """Budgets run out at the same rule as on a real server."""
    budget = Budget()

    compile_rule(source, VARIABLES, result=None).evaluate(VALUES, budget=budget)

    assert budget.spent == cost


def test_one_evaluation_must_not_cost_too_much() -> None:
    """A rule over a long list stops in the middle instead of blocking the server."""
    rule = compile_rule("l.all(i, l.all(j, i + j >= 0))", VARIABLES)

    with pytest.raises(CostLimitError, match="operation cancelled: actual cost limit exceeded"):
        rule.evaluate({"l": list(range(2000))})


def test_a_limit_is_not_outvoted_like_other_errors() -> None:
    """Being true by another term does not make an endless term affordable."""
    rule = compile_rule("l.all(i, l.all(j, i + j >= 0)) || true", VARIABLES)

    with pytest.raises(CostLimitError):
        rule.evaluate({"l": list(range(2000))})


def test_a_budget_is_shared_by_evaluations() -> None:
    """All rules of an object draw on the same budget."""
    rule, budget = compile_rule("x == 3", VARIABLES), Budget(limit=3)
    rule.evaluate(VALUES, budget=budget)

    with pytest.raises(BudgetError, match="running out of cost budget"):
        rule.evaluate(VALUES, budget=budget)


def test_variables_used_are_those_of_the_expression_not_of_its_loops() -> None:
    """Whether a rule is a transition rule depends on oldSelf being used."""
    variables = {"self": celtype.list_of(celtype.INT), "oldSelf": celtype.list_of(celtype.INT)}

    assert compile_rule("self.all(oldSelf, oldSelf > 0)", variables).variables_used == {"self"}
    assert compile_rule("self == oldSelf", variables).variables_used == {"self", "oldSelf"}


def test_a_result_of_another_type_is_refused() -> None:
    """A rule is a bool, a message expression a string; dyn is neither."""
    with pytest.raises(ResultTypeError, match=r"^cel expression must evaluate to a bool$"):
        compile_rule("d.a", VARIABLES)

    assert compile_rule("s", VARIABLES, result=celtype.STRING).evaluate(VALUES) == "abc"


def test_a_bad_pattern_of_find_is_found_when_the_program_is_made() -> None:
    """The checker lets it pass, as the server's does."""
    text = r"program instantiation failed: error parsing regexp: missing closing \): `\(`"

    with pytest.raises(InstantiationError, match=text):
        compile_rule("s.find('(') == ''", VARIABLES)


def test_deep_expressions_do_not_exhaust_the_stack() -> None:
    """What passes the parser passes the rest or is refused as too deep."""
    source = "!(" * 200 + "true" + ")" * 200

    try:
        assert compile_rule(source, {}).evaluate({}) is True
    except CompileError as error:
        assert "expression recursion limit exceeded: 250" in str(error)  # noqa: PT017  # depends on the caller's depth
