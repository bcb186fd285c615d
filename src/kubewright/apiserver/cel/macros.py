"""Expands macros such as ``all`` and ``has``."""

from collections.abc import Callable
from typing import Any, Final

from kubewright.apiserver.cel.expression import (
    Call,
    Comprehension,
    Expression,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Select,
)

ACCUMULATOR: Final = "@result"
_SORTED: Final = "@__sortBy_input__"
_UNUSED: Final = "#unused"


class MacroError(Exception):
    """The macro exists, but not with such arguments."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(offset, text)
        self.offset = offset
        self.text = text


def expand(call: Call) -> Expression | None:
    """Return the expansion of *call*, or ``None`` if it is an ordinary call.

    Raises:
        MacroError: The macro does not accept such an argument.
    """
    macro = _MACROS.get((call.function, len(call.args), call.target is not None))
    return macro(call) if macro else None


def _has(call: Call) -> Expression:
    argument = call.args[0]
    if not isinstance(argument, Select) or argument.presence:
        raise MacroError(argument.offset, "invalid argument to has() macro")
    return Select(call.offset, argument.operand, argument.field, presence=True)


def _variable(argument: Expression, problem: str) -> str:
    if not isinstance(argument, Ident) or argument.name.startswith("."):
        raise MacroError(argument.offset, problem)
    if argument.name in {ACCUMULATOR, "__result__"}:
        raise MacroError(argument.offset, "iteration variable overwrites accumulator variable")
    return argument.name


def _variables(call: Call, count: int, problem: str) -> dict[str, str]:
    names = [_variable(argument, problem) for argument in call.args[:count]]
    if count == 1:
        return {"variable": names[0]}
    if names[0] == names[1]:
        raise MacroError(call.args[1].offset, f"duplicate variable name: {names[0]}")
    return {"variable": names[0], "variable2": names[1]}


def _fold(call: Call, variables: dict[str, str], **parts: Expression) -> Comprehension:
    assert call.target is not None
    everything: dict[str, Any] = {**variables, **parts}
    everything.setdefault("condition", Literal(call.offset, True))
    everything.setdefault("result", Ident(call.offset, ACCUMULATOR))
    return Comprehension(call.offset, call.target, accumulator=ACCUMULATOR, **everything)


def _all(call: Call) -> Expression:
    at = call.offset
    return _fold(
        call,
        _variables(call, len(call.args) - 1, "argument must be a simple name"),
        initial=Literal(at, True),
        condition=Call(at, "@not_strictly_false", [Ident(at, ACCUMULATOR)]),
        step=Call(at, "_&&_", [Ident(at, ACCUMULATOR), call.args[-1]]),
    )


def _exists(call: Call) -> Expression:
    at = call.offset
    negated = Call(at, "!_", [Ident(at, ACCUMULATOR)])
    return _fold(
        call,
        _variables(call, len(call.args) - 1, "argument must be a simple name"),
        initial=Literal(at, False),
        condition=Call(at, "@not_strictly_false", [negated]),
        step=Call(at, "_||_", [Ident(at, ACCUMULATOR), call.args[-1]]),
    )


def _exists_one(call: Call) -> Expression:
    at = call.offset
    more = Call(at, "_+_", [Ident(at, ACCUMULATOR), Literal(at, 1)])
    return _fold(
        call,
        _variables(call, len(call.args) - 1, "argument must be a simple name"),
        initial=Literal(at, 0),
        step=Call(at, "_?_:_", [call.args[-1], more, Ident(at, ACCUMULATOR)]),
        result=Call(at, "_==_", [Ident(at, ACCUMULATOR), Literal(at, 1)]),
    )


def _appended(at: int, item: Expression, condition: Expression | None) -> Expression:
    single = ListLiteral(at, [item], frozenset())
    return _if(at, condition, Call(at, "_+_", [Ident(at, ACCUMULATOR), single]))


def _if(at: int, condition: Expression | None, step: Expression) -> Expression:
    if condition is None:
        return step
    return Call(at, "_?_:_", [condition, step, Ident(at, ACCUMULATOR)])


def _map(call: Call) -> Expression:
    variables = _variables(call, 1, "argument is not an identifier")
    condition = call.args[1] if len(call.args) == 3 else None  # noqa: PLR2004  # map(x, condition, item)
    return _fold(
        call,
        variables,
        initial=ListLiteral(call.offset, [], frozenset()),
        step=_appended(call.offset, call.args[-1], condition),
    )


def _filter(call: Call) -> Expression:
    variables = _variables(call, 1, "argument is not an identifier")
    return _fold(
        call,
        variables,
        initial=ListLiteral(call.offset, [], frozenset()),
        step=_appended(call.offset, call.args[0], call.args[1]),
    )


def _transform_list(call: Call) -> Expression:
    variables = _variables(call, 2, "argument must be a simple name")
    condition = call.args[2] if len(call.args) == 4 else None  # noqa: PLR2004  # with a condition
    return _fold(
        call,
        variables,
        initial=ListLiteral(call.offset, [], frozenset()),
        step=_appended(call.offset, call.args[-1], condition),
    )


def _transform_map(call: Call) -> Expression:
    variables = _variables(call, 2, "argument must be a simple name")
    key = [Ident(call.offset, variables["variable"])]
    return _inserted(call, variables, key if call.function == "transformMap" else [])


def _inserted(call: Call, variables: dict[str, str], key: list[Ident]) -> Expression:
    at = call.offset
    condition = call.args[2] if len(call.args) == 4 else None  # noqa: PLR2004  # with a condition
    insert = Call(at, "cel.@mapInsert", [Ident(at, ACCUMULATOR), *key, call.args[-1]])
    return _fold(call, variables, initial=MapLiteral(at, []), step=_if(at, condition, insert))


def _binding(at: int, name: str, value: Expression, result: Expression) -> Comprehension:
    """Return *result* with *value* bound to a name inside it."""
    return Comprehension(
        at,
        ListLiteral(at, [], frozenset()),
        variable=_UNUSED,
        accumulator=name,
        initial=value,
        condition=Literal(at, False),
        step=Ident(at, name),
        result=result,
    )


def _opt_map(call: Call) -> Expression:
    at, variable = call.offset, call.args[0]
    if not isinstance(variable, Ident):
        text = f"{call.function}() variable name must be a simple identifier"
        raise MacroError(variable.offset, text)
    value = Call(at, "value", [], call.target)
    bound: Expression = _binding(at, variable.name, value, call.args[1])
    if call.function == "optMap":
        bound = Call(at, "optional.of", [bound])
    present = Call(at, "hasValue", [], call.target)
    return Call(at, "_?_:_", [present, bound, Call(at, "optional.none", [])])


def _sort_by(call: Call) -> Expression:
    at, target = call.offset, call.target
    if target is None or isinstance(target, Literal | MapLiteral):
        text = "sortBy can only be applied to a list, identifier, comprehension, call or select"
        raise MacroError(at if target is None else target.offset, f"{text} expression")
    keys = _map(Call(at, "map", call.args, Ident(at, _SORTED)))
    ordered = Call(at, "@sortByAssociatedKeys", [keys], Ident(at, _SORTED))
    return _binding(at, _SORTED, target, ordered)


_MACROS: Final[dict[tuple[str, int, bool], Callable[[Call], Expression]]] = {
    ("has", 1, False): _has,
    ("all", 2, True): _all,
    ("all", 3, True): _all,
    ("exists", 2, True): _exists,
    ("exists", 3, True): _exists,
    ("exists_one", 2, True): _exists_one,
    ("exists_one", 3, True): _exists_one,
    ("existsOne", 2, True): _exists_one,
    ("existsOne", 3, True): _exists_one,
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): _filter,
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_map,
    ("transformMapEntry", 4, True): _transform_map,
    ("optMap", 2, True): _opt_map,
    ("optFlatMap", 2, True): _opt_map,
    ("sortBy", 2, True): _sort_by,
}
