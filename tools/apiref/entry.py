"""The entry of one name: its signature, its docstring, and what is in it."""

import ast
import re
from collections.abc import Iterator

from tools.apiref.markdown import code, joined, prose
from tools.apiref.source import (
    Definition,
    Found,
    Function,
    Member,
    Module,
    is_overload,
    is_property,
    members,
    statements,
)

WIDTH = 96


def class_entry(found: Found, public: frozenset[str]) -> Iterator[str]:
    """Yield the lines about a class: its head with fields, its docstring, its methods."""
    assert isinstance(found.node, ast.ClassDef)
    inside = members(found, public)
    bases = ", ".join(found.module.source(base) for base in found.node.bases)
    head = f"class {found.name}({bases})" if bases else f"class {found.name}"
    body = [line for name, one in inside.items() for line in _in_head(name, one)]
    yield from code(f"{head}:\n" + "\n".join(body) if body else f"{head}: ...", "a signature")
    yield from prose(found.doc)
    fields = {name: one for name, one in inside.items() if not isinstance(one.nodes[-1], Function)}
    described = [f"- `{name}`: {joined(one.doc)}" for name, one in fields.items() if one.doc]
    if described:
        yield from ("Fields:", "", *described, "")
    for name, one in inside.items():
        if name not in fields and name != "__init__":
            yield from method_entry(found.name, name, one)


def _in_head(name: str, one: Member) -> Iterator[str]:
    node = one.nodes[-1]
    if name == "__init__" and isinstance(node, Function):
        yield signature(one.where, node, indent="    ")
    elif isinstance(node, ast.AnnAssign):
        value = f" = {one.where.source(node.value)}" if node.value else ""
        line = f"    {name}: {one.where.annotation(node.annotation)}{value}"
        yield line if len(line) <= WIDTH else line.removesuffix(value) + (" = ..." if value else "")


def method_entry(owner: str, name: str, one: Member) -> Iterator[str]:
    """Yield the lines about a method or property of a class."""
    node = one.nodes[-1]
    assert isinstance(node, Function)
    if is_property(node):
        yield from (f"### `{owner}.{name}`", "")
        yield from (f"*Property*: `{one.where.annotation(node.returns)}`", "")
    else:
        yield from (f"### `{owner}.{name}()`", "")
        yield from code(_signatures(one.where, one.nodes, bare=True), "a signature")
    yield from prose(one.doc)


def _signatures(where: Module, nodes: list[Definition], *, bare: bool = False) -> str:
    """Return the overloads of a function, or what it is without any."""
    overloads = [node for node in nodes if is_overload(node)] or nodes[-1:]
    heads = [signature(where, node, bare=bare) for node in overloads if isinstance(node, Function)]
    return "\n".join(heads)


def function_entry(found: Found) -> Iterator[str]:
    """Yield the lines about a function, with all its overloads."""
    same = [
        (node, doc)
        for node, doc in statements(found.module.tree.body)
        if isinstance(node, Function) and node.name == found.name
    ]
    yield from code(_signatures(found.module, [node for node, _ in same]), "a signature")
    yield from prose(same[-1][1])


def constant_entry(found: Found) -> Iterator[str]:
    """Yield the lines about a constant or an alias."""
    assert isinstance(found.node, ast.AnnAssign | ast.Assign)
    value = found.module.source(found.node.value)
    annotation = found.node.annotation if isinstance(found.node, ast.AnnAssign) else None
    kind = f": {found.module.annotation(annotation)}" if annotation else ""
    told = "" if re.search(r"\b_", value) else f" = {value}"  # how it is made is ours to change
    yield from code(f"{found.name}{kind}{told}", "a definition")
    yield from prose(found.doc)


def signature(where: Module, node: Function, *, indent: str = "", bare: bool = False) -> str:
    """Return the head of a function, wrapped where it is long."""
    parameters = list(_parameters(where, node.args))
    if bare and parameters and parameters[0] in ("self", "cls"):
        parameters = parameters[1:]
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {where.annotation(node.returns)}" if node.returns else ""
    line = f"{indent}{word} {node.name}({', '.join(parameters)}){result}: ..."
    if len(line) <= WIDTH:
        return line
    inner = "".join(f"{indent}    {parameter},\n" for parameter in parameters)
    return f"{indent}{word} {node.name}(\n{inner}{indent}){result}: ..."


def _parameters(where: Module, args: ast.arguments) -> Iterator[str]:
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    for place, (arg, default) in enumerate(zip(positional, defaults, strict=True), 1):
        yield _parameter(where, arg, default)
        if place == len(args.posonlyargs):
            yield "/"
    if args.vararg:
        yield "*" + _parameter(where, args.vararg, None)
    elif args.kwonlyargs:
        yield "*"
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield _parameter(where, arg, default)
    if args.kwarg:
        yield "**" + _parameter(where, args.kwarg, None)


def _parameter(where: Module, arg: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {where.annotation(arg.annotation)}" if arg.annotation else ""
    if default is None:
        return arg.arg + annotation
    return f"{arg.arg}{annotation}{' = ' if annotation else '='}{where.source(default)}"
