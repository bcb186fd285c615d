"""Checks of constants beyond their types: invalid dates, patterns and formats, mixed lists."""

from collections.abc import Iterator

from kubewright.apiserver.cel import regex
from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.conversions import to_duration, to_timestamp
from kubewright.apiserver.cel.errors import EvaluationError, Issue
from kubewright.apiserver.cel.expression import (
    Call,
    Expression,
    ListLiteral,
    Literal,
    MapLiteral,
    children,
)

_PARSED = {"duration": to_duration, "timestamp": to_timestamp}


def check_literals(tree: Expression) -> list[Issue]:
    """Return what is wrong with the constants in a checked tree."""
    issues: list[Issue] = []
    _walk(tree, issues, within_format=False)
    return issues


def _walk(node: Expression, issues: list[Issue], *, within_format: bool) -> None:
    if isinstance(node, Call):
        issues.extend(_call(node))
        within_format = within_format or node.function == "format"
    elif not within_format and isinstance(node, ListLiteral):
        issues.extend(_list(node))
    elif not within_format and isinstance(node, MapLiteral):
        issues.extend(_map(node))
    for child in children(node):
        _walk(child, issues, within_format=within_format)


def _call(node: Call) -> Iterator[Issue]:
    literal = node.args[0] if node.args else None
    if isinstance(literal, Literal) and not _is_valid(node.function, literal.value):
        yield Issue(literal.offset, f"invalid {node.function} argument")
    if node.overloads == ["string_format"]:
        yield from _format(node)


def find_bad_pattern(node: Expression) -> str:
    """Return what is wrong with a constant pattern of ``find`` or ``findAll``, or ``""``.

    The server's checker accepts such a rule, but no program can be made from it.
    """
    if isinstance(node, Call) and node.function in {"find", "findAll"} and node.args:
        pattern = node.args[0]
        if isinstance(pattern, Literal) and isinstance(pattern.value, str):
            return _pattern_problem(pattern.value)
    return next(filter(None, map(find_bad_pattern, children(node))), "")


def _pattern_problem(pattern: str) -> str:
    try:
        regex.compile_regex(pattern)
    except regex.RegexError as error:
        return str(error)
    return ""


def _is_valid(function: str, value: object) -> bool:
    if function == "matches" and isinstance(value, str):
        return not _pattern_problem(value)
    if function in _PARSED:
        try:
            _PARSED[function](value)
        except EvaluationError:
            return False
    return True


def _format(node: Call) -> Iterator[Issue]:
    template, args = node.target, node.args[0]
    if not isinstance(template, Literal) or not isinstance(args, ListLiteral):
        return
    from kubewright.apiserver.cel.library.formatting import FormatError, check_format

    try:
        check_format(template.value, [item.type for item in args.items])
    except FormatError as error:
        offset = node.offset if error.place is None else args.items[error.place].offset
        yield Issue(offset, str(error))


def _plain(found: Type, *, optional: bool) -> Type:
    return found.params[0] if optional and found.params else found


def _list(node: ListLiteral) -> Iterator[Issue]:
    first: Type | None = None
    for place, item in enumerate(node.items):
        found = _plain(item.type, optional=place in node.optional)
        if first is None:
            first = found
        elif first != found:
            yield _mixed(item, first, found)
            return


def _map(node: MapLiteral) -> Iterator[Issue]:
    first: tuple[Type, Type] | None = None
    for entry in node.entries:
        found = entry.key.type, _plain(entry.value.type, optional=entry.optional)
        if first is None:
            first = found
            continue
        if first[0] != found[0]:
            yield _mixed(entry.key, first[0], found[0])
        if first[1] != found[1]:
            yield _mixed(entry.value, first[1], found[1])


def _mixed(node: Expression, wanted: Type, found: Type) -> Issue:
    return Issue(node.offset, f"expected type '{wanted}' but found '{found}'")
