"""The syntax tree of an expression: the parser builds it, the checker annotates it."""

from typing import Any

from kubewright.apiserver.cel.celtype import DYN, Type


class Expression:
    """A node; *offset* is its position in the source, and the checker sets *type*."""

    __slots__ = ("offset", "type")

    def __init__(self, offset: int) -> None:
        self.offset: int = offset
        self.type: Type = DYN


class Literal(Expression):
    """A constant."""

    __slots__ = ("value",)

    def __init__(self, offset: int, value: Any) -> None:
        super().__init__(offset)
        self.value: Any = value


class Ident(Expression):
    """A variable, or the name of a type."""

    __slots__ = ("name",)

    def __init__(self, offset: int, name: str) -> None:
        super().__init__(offset)
        self.name: str = name


class Select(Expression):
    """``operand.field``, or ``has(operand.field)`` for a presence test."""

    __slots__ = ("field", "operand", "presence", "variable")

    def __init__(
        self, offset: int, operand: Expression, field: str, presence: bool = False
    ) -> None:
        super().__init__(offset)
        self.operand: Expression = operand
        self.field: str = field
        self.presence: bool = presence
        self.variable: str = ""  # set by the checker if the whole node is the name of a variable


class Call(Expression):
    """A call of a function or an operator; *target* is the operand before the dot."""

    __slots__ = ("args", "function", "overloads", "target")

    def __init__(
        self,
        offset: int,
        function: str,
        args: list[Expression],
        target: Expression | None = None,
    ) -> None:
        super().__init__(offset)
        self.function: str = function
        self.args: list[Expression] = args
        self.target: Expression | None = target
        self.overloads: list[str] = []

    @property
    def operands(self) -> list[Expression]:
        """The target, if any, and the arguments."""
        return self.args if self.target is None else [self.target, *self.args]


class ListLiteral(Expression):
    """``[a, ?b]``."""

    __slots__ = ("items", "optional")

    def __init__(self, offset: int, items: list[Expression], optional: frozenset[int]) -> None:
        super().__init__(offset)
        self.items: list[Expression] = items
        self.optional: frozenset[int] = optional


class Entry:
    """``key: value`` of a map, or ``field: value`` of a message."""

    __slots__ = ("key", "offset", "optional", "value")

    def __init__(self, offset: int, key: Expression, value: Expression, optional: bool) -> None:
        self.offset: int = offset
        self.key: Expression = key
        self.value: Expression = value
        self.optional: bool = optional


class MapLiteral(Expression):
    """``{key: value}``."""

    __slots__ = ("entries",)

    def __init__(self, offset: int, entries: list[Entry]) -> None:
        super().__init__(offset)
        self.entries: list[Entry] = entries


class Message(Expression):
    """``Name{field: value}``; rules have no such types, but the error names them."""

    __slots__ = ("entries", "name")

    def __init__(self, offset: int, name: str, entries: list[Entry]) -> None:
        super().__init__(offset)
        self.name: str = name
        self.entries: list[Entry] = entries


class Comprehension(Expression):
    """A fold over a list or map, which is what macros become."""

    __slots__ = (
        "accumulator",
        "condition",
        "initial",
        "iterated",
        "result",
        "step",
        "variable",
        "variable2",
    )

    def __init__(  # noqa: PLR0913  # the parts of a fold
        self,
        offset: int,
        iterated: Expression,
        *,
        variable: str,
        variable2: str = "",
        accumulator: str,
        initial: Expression,
        condition: Expression,
        step: Expression,
        result: Expression,
    ) -> None:
        super().__init__(offset)
        self.iterated: Expression = iterated
        self.variable: str = variable
        self.variable2: str = variable2
        self.accumulator: str = accumulator
        self.initial: Expression = initial
        self.condition: Expression = condition
        self.step: Expression = step
        self.result: Expression = result

    def is_binding(self) -> bool:
        """Return whether it only names a value, as ``optMap`` does, without a loop."""
        return (
            isinstance(self.iterated, ListLiteral)
            and not self.iterated.items
            and isinstance(self.condition, Literal)
            and self.condition.value is False
        )


def children(node: Expression) -> list[Expression]:  # noqa: PLR0911  # one answer for each kind
    """Return the nodes directly below *node*."""
    if isinstance(node, Select):
        return [node.operand]
    if isinstance(node, Call):
        return node.operands
    if isinstance(node, ListLiteral):
        return node.items
    if isinstance(node, MapLiteral):
        return [part for entry in node.entries for part in (entry.key, entry.value)]
    if isinstance(node, Message):
        return [entry.value for entry in node.entries]
    if isinstance(node, Comprehension):
        return [node.iterated, node.initial, node.condition, node.step, node.result]
    return []
