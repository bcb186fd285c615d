"""What the sources define, without importing them: where a name comes from, what a class has."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "kubewright"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef | ast.AnnAssign | ast.Assign


@dataclass(frozen=True)
class Module:
    """A source file, parsed."""

    name: str
    lines: list[bytes]
    """With their ends, in bytes: that is what positions in the tree count."""
    tree: ast.Module

    def source(self, node: ast.expr | None) -> str:
        """Return *node* as it is written, on one line."""
        if node is None:
            return ""
        text = self._segment(node)
        text = re.sub(r"\s*#.*$", "", text, flags=re.MULTILINE) if "\n" in text else text
        text = re.sub(r"\s+", " ", text)
        return re.sub(r",? ([)\]}])", r"\1", re.sub(r"([(\[{]) ", r"\1", text))

    def _segment(self, node: ast.expr) -> str:
        """Return what `ast.get_source_segment` returns, which splits the whole file each time."""
        assert node.end_lineno is not None
        found = self.lines[node.lineno - 1 : node.end_lineno]
        found[-1] = found[-1][: node.end_col_offset]  # first: it may be the same line
        found[0] = found[0][node.col_offset :]
        return b"".join(found).decode()

    def annotation(self, node: ast.expr | None) -> str:
        """Return an annotation as it is written; one in quotes without them."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self.source(node)


@dataclass(frozen=True)
class Found:
    """Where a name is defined, and how."""

    module: Module
    name: str
    node: Definition
    doc: str


@cache
def module(name: str) -> Module | None:
    """Return the module of that name, if it is one of ours."""
    base = ROOT.joinpath("src", *name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            text = path.read_bytes()
            return Module(name, text.splitlines(keepends=True), ast.parse(text))
    return None


def packages() -> list[str]:
    """Return the public packages: ``kubewright`` and those of one more word."""
    folder = ROOT / "src" / PACKAGE
    found = [path for path in folder.glob("[a-z]*") if path.suffix == ".py" or _is_package(path)]
    return [PACKAGE, *sorted(f"{PACKAGE}.{path.stem}" for path in found)]


def _is_package(path: Path) -> bool:
    return (path / "__init__.py").is_file()


def exports(where: Module) -> list[str]:
    """Return the names in ``__all__``."""
    for node in where.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "__all__":
            names: list[str] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            return names
    return []


def find(where: Module, name: str) -> Found | None:
    """Return the definition of *name* in *where*, or where it is imported from."""
    for node, doc in statements(where.tree.body):
        # Overloads have no docstring; what they are signatures of comes after them.
        if isinstance(node, Definition) and name in _names(node) and not is_overload(node):
            return Found(where, name, node, doc)
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                origin = module(node.module)
                if name == (alias.asname or alias.name) and origin is not None:
                    return find(origin, alias.name)
    return None


def statements(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement with its docstring: its own, or the text behind an assignment."""
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.If):
            yield from statements(node.body)
        if isinstance(node, Function | ast.ClassDef):
            yield node, ast.get_docstring(node) or ""
        else:
            yield node, _text(after)


def _text(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return inspect.cleandoc(str(node.value.value))
    return ""


def _names(node: Definition) -> set[str]:
    if isinstance(node, Function | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


@dataclass(frozen=True)
class Member:
    """Something in a class: a method, a property, a field."""

    where: Module
    nodes: list[Definition]
    doc: str


def members(found: Found, public: frozenset[str]) -> dict[str, Member]:
    """Return the public members of a class, and of its bases that have no entry of their own."""
    assert isinstance(found.node, ast.ClassDef)
    result: dict[str, Member] = {}
    for base in reversed(found.node.bases):
        word = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(word, ast.Name) and word.id not in public:
            inherited = find(found.module, word.id)
            if inherited and isinstance(inherited.node, ast.ClassDef):
                result |= members(inherited, public)
    for node, doc in statements([*found.node.body, *_assigned(found.node)]):
        if isinstance(node, Definition):
            for name in _names(node):
                if name == "__init__" or not name.startswith("_"):
                    before = result.get(name)
                    more = before.nodes if before and is_overload(before.nodes[-1]) else []
                    result[name] = Member(found.module, [*more, node], doc)
    return result


def _assigned(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """Yield what ``__init__`` declares and describes: ``self.url: str = …`` with a docstring."""
    for method in node.body:
        if isinstance(method, Function) and method.name == "__init__":
            for statement, after in zip(method.body, method.body[1:], strict=False):
                target = statement.target if isinstance(statement, ast.AnnAssign) else None
                if isinstance(target, ast.Attribute) and _text(after):
                    assert isinstance(statement, ast.AnnAssign)
                    yield ast.AnnAssign(ast.Name(target.attr), statement.annotation, None, 1)
                    yield after


def _decorators(node: Definition) -> set[str]:
    listed = node.decorator_list if isinstance(node, Function) else []
    return {ast.unparse(one).rpartition(".")[2] for one in listed}


def is_overload(node: Definition) -> bool:
    """Tell whether it is one of several signatures, for type checkers."""
    return "overload" in _decorators(node)


def is_property(node: Definition) -> bool:
    """Tell whether it is read without a call."""
    return bool(_decorators(node) & {"property", "cached_property"})
