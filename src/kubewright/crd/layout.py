"""The layout of generated source: what ``ruff format`` leaves as it is.

Only what generated classes consist of is known here: decorators, fields, docstrings, and the
expressions in them. Whatever does not fit on a line is broken at every comma of its outermost
brackets, with a comma at the end, so formatters leave it broken at any longer line length.
"""

import ast
import inspect
from collections.abc import Callable, Iterator

from kubewright.crd.spelling import docstring

LINE_LENGTH: int = 88
_STEP = "    "


def formatted(source: str, *, line_length: int = LINE_LENGTH) -> str:
    r"""Return the classes in *source*, laid out, with two empty lines between them.

    Example:
        >>> print(formatted("class A(kw.Model):\n    size: Literal['S', 'L']"))
        class A(kw.Model):
            size: Literal["S", "L"]
    """
    printer = _Printer(line_length)
    found = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return "\n\n\n".join("\n".join(printer.class_lines(node)) for node in found)


def names_in(source: str) -> frozenset[str]:
    """Return the names that *source* uses, other than in texts."""
    return frozenset(
        one.id
        for one in ast.walk(ast.parse(source))
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    )


def string(text: str) -> str:
    r"""Return *text* as a formatter writes it, raw if that spares backslashes.

    Example:
        >>> print(string("it's"), string('a "b"'), string("^\\d+$"))
        "it's" 'a "b"' r"^\d+$"
    """
    if "\\" in text and text.isprintable() and not text.endswith("\\"):
        for quote in ('"', "'"):
            if quote not in text:
                return f"r{quote}{text}{quote}"
    quote = "'" if text.count('"') > text.count("'") else '"'
    # After a double quote, repr escapes none of them and all of the other sort.
    body = repr('"' + text)[2:-1].replace("\\'", "'")
    return quote + body.replace(quote, "\\" + quote) + quote


class _Printer:
    def __init__(self, line_length: int) -> None:
        self._line_length = line_length

    def class_lines(self, node: ast.ClassDef) -> Iterator[str]:
        for decorator in node.decorator_list:
            yield from self._expression(decorator, "", head="@", tail="")
        bases = ", ".join(_flat(base) for base in node.bases)
        if self._fits(line := f"class {node.name}({bases}):"):
            yield line
        else:
            yield from (f"class {node.name}(", f"{_STEP}{bases}", "):")
        body = list(node.body)
        if text := ast.get_docstring(node):
            yield docstring(text.rstrip(), _STEP)
            body = body[1:]
            if body:
                yield ""
        yield from self._body(body)

    def _body(self, body: list[ast.stmt]) -> Iterator[str]:
        was_described = False
        for index, node in enumerate(body):
            if isinstance(node, ast.Expr):
                yield docstring(_text_of(node), _STEP)
                continue
            # A field with a text under it stands apart from its neighbours.
            described = any(isinstance(one, ast.Expr) for one in body[index + 1 : index + 2])
            if index and (described or was_described):
                yield ""
            was_described = described
            if isinstance(node, ast.AnnAssign):
                yield from self._field(node)
            else:
                yield f"{_STEP}pass"

    def _field(self, node: ast.AnnAssign) -> Iterator[str]:
        name = f"{_flat(node.target)}: "
        value = "" if node.value is None else f" = {_flat(node.value)}"
        annotation = _flat(node.annotation)
        if self._fits(_STEP + name + annotation + value):
            yield _STEP + name + annotation + value
        elif node.value is not None and self._breaks_value(node, f"{name}{annotation} = "):
            is_union = isinstance(node.annotation, ast.BinOp)
            yield from self._value(node.value, f"{name}{annotation} = ", always=is_union)
        else:
            yield from self._annotation(node.annotation, name, node.value)

    def _breaks_value(self, node: ast.AnnAssign, head: str) -> bool:
        """Tell whether the value is broken rather than the annotation."""
        assert node.value is not None
        if isinstance(node.annotation, ast.Subscript) and not _is_breakable(node.value):
            return False
        return self._fits(f"{_STEP}{head}(")

    def _value(self, node: ast.expr, head: str, *, always: bool) -> Iterator[str]:
        """Yield a field whose annotation fits on the line, and whose value does not.

        A text goes to a line of its own if it fits there, or *always*: after a union.
        """
        if _is_breakable(node) and self._fits(f"{_STEP}{head}{_parts(node)[0]}"):
            yield from self._expression(node, _STEP, head=head, tail="")
        elif always or _is_breakable(node) or self._fits(f"{_STEP * 2}{_flat(node)}"):
            yield f"{_STEP}{head}("
            yield from self._expression(node, _STEP * 2, head="", tail="")
            yield f"{_STEP})"
        else:
            yield f"{_STEP}{head}{_flat(node)}"

    def _annotation(self, node: ast.expr, head: str, value: ast.expr | None) -> Iterator[str]:
        """Yield a field whose annotation does not fit on the line."""
        if isinstance(node, ast.Subscript):
            lines = list(self._broken(node, _STEP, head=head, tail=""))
        elif isinstance(node, ast.BinOp) or self._fits(f"{_STEP * 2}{_flat(node)}"):
            inner = self._expression(node, _STEP * 2, head="", tail="")
            lines = [f"{_STEP}{head}(", *inner, f"{_STEP})"]
        else:
            lines = [f"{_STEP}{head}{_flat(node)}"]
        if value is None:
            yield from lines
            return
        yield from lines[:-1]
        last = f"{lines[-1].removeprefix(_STEP)} = "
        if self._fits(f"{_STEP}{last}{_flat(value)}") or _is_breakable(value):
            yield from self._expression(value, _STEP, head=last, tail="")
        else:
            yield f"{_STEP}{last}{_flat(value)}"

    def _expression(self, node: ast.expr, indent: str, *, head: str, tail: str) -> Iterator[str]:
        """Yield *node* on one line if it fits, and else on many."""
        line = f"{indent}{head}{_flat(node)}{tail}"
        if self._fits(line) or not (_is_breakable(node) or isinstance(node, ast.BinOp)):
            yield line
        else:
            yield from self._broken(node, indent, head=head, tail=tail)

    def _broken(self, node: ast.expr, indent: str, *, head: str, tail: str) -> Iterator[str]:
        """Yield *node* on many lines."""
        if isinstance(node, ast.BinOp):
            yield from self._expression(node.left, indent, head=head, tail="")
            yield from self._expression(node.right, indent, head="| ", tail=tail)
        else:
            opening, parts, closing = _parts(node)
            yield f"{indent}{head}{opening}"
            comma = "" if isinstance(node, ast.Subscript) and len(parts) == 1 else ","
            for name, part in parts:
                yield from self._expression(part, indent + _STEP, head=name, tail=comma)
            yield f"{indent}{closing}{tail}"

    def _fits(self, line: str) -> bool:
        return len(line) <= self._line_length


