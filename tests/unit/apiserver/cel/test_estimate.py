"""What rules can cost at most."""

from typing import Any

import pytest

from kubewright.apiserver.cel import celtype
from kubewright.apiserver.cel.bounds import MOST
from kubewright.apiserver.cel.estimate import cost_problem, estimate_cost, max_cardinality
from kubewright.apiserver.cel.program import compile_rule
from kubewright.apiserver.cel.schematype import type_of
from kubewright.apiserver.schema.tree import parse

STRINGS = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("source", "low", "high"),
    [
        ("x == 3", 2, 2),
        ("s == 'abcdefghijklmnopqrst'", 2, 3),
        ("s + s", 2, 1844674407370955266),
        ("s.matches('^[a-z]+$')", 3, 3689348814741910529),
        ("x > 1 ? s.size() : 1", 2, 4),
        ("x > 1 && x < 5", 2, 4),
        ("[1, 2, 3].all(i, i > 0)", 20, 26),
        ("[1, 2, 3].map(i, i)[0]", 61, 61),
        ("l.all(i, i > 0)", 2, MOST),
        ("x in [1, 2, 3]", 14, 14),
        ("optional.of(x).optMap(y, y + 1)", 4, 19),
        ("[3, 1, 2].sortBy(i, -i)", 104, 104),
        ("{'a': {'b': 1}}.a.b", 62, 62),
        ("lists.range(3)", 14, 14),
        ("sets.contains([1, 2], [1])", 23, 23),
    ],
)
def test_the_bounds_are_those_of_the_server(source: str, low: int, high: int) -> None:
    """Without a schema, sizes are unknown."""
    variables = {
        "x": celtype.INT,
        "s": celtype.STRING,
        "l": celtype.list_of(celtype.INT),
    }

    assert estimate_cost(compile_rule(source, variables, result=None)) == (low, high)


@pytest.mark.parametrize(
    ("schema", "rule", "most"),
    [
        (STRINGS, "self.all(x, x.size() < 5)", 6291452),
        ({**STRINGS, "maxItems": 10}, "self.all(x, x.size() < 5)", 62),
        ({"type": "string", "maxLength": 20}, "self == 'abcdefghijklmnopqrst'", 3),
        ({"type": "string", "enum": ["aa", "bbb"]}, "self == 'aaaaaaaaaaaaaaaa'", 2),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "self.all(k, k == 'a' && self[k] == 'b')",
            3145722,
        ),
    ],
)
def test_limits_in_the_schema_make_rules_cheaper(
    schema: dict[str, Any], rule: str, most: int
) -> None:
    """That is why the server asks for maxItems and maxLength."""
    found = type_of(parse(schema))
    assert found is not None

    assert estimate_cost(compile_rule(rule, {"self": found})).high == most


@pytest.mark.parametrize(
    ("cost", "shown"),
    [(11_000_000, "1.100000x"), (25_000_000, "2.5x"), (2_000_000_000, "more than 100x")],
)
def test_the_problem_says_by_how_much_and_what_to_do(cost: int, shown: str) -> None:
    """It is the most common reason for a CRD to be refused."""
    assert cost_problem("estimated rule cost", cost, limit=10_000_000) == (
        f"estimated rule cost exceeds budget by factor of {shown} (try simplifying the rule, or"
        " adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are"
        " declared)"
    )


def test_small_values_fit_more_often_into_a_request() -> None:
    """A rule on the items of an unlimited list counts once for each that a request can hold."""
    assert max_cardinality(celtype.STRING) == 3 * 1024 * 1024
    found = type_of(parse({"type": "string"}))
    assert found is not None

    assert max_cardinality(found) == 1048576
