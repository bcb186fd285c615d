"""Adds rules to the call that makes an operator, and changes nothing else of its module.

The text is edited, and not made from the syntax tree: comments and layout stay. The tree says what
the result must mean, and it is parsed and compared before anybody writes it.
"""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kubewright.cli.rbac.imports import Import, rule_import
from kubewright.crd.rbac import PolicyRule
from kubewright.errors import ConfigError

__all__ = ["listed_rules", "with_rules"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A line as Python counts them: a form feed or a separator of Unicode ends none."""
_BESIDE_A_STAR = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


class _Place(NamedTuple):
    """Where the operator is made.

    Attributes:
        text: The text of the module.
        lines: Its lines, with their ends.
        newline: How its lines end.
        tree: What it means.
        call: The call, in the tree.
    """

    text: str
    lines: list[str]
    newline: str
    tree: ast.Module
    call: ast.Call


def with_rules(text: str, name: str, rules: Iterable[PolicyRule], *, place: str = "") -> str | None:
    """Return the source *text* with *rules* added where the operator *name* is made.

    ``None`` if it is not made there.

    Raises:
        ConfigError: There is a comment that would be lost, or the result would not mean what it
            should; the message says what to add.
    """
    added = list(rules)
    if (found := _find_place(text, name)) is None:
        return None
    where = f"{place}:{found.call.lineno}"
    if _has_comments(_segment(found, found.call)):
        raise _refusal(f"{where} has comments, which would be lost", added)
    imported = None if _is_in_text(found) else rule_import(found.tree, found.call)
    written = [_written(rule, imported.name) for rule in added] if imported is not None else []
    changed = _changed(found, imported, written) if imported is not None else text
    if imported is None or not _is_meant(found, imported, written, changed):
        raise _refusal(f"{where} is written so that no change of it is certain to be right", added)
    return changed


def _is_in_text(found: _Place) -> bool:
    """Tell whether the call is in an f-string, which has lines of its own since Python 3.12."""
    texts = (one for one in ast.walk(found.tree) if isinstance(one, ast.JoinedStr))
    return any(found.call is inner for text in texts for inner in ast.walk(text))


def _refusal(why: str, rules: Iterable[PolicyRule]) -> ConfigError:
    return ConfigError(f"{why}: add these rules to rules= of the operator\n{listed_rules(rules)}")


def listed_rules(rules: Iterable[PolicyRule]) -> str:
    """Return *rules* as people would write them, for messages."""
    return "\n".join(f"  {_written(rule, 'PolicyRule')}," for rule in rules)


# --- The place ---


def _find_place(text: str, name: str) -> _Place | None:
    tree = _parsed(text)
    call = next(_makings(tree, name), None) if tree is not None else None
    if tree is None or call is None:
        return None
    lines = _LINE.findall(text)
    newline = next((end for end in ("\r\n", "\n", "\r") if lines[0].endswith(end)), "\n")
    return _Place(text, lines, newline, tree, call)


def _parsed(text: str) -> ast.Module | None:
    """Return the tree, or ``None`` if it is of another version of Python, or a template."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about the user's code, not about our change
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None


def _makings(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else called
        first = node.args[0]
        if called == "Operator" and isinstance(first, ast.Constant) and first.value == name:
            yield node


def _has_comments(source: str) -> bool:
    if "#" not in source:
        return False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(token.type == tokenize.COMMENT for token in tokens)


# --- The change ---


def _changed(found: _Place, imported: Import, rules: Sequence[str]) -> str:
    start, end = _span(found, found.call)
    text = found.text[:start] + _call(found, rules) + found.text[end:]
    if not imported.line:
        return text
    # The import stands before the call, so the lines up to there are still where they were.
    at = sum(map(len, found.lines[: imported.after]))
    return f"{text[:at]}{imported.line}{found.newline}{text[at:]}"


def _call(found: _Place, rules: Sequence[str]) -> str:
    line = found.lines[found.call.lineno - 1]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    inner = indent + "    "
    parts = [_source(found, one) for one in found.call.args]
    before: list[str] = []
    for keyword in found.call.keywords:
        if keyword.arg == "rules":
            before = _elements(found, keyword.value)
        else:
            value = _source(found, keyword.value)
            parts.append(f"{keyword.arg}={value}" if keyword.arg else f"**{value}")
    block = [f"{inner}    {one}," for one in (*before, *rules)]
    parts.append(found.newline.join(["rules=[", *block, f"{inner}]"]))
    listed = [f"{inner}{one}," for one in parts]
    return found.newline.join([f"{_source(found, found.call.func)}(", *listed, f"{indent})"])


def _elements(found: _Place, value: ast.expr) -> list[str]:
    if isinstance(value, ast.List | ast.Tuple):
        return [_source(found, one) for one in value.elts]
    return [_starred(found, value)]


def _source(found: _Place, node: ast.expr) -> str:
    """Return *node* as it is written, in parentheses if it cannot stand without them."""
    if isinstance(node, ast.Starred):
        return _starred(found, node.value)
    segment = _segment(found, node)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = ast.parse(segment, mode="eval").body
    except SyntaxError:
        return f"({segment})"
    return segment if ast.dump(alone) == ast.dump(node) else f"({segment})"


def _starred(found: _Place, value: ast.expr) -> str:
    source = _source(found, value)
    is_simple = isinstance(value, _BESIDE_A_STAR) or source.startswith("(")
    return f"*{source}" if is_simple else f"*({source})"


def _segment(found: _Place, node: ast.expr) -> str:
    start, end = _span(found, node)
    return found.text[start:end]


def _span(found: _Place, node: ast.expr) -> tuple[int, int]:
    """Return where *node* begins and ends, in characters; Python counts bytes."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None

    def at(line: int, column: int) -> int:
        before = sum(map(len, found.lines[: line - 1]))
        return before + len(found.lines[line - 1].encode()[:column].decode(errors="replace"))

    return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)


def _written(rule: PolicyRule, name: str) -> str:
    given = {
        "groups": rule.groups,
        "resources": rule.resources,
        "verbs": rule.verbs,
        "resource_names": rule.resource_names,
        "urls": rule.urls,
    }
    said = [f"{key}={_tuple(value)}" for key, value in given.items() if value]
    if rule.namespace:
        said.append(f"namespace={_quoted(rule.namespace)}")
    return f"{name}({', '.join(said)})"


def _tuple(names: Sequence[str]) -> str:
    listed = ", ".join(map(_quoted, names))
    return f"({listed},)" if len(names) == 1 else f"({listed})"


def _quoted(name: str) -> str:
    escaped = name.encode("unicode_escape").decode().replace('"', '\\"')
    return f'"{escaped}"'


# --- Whether it is right ---


def _is_meant(found: _Place, imported: Import, rules: Sequence[str], changed: str) -> bool:
    """Return whether *changed* differs in the import and in the call, and in nothing else."""
    result = _parsed(changed)
    if result is None or not _compiles(changed):
        return False
    try:
        return ast.dump(result) == ast.dump(_wanted(found, imported, rules))
    except RecursionError:
        return False


def _wanted(found: _Place, imported: Import, rules: Sequence[str]) -> ast.Module:
    """Return what the changed module should mean."""
    tree = _parsed(found.text)
    assert tree is not None
    nodes = zip(ast.walk(found.tree), ast.walk(tree), strict=True)
    call = next(new for old, new in nodes if old is found.call)
    assert isinstance(call, ast.Call)
    elements: list[ast.expr] = []
    others = []
    for keyword in call.keywords:
        if keyword.arg != "rules":
            others.append(keyword)
        elif isinstance(keyword.value, ast.List | ast.Tuple):
            elements = keyword.value.elts
        else:
            elements = [ast.Starred(keyword.value, ast.Load())]
    new = [ast.parse(rule, mode="eval").body for rule in rules]
    call.keywords = [*others, ast.keyword("rules", ast.List([*elements, *new], ast.Load()))]
    if imported.line:
        tree.body[imported.position : imported.position] = ast.parse(imported.line).body
    return tree


def _compiles(text: str) -> bool:
    """Return whether Python takes it: what parses may still have an import in a wrong place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<changed>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True
