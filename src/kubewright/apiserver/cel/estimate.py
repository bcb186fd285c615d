"""Estimates the worst-case cost of a rule from its schema alone.

The server rejects rules whose worst case is too expensive, given the maximum sizes of lists, maps
and strings in the schema.
"""

from dataclasses import replace
from typing import Final, NamedTuple

from kubewright.apiserver.cel.bounds import MOST, NOTHING, ONE, UNKNOWN, Bounds, exactly
from kubewright.apiserver.cel.call_estimates import Argument, Estimate, estimate_call
from kubewright.apiserver.cel.celtype import STRING, Declared, Type, find_field
from kubewright.apiserver.cel.cost import LIST_COST, MAP_COST, REGEX_FACTOR, STRING_FACTOR
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
from kubewright.apiserver.cel.macros import ACCUMULATOR
from kubewright.apiserver.cel.program import Program
from kubewright.apiserver.cel.schematype import LARGEST_REQUEST

RULE_LIMIT: Final = 10_000_000
"""The limit on the estimated cost of one rule."""
SCHEMA_LIMIT: Final = 100_000_000
"""The limit on the estimated cost of all rules of a CRD together."""
_SCALARS: Final = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})
_KEY: Final = replace(STRING, declared=Declared(from_schema=True))
_MANY: Final = 100
_FEW: Final = 1.5

Path = tuple[str, ...]


def estimate_cost(program: Program) -> Bounds:
    """Return the bounds of the cost of evaluating *program*."""
    return _Estimator(program).cost(program.tree)


def max_cardinality(found: Type) -> int:
    """Return how many values of a type fit into one request; a rule may run once for each."""
    return LARGEST_REQUEST // (found.declared.min_size + 1)


