"""`Finding`: what a validator has to say, and about which line of which file."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

from kubewright.bundle.document import Document

__all__ = ["Finding", "Level", "error", "has_errors", "to_json", "warning"]


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """Something that is wrong.

    Attributes:
        level: Whether it fails the check.
        message: What is wrong, and what to do about it.
        path: The file, or the folder.
        line: The line in it; 0 if it is not about one.
        validator: Which check found it.
    """

    level: Level
    message: str
    path: str
    line: int = 0
    validator: str = ""

    def __str__(self) -> str:
        where = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{where}: {self.message}"


def error(document: Document, path: Iterable[str | int], message: str) -> Finding:
    """Return a finding about a field of *document* that fails the check."""
    return Finding(Level.ERROR, message, document.path, document.line(*path))


def warning(document: Document, path: Iterable[str | int], message: str) -> Finding:
    """Return a finding about a field of *document* that does not fail the check."""
    return Finding(Level.WARNING, message, document.path, document.line(*path))


def has_errors(findings: Iterable[Finding]) -> bool:
    """Tell whether the check has failed."""
    return any(one.level is Level.ERROR for one in findings)


def to_json(findings: Iterable[Finding]) -> dict[str, Any]:
    """Return *findings* in the format ``json-alpha1`` of operator-sdk."""
    found = list(findings)
    outputs = [{"type": one.level.value, "message": str(one)} for one in found]
    return {"passed": not has_errors(found), "outputs": outputs or None}
