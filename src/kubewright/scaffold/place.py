"""Finds where in the code of an operator a field is declared, for errors about its schema."""

import ast
import inspect
import re
import textwrap
import typing
from collections.abc import Iterable
from pathlib import Path

import msgspec

__all__ = ["place_of"]


def place_of(message: str, kinds: Iterable[type]) -> str:
    """Return the file and line of the field that *message* begins with, such as ``at.py:12``.

    Args:
        message: What is wrong, such as ``At.spec.schedule: ...``.
        kinds: The classes that may be meant.

    Returns:
        The place of the field; that of the class around it, if the field is not found; nothing for
        classes without a file.
    """
    name, *fields = re.split(r"[:\s]", message, maxsplit=1)[0].split(".")
    cls = next((kind for kind in kinds if kind.__name__ == name), None)
    if cls is None:
        return ""
    return _descend(cls, fields)


def _descend(cls: type, fields: list[str]) -> str:
    place = _place(cls, "")
    for field in fields:
        name, inner = _field(cls, field)
        if not name:
            break
        place = _place(cls, name) or place
        if inner is None:
            break
        cls = inner
    return place


def _field(cls: type, wanted: str) -> tuple[str, type | None]:
    """Return the name in Python of the field *wanted*, and the class in its type, if any."""
    wanted = wanted.partition("[")[0]
    for one in msgspec.structs.fields(cls):
        if wanted in {one.name, one.encode_name}:
            return one.name, _class_in(one.type)
    return "", None


def _class_in(annotation: object) -> type | None:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    inner = map(_class_in, typing.get_args(annotation))
    return next((one for one in inner if one is not None), None)


def _place(cls: type, field: str) -> str:
    """Return the file and line of *field* in the class itself or in a base of it."""
    for one in cls.__mro__:
        if not field or field in inspect.get_annotations(one):
            return _lines(one, field)
    return ""


def _lines(cls: type, field: str) -> str:
    try:
        file = inspect.getsourcefile(cls)
        lines, first = inspect.getsourcelines(cls)
    except (OSError, TypeError):
        return ""
    tree = ast.parse(textwrap.dedent("".join(lines)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    at = next((one.lineno for one in body if _declares(one, field)), 1)
    return f"{_short(file or '')}:{first + at - 1}"


def _declares(statement: ast.stmt, field: str) -> bool:
    target = getattr(statement, "target", None)
    return isinstance(target, ast.Name) and target.id == field


def _short(file: str) -> str:
    """Return *file* as the user would type it here."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return file