def _text_of(node: ast.Expr) -> str:
    assert isinstance(node.value, ast.Constant)
    return inspect.cleandoc(str(node.value.value)).rstrip()


def _is_breakable(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return bool(node.args or node.keywords)
    if isinstance(node, ast.List):
        return bool(node.elts)
    return isinstance(node, ast.Subscript) or (isinstance(node, ast.Dict) and bool(node.keys))


def _parts(node: ast.expr) -> tuple[str, list[tuple[str, ast.expr]], str]:
    """Return what *node* begins with, its parts and what stands before each, and its end."""
    if isinstance(node, ast.Call):
        named = [(f"{one.arg}=", one.value) for one in node.keywords]
        return f"{_flat(node.func)}(", [*(("", one) for one in node.args), *named], ")"
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return f"{_flat(node.value)}[", [("", one) for one in inner], "]"
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return "{", [(f"{_flat(key)}: ", value) for key, value in pairs if key is not None], "}"
    assert isinstance(node, ast.List)
    return "[", [("", one) for one in node.elts], "]"


def _flat(node: ast.expr) -> str:
    """Return *node* on one line."""
    return _FLAT[type(node)](node)


def _flat_constant(node: ast.Constant) -> str:
    if isinstance(node.value, str):
        return string(node.value)
    if node.value is Ellipsis:
        return "..."
    return repr(node.value).replace("e+", "e")


def _flat_brackets(node: ast.expr) -> str:
    opening, parts, closing = _parts(node)
    return opening + ", ".join(name + _flat(part) for name, part in parts) + closing


_FLAT: dict[type[ast.expr], Callable[..., str]] = {
    ast.Attribute: lambda node: f"{_flat(node.value)}.{node.attr}",
    ast.BinOp: lambda node: f"{_flat(node.left)} | {_flat(node.right)}",
    ast.Call: _flat_brackets,
    ast.Constant: _flat_constant,
    ast.Dict: _flat_brackets,
    ast.List: _flat_brackets,
    ast.Name: lambda node: node.id,
    ast.Subscript: _flat_brackets,
    ast.UnaryOp: lambda node: f"-{_flat(node.operand)}",
}
