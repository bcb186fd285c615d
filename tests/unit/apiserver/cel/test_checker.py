"""What the types of an expression allow."""

import pytest

from kubewright.apiserver.cel import celtype
from kubewright.apiserver.cel.errors import CompileError
from kubewright.apiserver.cel.program import compile_rule

VARIABLES = {
    "x": celtype.INT,
    "s": celtype.STRING,
    "d": celtype.DYN,
    "l": celtype.list_of(celtype.INT),
    "m": celtype.map_of(celtype.STRING, celtype.INT),
    "o": celtype.object_type("Thing", {"a": celtype.STRING, "__if__": celtype.INT}),
    "authorizer.requestResource": celtype.STRING,
}


@pytest.mark.parametrize(
    ("source", "issues"),
    [
        ("self", [(1, "undeclared reference to 'self' (in container '')")]),
        (
            "a.b.c(1)",
            [
                (1, "undeclared reference to 'a' (in container '')"),
                (6, "undeclared reference to 'c' (in container '')"),
            ],
        ),
        ("1 + 'a'", [(3, "found no matching overload for '_+_' applied to '(int, string)'")]),
        ("s.size(1)", [(7, "found no matching overload for 'size' applied to 'string.(int)'")]),
        ("x == null", [(3, "found no matching overload for '_==_' applied to '(int, null)'")]),
        (
            "l == [1.0]",
            [
                (
                    3,
                    "found no matching overload for '_==_' applied to '(list(int), list(double))'",
                )
            ],
        ),
        (
            "l.filter(i, i)",
            [
                (
                    9,
                    (
                        "found no matching overload for '_?_:_' applied to"
                        " '(int, list(int), list(int))'"
                    ),
                )
            ],
        ),
        ("true && 1", [(9, "expected type 'bool' but found 'int'")]),
        ("s.foo", [(2, "type 'string' does not support field selection")]),
        ("o.b", [(2, "undefined field 'b'")]),
        ("has(o.b)", [(4, "undefined field 'b'")]),
        (
            "x.all(i, true)",
            [
                (
                    1,
                    (
                        "expression of type 'int' cannot be range of a comprehension (must be list,"
                        " map, or dynamic)"
                    ),
                )
            ],
        ),
        ("[1, 'a']", [(5, "expected type 'int' but found 'string'")]),
        ("[x, d]", [(5, "expected type 'int' but found 'dyn'")]),
        ("{'a': 1, 'b': 'c'}", [(15, "expected type 'int' but found 'string'")]),
        ("[?1]", [(3, "expected type 'optional_type(int)' but found 'int'")]),
        ("Msg{a: 1}", [(4, "undeclared reference to 'Msg' (in container '')")]),
        (
            "int{a: 1}",
            [(4, "'int' is not a message type"), (6, "unexpected failed resolution of 'int'")],
        ),
        ("timestamp('x')", [(11, "invalid timestamp argument")]),
        ("duration('1d')", [(10, "invalid duration argument")]),
        ("s.matches('(?=a)')", [(11, "invalid matches argument")]),
        (
            "'%d'.format(['a'])",
            [
                (
                    14,
                    (
                        "error during formatting: decimal clause can only be used on integers, was"
                        " given string"
                    ),
                )
            ],
        ),
        (
            "'%s'.format([1, 2])",
            [(12, "too many arguments supplied to string.format (expected 1, got 2)")],
        ),
        (
            "cel.bind(x, 1, true)",
            [
                (1, "undeclared reference to 'cel' (in container '')"),
                (9, "undeclared reference to 'bind' (in container '')"),
            ],
        ),
        ("s.reverse()", [(10, "found no matching overload for 'reverse' applied to 'string.()'")]),
    ],
)
def test_what_does_not_fit_is_refused_in_the_words_of_the_server(
    source: str, issues: list[tuple[int, str]]
) -> None:
    """The texts reach the author of a CRD; what Kubernetes leaves out of CEL is unknown."""
    with pytest.raises(CompileError) as caught:
        compile_rule(source, VARIABLES, result=None)

    assert [(i.offset + 1, i.text) for i in caught.value.issues] == issues


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("x", "int"),
        ("[]", "list(dyn)"),
        ("{'a': x}", "map(string, int)"),
        ("d.a", "dyn"),
        ("d.?a", "optional_type(dyn)"),
        ("l[?0]", "optional_type(int)"),
        ("l.map(i, string(i))", "list(string)"),
        ("m.map(k, k)", "list(string)"),
        ("m.transformMap(k, v, string(v))", "map(string, string)"),
        ("l.first()", "optional_type(int)"),
        ("true ? x : d", "dyn"),
        ("type(l)", "type(list(int))"),
        ("timestamp(0) - timestamp(1)", "duration"),
        ("o.a", "string"),
        ("o.if", "int"),
        ("authorizer.requestResource", "string"),
        ("sets.contains(l, [])", "bool"),
        ("[x].sortBy(i, -i)", "list(int)"),
        ("optional.of(1).optMap(v, string(v))", "optional_type(string)"),
    ],
)
def test_types_follow_from_the_parts(source: str, shown: str) -> None:
    """Every expression has one type, which may be dyn."""
    assert str(compile_rule(source, VARIABLES, result=None).type) == shown
