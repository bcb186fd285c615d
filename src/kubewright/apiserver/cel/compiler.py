"""Compiles a checked tree to Python closures."""

from collections.abc import Mapping
from typing import Any, Final

from kubewright.apiserver.cel import loops
from kubewright.apiserver.cel.adaptation import converter_for, item_converter_for
from kubewright.apiserver.cel.attributes import (
    converting,
    costing,
    field_of,
    item_of,
    optional_field_of,
    optional_item_of,
    presence_of,
)
from kubewright.apiserver.cel.calls import binary, body_of, logical, nary, unary
from kubewright.apiserver.cel.celtype import IDENTIFIERS, Type, find_field
from kubewright.apiserver.cel.cost import LIST_COST, MAP_COST
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.expression import (
    Call,
    Comprehension,
    Expression,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Message,
    Select,
)
from kubewright.apiserver.cel.loops import COST, LIMIT, Frame, Run
from kubewright.apiserver.cel.objects import ObjectValue
from kubewright.apiserver.cel.operators import no_overload
from kubewright.apiserver.cel.values import NONE, Optional, map_key, runtime_type

_CONVERSIONS: Final = frozenset(
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"]
)


class Compiler:
    """Compiles one expression. Variables have fixed slots in the frame."""

    def __init__(self, variables: Mapping[str, int]) -> None:
        self.size: int = LIMIT + 1 + len(variables)
        self._places: list[dict[str, int]] = [dict(variables)]

    # Constants cost nothing, and are evaluated once.

    def constant(self, node: Expression) -> Optional:  # noqa: PLR0911  # one answer for each kind
        """Return the value of *node* if it is a constant, or `NONE`."""
        match node:
            case Literal():
                return Optional(node.value)
            case Ident() if node.type.kind == "type" and self._slot(node.name) is None:
                return Optional(_denoted(node.name))
            case Select() if node.variable and node.type.kind == "type":
                return Optional(_denoted(node.variable))
            case ListLiteral() if not node.optional:
                items = [self.constant(item) for item in node.items]
                if all(item.present for item in items):
                    return Optional([item.value for item in items])
            case MapLiteral():
                return self._constant_map(node)
            case Call() if node.function in _CONVERSIONS and len(node.args) == 1:
                return self._constant_conversion(node)
        return NONE

    def _constant_map(self, node: MapLiteral) -> Optional:
        keys = [self.constant(entry.key) for entry in node.entries]
        values = [self.constant(entry.value) for entry in node.entries]
        optional = any(entry.optional for entry in node.entries)
        if optional or not all(part.present for part in (*keys, *values)):
            return NONE
        pairs = zip(keys, values, strict=True)
        try:
            return Optional({map_key(key.value): value.value for key, value in pairs})
        except TypeError:
            return NONE

    def _constant_conversion(self, node: Call) -> Optional:
        argument = self.constant(node.args[0])
        if not argument.present:
            return NONE
        try:
            body, _ = body_of(node)
            return Optional(body(argument.value))
        except EvaluationError:
            return NONE

    # Everything else.

    def compile(self, node: Expression) -> Run:
        """Return a closure that evaluates *node* to a CEL value."""
        return self._converted(node, self.raw(node))

    def _converted(self, node: Expression, run: Run) -> Run:
        if not _is_attribute(node) or isinstance(node, Literal):
            return run
        convert = converter_for(node.type)
        return run if convert is None else converting(run, convert)

    def raw(self, node: Expression, *, base: int = 1) -> Run:  # noqa: PLR0911  # one answer for each kind
        """Return a closure that evaluates *node* and leaves JSON values unconverted.

        *base* is the cost of an attribute besides its fields: 0 inside another attribute.
        """
        constant = self.constant(node)
        if constant.present:
            value = constant.value
            return lambda _: value
        match node:
            case Ident():
                return self._variable(node.name, base)
            case Select():
                return self._select(node, base)
            case Call():
                return self._call(node, base)
            case ListLiteral():
                return self._list(node)
            case MapLiteral():
                return self._map(node)
            case Message():
                return self._made(node)
            case Comprehension():
                return self._comprehension(node)
        raise AssertionError(f"{node} passed the checker")

    def _slot(self, name: str) -> int | None:
        if name.startswith("."):
            return self._places[0].get(name[1:])
        return next((scope[name] for scope in reversed(self._places) if name in scope), None)

    def _new_slot(self) -> int:
        self.size += 1
        return self.size - 1

    def _variable(self, name: str, base: int) -> Run:
        place = self._slot(name)
        assert place is not None, name
        if not base:
            return lambda frame: frame[place]

        def run(frame: Frame) -> Any:
            frame[COST] += 1
            return frame[place]

        return run

    def _operand(self, node: Expression, base: int) -> Run:
        """Compile the operand of a field or an index."""
        if _is_attribute(node) and not self.constant(node).present:
            return self.raw(node, base=base)
        run = self.raw(node)
        return costing(run, base) if base else run

    # Fields.

    def _select(self, node: Select, base: int) -> Run:
        if node.variable:
            return self._variable(f".{node.variable}", base)
        operand = self._operand(node.operand, base)
        name, is_object = _json_name(node.operand.type, node.field)
        if node.presence:
            return presence_of(operand, name, is_object=is_object)
        if _is_optional(node.operand.type):
            return optional_field_of(operand, name, is_object=is_object)
        return field_of(operand, name, node.field, is_object=is_object)

    def _optional_select(self, node: Call, base: int) -> Run:
        operand_node, field = node.args
        assert isinstance(field, Literal)
        operand = self._operand(operand_node, base)
        name, is_object = _json_name(operand_node.type, field.value)
        return optional_field_of(operand, name, is_object=is_object)

    # Calls.

    def _call(self, node: Call, base: int) -> Run:  # noqa: PLR0911  # one answer for each kind
        match node.function:
            case "_?._":
                return self._optional_select(node, base)
            case "_&&_":
                return logical([self.compile(arg) for arg in node.args], stop=False)
            case "_||_":
                return logical([self.compile(arg) for arg in node.args], stop=True)
            case "_?_:_":
                return self._conditional(node)
            case "_[_]" | "_[?_]":
                return self._index(node, base)
            case "@in":
                return self._membership(node)
            case "or" | "orValue":
                return self._alternative(node)
        return self._plain_call(node, [self._argument(node, each) for each in node.operands])

    def _argument(self, node: Call, operand: Expression) -> Run:
        if node.function == "size" and operand.type.kind in {"list", "map"}:
            return self.raw(operand)
        return self.compile(operand)

    def _conditional(self, node: Call) -> Run:
        condition = self.compile(node.args[0])
        first, second = (self._converted(arg, self.raw(arg, base=0)) for arg in node.args[1:])

        def run(frame: Frame) -> Any:
            found = condition(frame)
            if found is True:
                return first(frame)
            return second(frame) if found is False else no_overload()

        return run

    def _index(self, node: Call, base: int) -> Run:
        container = self._operand(node.args[0], base)
        key_node = node.args[1]
        key = self._converted(key_node, self.raw(key_node, base=0))
        if node.function == "_[?_]" or _is_optional(node.args[0].type):
            return optional_item_of(container, key)
        return item_of(container, key)

    def _membership(self, node: Call) -> Run:
        value, container = node.args
        constant = self.constant(container)
        wanted = self.compile(value)
        if constant.present and isinstance(container, ListLiteral):
            members = constant.value
            body, _ = body_of(node)
            # The list costs nothing: the server compiles it to a set.
            return lambda frame: body(wanted(frame), members)
        plain = item_converter_for(container.type) is None
        return self._plain_call(
            node, [wanted, self.raw(container) if plain else self.compile(container)]
        )

    def _alternative(self, node: Call) -> Run:
        first, second = map(self.compile, node.operands)
        unwrap = node.function == "orValue"

        def run(frame: Frame) -> Any:
            found = first(frame)
            if not isinstance(found, Optional):
                return no_overload()
            if not found.present:
                return second(frame)
            return found.value if unwrap else found

        return run

    def _plain_call(self, node: Call, args: list[Run]) -> Run:
        body, cost = body_of(node)
        match args:
            case [first]:
                return unary(first, body, cost)
            case [first, second]:
                return binary(first, second, body, cost)
        return nary(args, body, cost)

    # Lists and maps.

    def _list(self, node: ListLiteral) -> Run:
        items = [self.compile(item) for item in node.items]
        if node.optional:
            return _list_with_optionals(items, node.optional)

        def run(frame: Frame) -> list[Any]:
            frame[COST] += LIST_COST
            return [item(frame) for item in items]

        return run

    def _map(self, node: MapLiteral) -> Run:
        entries = [
            (self.compile(entry.key), self.compile(entry.value), entry.optional)
            for entry in node.entries
        ]

        def run(frame: Frame) -> dict[Any, Any]:
            frame[COST] += MAP_COST
            result: dict[Any, Any] = {}
            for key, value, optional in entries:
                found = value(frame)
                if optional and not found.present:
                    continue
                _put(result, key(frame), found.value if optional else found)
            return result

        return run

    def _made(self, node: Message) -> Run:
        fields, name = self._map(MapLiteral(node.offset, node.entries)), node.name.lstrip(".")
        return lambda frame: ObjectValue(name, fields(frame))

    # Loops.

    def _comprehension(self, node: Comprehension) -> Run:
        if node.is_binding():
            return self._binding(node)
        over = self.raw(node.iterated)  # items are converted on use
        slots = self._new_slot(), self._new_slot()
        names = {node.variable: slots[0]}
        if node.variable2:
            names[node.variable2] = slots[1]
        self._places.append(names)
        pairs = loops.double if node.variable2 else loops.single
        run = self._loop(node, over, pairs, slots)
        self._places.pop()
        return run

    def _loop(
        self, node: Comprehension, over: Run, pairs: loops.Pairs, slots: tuple[int, int]
    ) -> Run:
        step = node.step
        assert isinstance(step, Call)
        if isinstance(node.initial, Literal):
            if node.initial.value is True or node.initial.value is False:
                test = self.compile(step.args[1])
                return loops.quantified(over, pairs, slots, test, until=not node.initial.value)
            return loops.counted(over, pairs, slots, self.compile(step.args[0]))
        test_of = None
        if step.function == "_?_:_":
            test_of = self.compile(step.args[0])
            step = step.args[1]
        assert isinstance(step, Call)
        if isinstance(node.initial, ListLiteral):
            return self._list_loop(step, over, pairs, slots, test_of)
        key = self.compile(step.args[1]) if len(step.args) > 2 else None  # noqa: PLR2004  # accumulator, key, value
        return loops.mapped(over, pairs, slots, test_of, key, self.compile(step.args[-1]))

    def _list_loop(  # the parts of a loop
        self,
        step: Call,
        over: Run,
        pairs: loops.Pairs,
        slots: tuple[int, int],
        test: Run | None,
    ) -> Run:
        single = step.args[1]
        assert isinstance(single, ListLiteral)
        cost = 2 if self.constant(single).present else 2 + LIST_COST
        item = self.compile(single.items[0])
        return loops.listed(over, pairs, slots, test, item, cost=cost)

    def _binding(self, node: Comprehension) -> Run:
        value = self.compile(node.initial)
        place = self._new_slot()
        self._places.append({node.accumulator: place})
        result = self.compile(node.result)
        self._places.pop()

        def run(frame: Frame) -> Any:
            frame[place] = value(frame)
            return result(frame)

        return run


