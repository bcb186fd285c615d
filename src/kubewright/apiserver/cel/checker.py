"""Type checker: finds the type of every part of an expression, and the overload of each call."""

from collections.abc import Mapping

from kubewright.apiserver.cel import objects
from kubewright.apiserver.cel.celtype import (
    BOOL,
    DYN,
    ERROR,
    IDENTIFIERS,
    INT,
    Type,
    find_field,
    list_of,
    map_of,
    optional_of,
    param,
    type_of_type,
)
from kubewright.apiserver.cel.declarations import Overload, find_overloads
from kubewright.apiserver.cel.errors import Issue
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
    children,
)
from kubewright.apiserver.cel.unification import Bindings, assignable, more_general, substitute
from kubewright.apiserver.cel.values import runtime_type

_LOGICAL = frozenset({"_&&_", "_||_"})


class Checker:
    """Walks a tree once and sets types; collects *issues* and the *used* variables."""

    def __init__(self, variables: Mapping[str, Type], *, messages: bool = False) -> None:
        self.variables = variables
        self._messages = messages
        self.issues: list[Issue] = []
        self.used: set[str] = set()
        self._scopes: list[dict[str, Type]] = []
        self._bindings: Bindings = {}
        self._free = 0

    def check(self, tree: Expression) -> None:
        """Check the whole tree."""
        self._check(tree)
        self._settle(tree)

    def _settle(self, node: Expression) -> None:
        """Replace type parameters that are still free by ``dyn``."""
        node.type = substitute(self._bindings, node.type, free_to_dyn=True)
        for child in children(node):
            self._settle(child)

    def _report(self, offset: int, text: str) -> Type:
        self.issues.append(Issue(offset, text))
        return ERROR

    def _undeclared(self, offset: int, name: str) -> Type:
        return self._report(offset, f"undeclared reference to '{name}' (in container '')")

    def _fits(self, left: Type, right: Type) -> bool:
        bindings = assignable(self._bindings, [left], [right])
        if bindings is None:
            return False
        self._bindings = bindings
        return True

    def _resolved(self, found: Type) -> Type:
        return substitute(self._bindings, found)

    def _fresh(self) -> Type:
        self._free += 1
        return param(f"_var{self._free - 1}")

    def _check(self, node: Expression) -> Type:
        match node:
            case Literal():
                node.type = runtime_type(node.value)
            case Ident():
                node.type = self._check_ident(node)
            case Select():
                node.type = self._resolved(self._check_select(node))
            case Call():
                node.type = self._check_call(node)
            case ListLiteral():
                node.type = self._check_list(node)
            case MapLiteral():
                node.type = self._check_map(node)
            case Message():
                node.type = self._check_message(node)
            case Comprehension():
                node.type = self._check_comprehension(node)
        return node.type

    # Names.

    def _local(self, name: str) -> Type | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _global(self, name: str) -> Type | None:
        if name in self.variables:
            self.used.add(name)
            return self.variables[name]
        return type_of_type(IDENTIFIERS[name]) if name in IDENTIFIERS else None

    def _check_ident(self, node: Ident) -> Type:
        absolute = node.name.startswith(".")
        name = node.name.removeprefix(".")
        found = None if absolute else self._local(name)
        return found or self._global(name) or self._undeclared(node.offset, node.name)

    def _check_select(self, node: Select) -> Type:
        name = _qualified(node)
        if name and self._local(name.split(".")[0]) is None:
            found = self._global(name.removeprefix("."))
            if found is not None:
                node.variable = name.removeprefix(".")
                return found
        found = self._check_field(node.offset, node.operand, node.field)
        return BOOL if node.presence else found

    def _check_field(self, offset: int, operand: Expression, field: str) -> Type:
        """Return the type of a field; for an optional object, it is optional, too."""
        target = self._resolved(self._check(operand))
        optional = target.name == "optional_type" and bool(target.params)
        if optional:
            target = target.params[0]
        found = self._check_field_of(offset, target, field)
        return optional_of(found) if optional else found

    def _check_field_of(self, offset: int, target: Type, field: str) -> Type:
        if target.kind == "map":
            return target.params[1]
        if target.kind == "object":
            known = find_field(target, field)
            if known is not None:
                return known.type
            return self._report(offset, f"undefined field '{field}'")
        if target.kind == "param":
            self._fits(DYN, target)
        elif not target.is_wild():
            self._report(offset, f"type '{target}' does not support field selection")
        return DYN

    # Calls.

    def _check_call(self, node: Call) -> Type:
        if node.function == "_?._":
            return self._check_optional_select(node)
        for argument in node.args:
            self._check(argument)
        if node.target is not None:
            self._untarget(node)
        if node.target is not None:
            self._check(node.target)
        overloads = find_overloads(node.function.removeprefix("."))
        if overloads is None:
            return self._undeclared(node.offset, node.function)
        node.function = node.function.removeprefix(".")
        if node.function in _LOGICAL:
            return self._check_logical(node)
        return self._resolve(node, overloads)

    def _untarget(self, node: Call) -> None:
        """Turn ``sets.contains(…)`` into a call of that name, not of a method of ``sets``."""
        assert node.target is not None
        prefix = _qualified(node.target)
        full = f"{prefix}.{node.function}".removeprefix(".") if prefix else ""
        if full and find_overloads(full) is not None:
            node.function, node.target = full, None

    def _check_optional_select(self, node: Call) -> Type:
        operand, field = node.args
        assert isinstance(field, Literal)
        field.type = runtime_type(field.value)
        found = self._check_field(node.offset, operand, field.value)
        node.overloads = ["select_optional_field"]
        return found if found.name == "optional_type" else optional_of(found)

    def _check_logical(self, node: Call) -> Type:
        result = BOOL
        for argument in node.args:
            if not self._fits(argument.type, BOOL):
                found = self._resolved(argument.type)
                self._report(argument.offset, f"expected type 'bool' but found '{found}'")
                result = ERROR
        node.overloads = ["logical_and" if node.function == "_&&_" else "logical_or"]
        return result

    def _resolve(self, node: Call, overloads: list[Overload]) -> Type:
        types = [operand.type for operand in node.operands]
        result: Type | None = None
        for overload in overloads:
            if overload.is_member != (node.target is not None):
                continue
            found = self._match(overload, types)
            if found is None:
                continue
            node.overloads.append(overload.id)
            if result is None:
                result = found
            elif result.kind != "dyn" and result != found:
                result = DYN
        return result or self._no_overload(node, types)

    def _match(self, overload: Overload, types: list[Type]) -> Type | None:
        """Return the result type of *overload* for these arguments, or ``None``."""
        wanted, result = overload.args, overload.result
        if overload.params:
            fresh = {name: self._fresh() for name in sorted(overload.params)}
            wanted = tuple(substitute(fresh, each) for each in wanted)
            result = substitute(fresh, result)
        bindings = assignable(self._bindings, types, wanted)
        if bindings is None:
            return None
        self._bindings = bindings
        return self._resolved(result)

    def _no_overload(self, node: Call, types: list[Type]) -> Type:
        shown = [str(substitute(self._bindings, each, free_to_dyn=True)) for each in types]
        target = f"{shown.pop(0)}." if node.target is not None else ""
        applied = f"'{target}({', '.join(shown)})'"
        text = f"found no matching overload for '{node.function}' applied to {applied}"
        return self._report(node.offset, text)

    # Literals of lists, maps and messages.

    def _join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        return more_general(previous, current) if self._fits(previous, current) else DYN

    def _check_member(self, node: Expression, *, optional: bool) -> Type:
        found = self._check(node)
        if not optional:
            return found
        if found.name == "optional_type" and found.params:
            return found.params[0]
        if found.kind != "dyn":
            text = f"expected type '{optional_of(found)}' but found '{found}'"
            self._report(node.offset, text)
        return found

    def _check_list(self, node: ListLiteral) -> Type:
        joined: Type | None = None
        for place, item in enumerate(node.items):
            joined = self._join(joined, self._check_member(item, optional=place in node.optional))
        return list_of(joined or self._fresh())

    def _check_map(self, node: MapLiteral) -> Type:
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            key = self._join(key, self._check(entry.key))
            value = self._join(value, self._check_member(entry.value, optional=entry.optional))
        return map_of(key or self._fresh(), value or self._fresh())

    def _check_object(self, node: Message, message: Type) -> Type:
        for entry in node.entries:
            value = self._check_member(entry.value, optional=entry.optional)
            assert isinstance(entry.key, Literal)
            wanted = objects.field_type(message, entry.key.value)
            if wanted is None:
                self._report(entry.offset, f"undefined field '{entry.key.value}'")
            elif not (wanted.is_wild() or value.is_wild() or self._resolved(value) == wanted):
                text = f"expected type of field '{entry.key.value}' is '{wanted}' but provided type"
                self._report(entry.offset, f"{text} is '{value}'")
        return message

    def _check_message(self, node: Message) -> Type:
        name = node.name.removeprefix(".")
        if self._messages and (message := objects.message_type(name)) is not None:
            return self._check_object(node, message)
        found = self._global(name)
        if found is None:
            return self._undeclared(node.offset, node.name)
        if found.kind != "type":
            return self._report(node.offset, f"'{found.name}' is not a type")
        # No other named type can be constructed.
        self._report(node.offset, f"'{name}' is not a message type")
        for entry in node.entries:
            self._check(entry.value)
            self._report(entry.offset, f"unexpected failed resolution of '{name}'")
        return ERROR

    # Loops.

    def _check_comprehension(self, node: Comprehension) -> Type:
        self._check(node.iterated)
        accumulated = self._check(node.initial)
        types = self._check_iteration(node)
        self._scopes.append({node.accumulator: accumulated})
        self._scopes.append(types)
        self._check(node.condition)
        self._expect(node.condition, BOOL)
        self._check(node.step)
        self._expect(node.step, accumulated)
        self._scopes.pop()
        result = self._check(node.result)
        self._scopes.pop()
        return self._resolved(result)

    def _check_iteration(self, node: Comprehension) -> dict[str, Type]:
        """Return the types of the variables of a loop."""
        over = self._resolved(node.iterated.type)
        if over.kind == "list":
            first, second = INT, over.params[0]
        elif over.kind == "map":
            first, second = over.params
        else:
            first = second = self._check_unknown_iteration(node, over)
        if node.variable2:
            return {node.variable: first, node.variable2: second}
        return {node.variable: second if over.kind == "list" else first}

    def _check_unknown_iteration(self, node: Comprehension, over: Type) -> Type:
        if over.is_wild() or over.kind == "param":
            self._fits(DYN, over)
            return DYN
        text = f"expression of type '{over}' cannot be range of a comprehension"
        return self._report(node.iterated.offset, f"{text} (must be list, map, or dynamic)")

    def _expect(self, node: Expression, wanted: Type) -> None:
        if not self._fits(wanted, node.type):
            shown, found = self._resolved(wanted), self._resolved(node.type)
            self._report(node.offset, f"expected type '{shown}' but found '{found}'")


def _qualified(node: Expression) -> str:
    """Return ``a.b.c`` if the node is only that, else ``""``."""
    parts: list[str] = []
    while isinstance(node, Select) and not node.presence:
        parts.append(node.field)
        node = node.operand
    if not isinstance(node, Ident):
        return ""
    return ".".join([node.name, *reversed(parts)])
