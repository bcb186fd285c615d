import pytest

from kubewright.apiserver import cel
from kubewright.apiserver.admission.expression import (
    BudgetSpentError,
    Expression,
    ExpressionError,
    declarations,
    values,
)
from kubewright.apiserver.admission.review import request
from kubewright.apiserver.admission.rules import Match
from kubewright.apiserver.authorization.attributes import AlwaysAllow
from tests.unit.apiserver.admission.writes import CONFIG_MAP, CONFIG_MAPS, config_map, write


def expression(source: str) -> Expression:
    return Expression(source, lambda: declarations("condition"))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "request.nix == ''",
            "compilation error: compilation failed: ERROR: <input>:1:8: undefined",
        ),
        ("1", "compilation error: must evaluate to bool but got int"),
        ("object.a == 1", "expression 'object.a == 1' resulted in error: no such key: a"),
    ],
)
def test_an_error_says_which_expression_and_why(source: str, said: str) -> None:
    """In Kubernetes' words, the second time as well."""
    wrong = expression(source)

    for _ in range(2):
        with pytest.raises(ExpressionError) as caught:
            wrong.evaluate({"object": {}}, budget=cel.Budget())
        assert str(caught.value).startswith(said)


def test_expressions_cannot_take_all_the_time() -> None:
    """They share a budget."""
    costly = expression("object.all(x, object.all(y, x != y || x == y))")

    with pytest.raises(BudgetSpentError, match="running out of cost budget"):
        costly.evaluate({"object": list(range(20))}, budget=cel.Budget(100))


def test_a_request_is_seen_without_its_objects() -> None:
    """They have names of their own."""
    attributes = write("DELETE", old_object=config_map(), name="x")
    match = Match(CONFIG_MAPS, CONFIG_MAP)
    asked = request(attributes, match, uid="1", obj=None, old=config_map())

    seen = values(asked, attributes, AlwaysAllow())

    assert seen["object"] is None
    assert seen["oldObject"] == config_map()
    assert not {"uid", "object", "oldObject"} & seen["request"].keys()
    assert expression("authorizer.requestResource.check('delete').allowed()").evaluate(
        seen, budget=cel.Budget()
    )


def test_who_only_wants_to_know_whether_it_compiles_keeps_no_program() -> None:
    """A policy of thousands of expressions is checked when it is written, and run by others."""
    expression = Expression("1 == 1", lambda: declarations("condition"))

    assert expression.find_problem() == ""

    assert expression._program is None
    assert Expression("1", lambda: declarations("condition")).find_problem().startswith("must eval")
