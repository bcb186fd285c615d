"""Errors of compilation and evaluation."""

from collections.abc import Iterable
from typing import NamedTuple

from kubewright.errors import KubewrightError

_MOST_ISSUES = 100  # the server truncates longer reports
_LONGEST_SNIPPET = 16384
_NOWHERE = -1


class Issue(NamedTuple):
    """A problem in the source, at an offset in characters."""

    offset: int
    text: str


class CompileError(KubewrightError):
    """The expression is not valid; the text shows each position as the API server prints it."""

    def __init__(self, source: str, issues: Iterable[Issue]) -> None:
        self.source = source
        self.issues: tuple[Issue, ...] = tuple(sorted(issues, key=lambda issue: issue.offset))
        super().__init__(source, self.issues)

    def __str__(self) -> str:
        shown = [_displayed(self.source, issue) for issue in self.issues[:_MOST_ISSUES]]
        if len(self.issues) > _MOST_ISSUES:
            shown.append(f"{len(self.issues) - _MOST_ISSUES} more errors were truncated")
        return "\n".join(shown)


class EvaluationError(KubewrightError):
    """The expression cannot be evaluated for these variables, such as ``no such key: foo``."""


class CostLimitError(EvaluationError):
    """The expression exceeded its cost limit."""


def nowhere(text: str) -> Issue:
    """Return an issue without a position in the source."""
    return Issue(_NOWHERE, text)


def _displayed(source: str, issue: Issue) -> str:
    if issue.offset == _NOWHERE:
        return f"ERROR: <input>:-1:0: {issue.text}"
    line = source.count("\n", 0, issue.offset) + 1
    start = source.rfind("\n", 0, issue.offset) + 1
    column = issue.offset - start
    head = f"ERROR: <input>:{line}:{column + 1}: {issue.text}"
    snippet = source[start:].split("\n", 1)[0]
    if len(snippet.encode()) > _LONGEST_SNIPPET:
        return head
    snippet = snippet.replace("\t", " ")
    return f"{head}\n | {snippet}\n | {_pointer(snippet, column)}"


def _pointer(snippet: str, column: int) -> str:
    # Wide dots below wide characters keep the arrow aligned.
    dots = "".join("." if char.isascii() else "\uff0e" for char in snippet[:column])
    wide = column < len(snippet) and not snippet[column].isascii()
    return dots + ("\uff3e" if wide else "^")