def cost_problem(name: str, cost: int, *, limit: int) -> str:
    """Return the server's message that a cost, such as ``estimated rule cost``, is too high."""
    factor = cost / limit
    if factor > _MANY:
        shown = "more than 100x"
    else:
        shown = f"{factor:f}x" if factor < _FEW else f"{factor:.1f}x"
    return (
        f"{name} exceeds budget by factor of {shown} (try simplifying the rule, or adding"
        " maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )


class _Entry(NamedTuple):
    """The sizes of the keys and values of a list or map."""

    kind: str
    key: Bounds
    value: Bounds

    def union(self, other: "_Entry | None") -> "_Entry | None":
        if other is None:
            return None
        return _Entry(self.kind, self.key.union(other.key), self.value.union(other.value))


class _Local(NamedTuple):
    """A loop variable, or a named value."""

    path: Path
    size: Bounds | None = None
    entry: _Entry | None = None


class _Estimator:
    """Walks a checked tree and records the known sizes of its nodes."""

    def __init__(self, program: Program) -> None:
        self.root = program.variables.get("self")
        self.paths: dict[int, Path] = {}
        self.sizes: dict[int, Bounds] = {}
        self.entries: dict[int, _Entry] = {}
        self.locals: dict[str, list[_Local]] = {}

    def cost(self, node: Expression) -> Bounds:  # noqa: PLR0911  # one answer for each kind
        """Return the cost of evaluating *node*."""
        match node:
            case Ident():
                local = self._local(node.name)
                self.paths[id(node)] = local.path if local else (node.name,)
                return ONE
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListLiteral():
                return self._list(node)
            case MapLiteral():
                return self._map(node)
            case Comprehension():
                return self._binding(node) if node.is_binding() else self._loop(node)
        return NOTHING

    # What is known about sizes.

    def _local(self, name: str) -> _Local | None:
        stack = self.locals.get(name)
        return stack[-1] if stack else None

    def _path(self, node: Expression) -> Path:
        if isinstance(node, Ident) and (local := self._local(node.name)):
            return local.path
        return self.paths.get(id(node), ())

    def _declared_size(self, path: Path) -> Bounds | None:
        """Return the size that the schema allows at *path*."""
        # The server treats any variable at the start of the path as ``self``.
        found: Type | None = self.root if path else None
        for part in path[1:]:
            found = _part(found, part) if found is not None else None
        if found is None or not found.declared.from_schema:
            return None
        return Bounds(0, found.declared.max_elements or 0)

    def _size(self, node: Expression) -> Bounds | None:
        known = self.sizes.get(id(node))
        if known is None:
            known = _literal_size(node)
        if known is None:
            known = self._declared_size(self._path(node))
            if known is not None:
                self.sizes[id(node)] = known
        if known is None and _is_scalar(node.type):
            known = ONE
        if known is None and isinstance(node, Ident) and (local := self._local(node.name)):
            known = local.size
        return known

    def _size_or_unknown(self, node: Expression) -> Bounds:
        size = self._size(node)
        return UNKNOWN if size is None else size

    def _entry(self, node: Expression) -> _Entry | None:
        known = self.entries.get(id(node))
        if known is None and isinstance(node, Ident) and (local := self._local(node.name)):
            return local.entry
        return known

    def _argument(self, node: Expression) -> Argument:
        path = self._path(node)
        if path and path[0] in {ACCUMULATOR, "__result__"}:
            path = ()
        item = node.type.params[0] if node.type.params else None
        size = self._declared_size((*path, "@items")) if path and item is not None else None
        return Argument(node, self._size_or_unknown(node), item, UNKNOWN if size is None else size)

    # Fields and calls.

    def _select(self, node: Select) -> Bounds:
        if node.variable:
            self.paths[id(node)] = (node.variable,)
            return ONE
        cost = self.cost(node.operand)
        if node.presence:
            return cost
        if node.operand.type.kind in {"map", "object", "param"}:
            cost = cost.plus(ONE)
        self.paths[id(node)] = (*self._path(node.operand), node.field)
        return cost

    def _call(self, node: Call) -> Bounds:
        if node.function == "dyn":
            cost = self.cost(node.args[0]).plus(ONE)
            self._copy_sizes(node, node.args[0])
            return cost
        costs = [self.cost(arg) for arg in node.args]
        before = self.cost(node.target) if node.target is not None else NOTHING
        total = Bounds(MOST, 0)
        size: Bounds | None = None
        for overload in node.overloads:
            found = self._overload(node, overload, costs)
            total = total.union(found.cost)
            if found.size is not None:
                size = found.size if size is None else size.union(found.size)
            size = self._indexed(node, overload, size)
            if size is None:
                size = self._size(node)
        if size is not None:
            self.sizes[id(node)] = size
        return before.plus(total)

    def _indexed(self, node: Call, overload: str, size: Bounds | None) -> Bounds | None:
        if overload not in {"index_list", "index_map"}:
            return size
        entry = self._entry(node.args[0])
        part = "@items" if overload == "index_list" else "@values"
        self.paths[id(node)] = (*self._path(node.args[0]), part)
        return entry.value if entry else None

    def _copy_sizes(self, to: Expression, source: Expression) -> None:
        if (size := self._size(source)) is not None:
            self.sizes[id(to)] = size
        if (entry := self._entry(source)) is not None:
            self.entries[id(to)] = entry

    def _overload(self, node: Call, overload: str, costs: list[Bounds]) -> Estimate:
        """Return the cost of a call including its arguments."""
        target = self._argument(node.target) if node.target is not None else None
        args = [self._argument(arg) for arg in node.args]
        found = estimate_call(node.function, overload, target=target, args=args)
        if found is None:
            if overload == "conditional":
                return self._conditional(node, costs)
            if overload in {"logical_and", "logical_or"}:
                return Estimate(Bounds(costs[0].low, _sum(costs).high))
            found = self._standard(node, overload, target, args)
        return Estimate(found.cost.plus(_sum(costs)), found.size)

    def _conditional(self, node: Call, costs: list[Bounds]) -> Estimate:
        first, second = node.args[1:]
        entry = self._entry(first)
        joined = entry.union(self._entry(second)) if entry else None
        if joined is not None:
            self.entries[id(node)] = joined
        size = self._size_or_unknown(first).union(self._size_or_unknown(second))
        return Estimate(costs[0].plus(costs[1].union(costs[2])), size)

    def _standard(  # noqa: C901, PLR0911  # one answer for each overload
        self, node: Call, overload: str, target: Argument | None, args: list[Argument]
    ) -> Estimate:
        """Estimate a function or operator of the language."""
        sizes = [arg.size for arg in args]
        match overload:
            case "string_format" if target:
                return Estimate(target.size.scaled(STRING_FACTOR))
            case "string_to_bytes":
                size = Bounds(sizes[0].low, sizes[0].high * 4 % 2**64)
                return Estimate(sizes[0].scaled(STRING_FACTOR), size)
            case "bytes_to_string":
                size = Bounds(sizes[0].low // 4, sizes[0].high)
                return Estimate(sizes[0].scaled(STRING_FACTOR), size)
            case "strings_quote":
                size = Bounds(sizes[0].low + 2, (sizes[0].high * 2 + 2) % 2**64)
                return Estimate(sizes[0].scaled(STRING_FACTOR), size)
            case "starts_with_string" | "ends_with_string":
                return Estimate(sizes[0].scaled(STRING_FACTOR))
            case "in_list":
                return Estimate(sizes[1].scaled(1))
            case "matches_string" if target:
                text = target.size.plus(ONE).scaled(STRING_FACTOR)
                return Estimate(text.times(sizes[0].scaled(REGEX_FACTOR)))
            case "contains_string" if target:
                text = target.size.scaled(STRING_FACTOR)
                return Estimate(text.times(sizes[0].scaled(STRING_FACTOR)))
            case "add_string" | "add_bytes" | "add_list":
                return self._added(node, overload, sizes[0].plus(sizes[1]))
        if _is_comparison(overload):
            high = min(sizes[0].high, sizes[1].high)
            return Estimate(Bounds(min(high, 1), high).scaled(STRING_FACTOR))
        return Estimate(ONE)

    def _added(self, node: Call, overload: str, size: Bounds) -> Estimate:
        entry = self._entry(node.args[0])
        joined = entry.union(self._entry(node.args[1])) if entry else None
        if joined is not None:
            self.entries[id(node)] = joined
        return Estimate(ONE if overload == "add_list" else size.scaled(STRING_FACTOR), size)

    # Lists, maps and loops.

    def _list(self, node: ListLiteral) -> Bounds:
        cost, item = exactly(LIST_COST), Bounds(MOST if node.items else 0, 0)
        for each in node.items:
            cost = cost.plus(self.cost(each))
            item = item.union(self._size_or_unknown(each))
        self.entries[id(node)] = _Entry("list", ONE, item)
        return cost

    def _map(self, node: MapLiteral) -> Bounds:
        cost, key = exactly(MAP_COST), Bounds(MOST if node.entries else 0, 0)
        value = key
        for entry in node.entries:
            cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            key = key.union(self._size_or_unknown(entry.key))
            value = value.union(self._size_or_unknown(entry.value))
        self.entries[id(node)] = _Entry("map", key, value)
        return cost

    def _push(self, name: str, local: _Local) -> None:
        self.locals.setdefault(name, []).append(local)

    def _push_value(self, name: str, node: Expression) -> None:
        self._push(name, _Local(self._path(node), self._size(node), self._entry(node)))

    def _iterated(self, over: Expression, *, values: bool) -> _Local:
        """Return what is known about a loop variable: a key or a value."""
        entry = self._entry(over)
        is_list = (entry.kind if entry else over.type.kind) == "list"
        if values:
            part = "@items" if is_list else "@values"
        else:
            part = "@indices" if is_list else "@keys"
        size = None if entry is None else (entry.value if values else entry.key)
        return _Local((*self._path(over), part), size)

    def _loop(self, node: Comprehension) -> Bounds:
        over = node.iterated
        cost = self.cost(over).plus(self.cost(node.initial))
        self._push_value(node.accumulator, node.initial)
        entry = self._entry(over)
        is_list = (entry.kind if entry else over.type.kind) == "list"
        if node.variable2:
            self._push(node.variable, self._iterated(over, values=False))
            self._push(node.variable2, self._iterated(over, values=True))
        else:
            self._push(node.variable, self._iterated(over, values=is_list))
        each = self.cost(node.condition).plus(self.cost(node.step))
        self.locals[node.variable].pop()
        if node.variable2:
            self.locals[node.variable2].pop()
        cost = cost.plus(self.cost(node.result))
        self.locals[node.accumulator].pop()
        count = self._size_or_unknown(over)
        self._keep_result(node, count)
        return cost.plus(count.times(each))

    def _keep_result(self, node: Comprehension, count: Bounds) -> None:
        if isinstance(node.initial, Literal):
            if (size := self._size(node.initial)) is not None:
                self.sizes[id(node)] = size
            return
        self.sizes[id(node)] = count
        if (entry := self._entry(node.step)) is not None:
            self.entries[id(node)] = entry

    def _binding(self, node: Comprehension) -> Bounds:
        cost = self.cost(node.iterated).plus(self.cost(node.initial))
        self._push_value(node.accumulator, node.initial)
        cost = cost.plus(self.cost(node.result))
        self.locals[node.accumulator].pop()
        self._copy_sizes(node, node.result)
        return cost


def _sum(costs: list[Bounds]) -> Bounds:
    total = NOTHING
    for cost in costs:
        total = total.plus(cost)
    return total


def _part(found: Type, part: str) -> Type | None:
    """Return the type of a part of a declared type."""
    if part in {"@items", "@values"}:
        return found.params[-1] if found.params else None
    if part == "@keys":
        return _KEY if found.kind == "map" else None
    field = find_field(found, part)
    return field.type if field else None


def _literal_size(node: Expression) -> Bounds | None:
    if isinstance(node, Literal):
        return exactly(len(node.value) if isinstance(node.value, str | bytes) else 1)
    if isinstance(node, ListLiteral):
        return exactly(len(node.items))
    return exactly(len(node.entries)) if isinstance(node, MapLiteral) else None


def _is_scalar(found: Type) -> bool:
    if found.name == "optional_type" and found.params:
        return _is_scalar(found.params[0])
    return found.kind in _SCALARS


def _is_comparison(overload: str) -> bool:
    if overload in {"equals", "not_equals"}:
        return True
    relation, _, kind = overload.rpartition("_")
    relations = {"less", "greater", "less_equals", "greater_equals"}
    return relation in relations and kind in {"string", "bytes"}
