"""The import of `PolicyRule` in somebody else's module: under which name, and in which place."""

import ast
from collections.abc import Iterator
from itertools import chain, count
from typing import NamedTuple

__all__ = ["Import", "rule_import"]

_MODULE = "kubewright.crd"
_CLASS = "PolicyRule"


class Import(NamedTuple):
    """How the module says `PolicyRule`.

    Attributes:
        name: Under which name.
        line: The import to add; empty if it is there.
        after: The number of the line after which it goes.
        position: How many statements of the module stand before it.
    """

    name: str
    line: str = ""
    after: int = 0
    position: int = 0


def rule_import(tree: ast.Module, call: ast.Call) -> Import | None:
    """Return how *call* can name the class, or ``None`` if there is no place for an import.

    A name that the module uses for something else is left to that: both `kubewright.crd` and
    `kubewright.kinds.rbac.v1` have a PolicyRule.
    """
    before = _statements_before(tree, call)
    taken = list(_names(tree))
    if (known := _find_known(tree.body[:before], taken)) is not None:
        return Import(known)
    if (index := _find_index(tree.body, before)) is None:
        return None
    after = _last_line(tree.body[index - 1]) if index else _first_line(tree.body[0]) - 1
    is_free = _CLASS not in taken and "*" not in taken
    name = _CLASS if is_free else next(one for one in _others() if one not in taken)
    line = f"from {_MODULE} import {_CLASS}{'' if is_free else f' as {name}'}"
    return Import(name, line, after, index)


def _others() -> Iterator[str]:
    yield "OperatorRule"
    for number in count(2):
        yield f"OperatorRule{number}"


def _statements_before(tree: ast.Module, call: ast.Call) -> int:
    """Return how many statements stand before the one that has *call*."""
    return next(at for at, one in enumerate(tree.body) if any(n is call for n in ast.walk(one)))


def _find_known(statements: list[ast.stmt], taken: list[str]) -> str | None:
    """Return the name that is imported already, if it means nothing else anywhere."""
    stars = [at for at, one in enumerate(statements) if _is_star(one)]
    for at, one in enumerate(statements):
        if not isinstance(one, ast.ImportFrom) or one.module != _MODULE or one.level:
            continue
        for alias in one.names:
            name = alias.asname or alias.name
            is_hidden = any(star > at for star in stars) or taken.count(name) > 1
            if alias.name == _CLASS and not is_hidden:
                return name
    return None


def _is_star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield each name as often as something in *tree* binds it; read ones, if nothing does."""
    bound: set[str] = set()
    for name in _bound(tree):
        bound.add(name)
        yield name
    read = (one.id for one in ast.walk(tree) if isinstance(one, ast.Name))
    yield from {name for name in read if name not in bound}


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name


def _find_index(body: list[ast.stmt], before: int) -> int | None:
    """Return among which statements the import goes, each of them on lines of its own."""
    least = _least(body)
    places = [at for at in range(least, before + 1) if _is_between_lines(body, at)]
    wanted = max(_wanted(body[:before]), least)
    below = [at for at in places if at <= wanted]
    return below[-1] if below else next(iter(places), None)


def _least(body: list[ast.stmt]) -> int:
    """Return how many statements must stay first: the docstring, and imports from the future."""
    has_text = bool(body) and isinstance(body[0], ast.Expr) and _is_text(body[0].value)
    future = [
        at
        for at, one in enumerate(body, 1)
        if isinstance(one, ast.ImportFrom) and one.module == "__future__"
    ]
    return max(chain([int(has_text)], future))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _wanted(statements: list[ast.stmt]) -> int:
    """Return where a sorter of imports would put it."""
    imports = [
        (at, one)
        for at, one in enumerate(statements, 1)
        if isinstance(one, ast.Import | ast.ImportFrom)
    ]
    ours = [at for at, one in imports if _is_before(one)]
    return ours[-1] if ours else next((at for at, _ in reversed(imports)), 0)


def _is_before(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return any(one.name.partition(".")[0] == "kubewright" for one in node.names)
    module = node.module or ""
    return module.partition(".")[0] == "kubewright" and module <= _MODULE


def _is_between_lines(body: list[ast.stmt], at: int) -> bool:
    return not 0 < at < len(body) or _last_line(body[at - 1]) < _first_line(body[at])


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
