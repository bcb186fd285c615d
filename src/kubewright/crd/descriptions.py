"""Descriptions: the docstring of a class, and the string under a field.

Python keeps the docstring of a class but not the string under a field, so the source is read once
more. Where there is no source (a frozen program, a prompt), there are no field descriptions.
"""

import ast
import inspect
import re
import sys
from functools import lru_cache
from weakref import WeakKeyDictionary

_OURS = ("kubewright.api.", "kubewright.kinds.")
_known: WeakKeyDictionary[type, dict[str, str]] = WeakKeyDictionary()

ClassDocs = dict[str, dict[str, str]]


def description_of(cls: type) -> str:
    """Return the docstring of *cls*, or nothing; ours describe Python, not the API."""
    if cls.__module__.startswith(_OURS):
        return ""
    return inspect.cleandoc(cls.__dict__.get("__doc__") or "").rstrip()


def field_descriptions(cls: type) -> dict[str, str]:
    """Return the strings under the fields of *cls*, including its bases, by Python name."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base is not object and not base.__module__.startswith((*_OURS, "msgspec")):
            found.update(_own_descriptions(base))
    return found


def remember(cls: type, descriptions: dict[str, str]) -> None:
    """Set the descriptions of the fields of *cls*, for a class that has no source file."""
    _known[cls] = descriptions


def _own_descriptions(cls: type) -> dict[str, str]:
    if cls not in _known:
        _known[cls] = _read(cls)
    return _known[cls]


def _read(cls: type) -> dict[str, str]:
    module = sys.modules.get(cls.__module__)
    try:
        source = inspect.getsource(module) if module else ""
    except (OSError, TypeError):
        return {}
    fields = getattr(cls, "__struct_fields__", ())
    candidates = [
        {name: text for name, text in docs.items() if name in fields}
        for name, docs in classes_in(source)
        if name == cls.__qualname__
    ]
    # A class may be defined twice, in two branches of an `if`: then take the best match.
    return max(reversed(candidates), key=len, default={})


@lru_cache(maxsize=64)
def classes_in(source: str) -> list[tuple[str, dict[str, str]]]:
    """Return the qualified name of each class in *source* with the strings under its fields."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return list(_walk(tree, ""))


def _walk(node: ast.AST, prefix: str) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = prefix + child.name
            found += [(name, _strings_in(child)), *_walk(child, f"{name}.")]
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found += _walk(child, f"{prefix}{child.name}.<locals>.")
        else:
            found += _walk(child, prefix)
    return found


def _strings_in(node: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            text = after.value.value
            if isinstance(text, str) and text.strip():
                found[field.target.id] = inspect.cleandoc(text).rstrip()
    return found


def shortened(description: str, limit: int) -> str:
    """Return *description* in at most *limit* characters, cut after a sentence or a word.

    Example:
        >>> shortened("Runs a command. Once.", 18)
        'Runs a command.'
    """
    if len(description) <= limit:
        return description
    cut = description[:limit]
    ends = [found.end() for found in re.finditer(r"\.(?=\s|$)", cut)]
    if ends:
        return cut[: ends[-1]]
    if description[limit].isspace():
        return cut.rstrip()
    return cut.rsplit(None, 1)[0] if " " in cut else cut