def _denoted(name: str) -> Type:
    return IDENTIFIERS[name.removeprefix(".")]


def _is_optional(found: Type) -> bool:
    return found.name == "optional_type"


def _is_attribute(node: Expression) -> bool:
    """Return whether *node* is a variable, or a field or item of an operand."""
    if isinstance(node, Call):
        return node.function in {"_[_]", "_?._", "_[?_]", "_?_:_"}
    return isinstance(node, Ident) or (isinstance(node, Select) and not node.presence)


def _json_name(owner: Type, field: str) -> tuple[str, bool]:
    """Return the JSON name of a field, and whether its owner is an object."""
    if _is_optional(owner) and owner.params:
        owner = owner.params[0]
    known = find_field(owner, field)
    if known is not None:
        return known.json_name, True
    return field, False


def _put(result: dict[Any, Any], key: Any, value: Any) -> None:
    try:
        result[map_key(key)] = value
    except TypeError:
        raise EvaluationError(f"unsupported key type: {runtime_type(key).name}") from None


def _list_with_optionals(items: list[Run], optional: frozenset[int]) -> Run:
    def run(frame: Frame) -> list[Any]:
        frame[COST] += LIST_COST
        result: list[Any] = []
        for place, item in enumerate(items):
            found = item(frame)
            if place not in optional:
                result.append(found)
            elif found.present:
                result.append(found.value)
        return result

    return run
