"""Compiles and evaluates expressions."""

from collections.abc import Callable, Mapping
from typing import Any

from kubewright.apiserver.cel import standard  # noqa: F401  # importing it declares the functions
from kubewright.apiserver.cel.celtype import BOOL, Type
from kubewright.apiserver.cel.checker import Checker
from kubewright.apiserver.cel.compiler import Compiler
from kubewright.apiserver.cel.cost import PER_CALL_LIMIT, Budget, over_limit
from kubewright.apiserver.cel.errors import CompileError, nowhere
from kubewright.apiserver.cel.expression import Expression
from kubewright.apiserver.cel.literals import check_literals, find_bad_pattern
from kubewright.apiserver.cel.loops import COST, LIMIT, Frame
from kubewright.apiserver.cel.parser import parse


class ResultTypeError(CompileError):
    """The expression is valid, but its result has the wrong type, *found*."""

    def __init__(self, source: str, found: Type, wanted: Type) -> None:
        super().__init__(source, ())
        self.found = found
        self.wanted = wanted
        self.args: tuple[Any, ...] = (source, found, wanted)

    def __str__(self) -> str:
        return f"cel expression must evaluate to a {self.wanted}"


class InstantiationError(CompileError):
    """The expression is valid, but a constant pattern in it is not."""

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(source, ())
        self.problem = problem
        self.args: tuple[Any, ...] = (source, problem)

    def __str__(self) -> str:
        return f"program instantiation failed: {self.problem}"


class Program:
    """A compiled expression, which can be evaluated any number of times."""

    def __init__(self, source: str, tree: Expression, variables: Mapping[str, Type]) -> None:
        self.source = source
        self.tree = tree
        self.variables = variables
        self.variables_used: frozenset[str] = frozenset()
        self._names = tuple(variables)
        compiler = Compiler({name: LIMIT + 1 + i for i, name in enumerate(self._names)})
        self._run: Callable[[Frame], Any] = compiler.compile(tree)
        self._rest = [None] * (compiler.size - LIMIT - 1 - len(self._names))

    @property
    def type(self) -> Type:
        """The type of the result."""
        return self.tree.type

    def evaluate(self, values: Mapping[str, Any], *, budget: Budget | None = None) -> Any:
        """Return the value of the expression; a variable without a value is null.

        Raises:
            EvaluationError: It has no value for these variables.
            CostLimitError: It costs too much, by itself or for *budget*.
        """
        get = values.get
        most = PER_CALL_LIMIT if budget is None else budget.most
        frame: Frame = [0, most, *[get(name) for name in self._names], *self._rest]
        try:
            result = self._run(frame)
            if frame[COST] > frame[LIMIT]:
                raise over_limit()
        finally:
            if budget is not None:
                budget.spent += frame[COST]
        if budget is not None:
            budget.spend(0)
        return result


def compile_rule(
    source: str,
    variables: Mapping[str, Type],
    *,
    result: Type | None = BOOL,
    messages: bool = False,
) -> Program:
    """Compile an expression over *variables*.

    Args:
        source: The expression.
        variables: The types of the names that it can use.
        result: The type that its value must have; ``None`` for any.
        messages: Whether it can construct objects, as mutations do; see `objects`.

    Raises:
        CompileError: It is not valid; the text is what the API server prints.
        ResultTypeError: Its value has another type.
        InstantiationError: It has a constant pattern that is not valid.
    """
    try:
        return _compiled(source, variables, result, messages=messages)
    except RecursionError:
        text = "expression recursion limit exceeded: 250"
        raise CompileError(source, [nowhere(text)]) from None


def _compiled(
    source: str, variables: Mapping[str, Type], result: Type | None, *, messages: bool
) -> Program:
    tree = parse(source)
    checker = Checker(variables, messages=messages)
    checker.check(tree)
    issues = checker.issues or check_literals(tree)
    if issues:
        raise CompileError(source, issues)
    if result is not None and tree.type != result:
        raise ResultTypeError(source, tree.type, result)
    if problem := find_bad_pattern(tree):
        raise InstantiationError(source, problem)
    program = Program(source, tree, variables)
    program.variables_used = frozenset(checker.used)
    return program
