"""What is wrong with the input, before anybody knows in which file it stands."""

from collections.abc import Iterator
from contextlib import contextmanager

from kubewright.errors import ConfigError

__all__ = ["ProblemError", "telling", "within"]


class ProblemError(Exception):
    """Something does not fit; whoever knows the file and the field makes a `ConfigError` of it.

    Attributes:
        why: What is wrong.
        line: Where in its text; 0 if that is not known.
    """

    def __init__(self, why: str, *, line: int = 0) -> None:
        super().__init__(why)
        self.why = why
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why

    def at(self, where: str) -> str:
        """Return what is wrong, after *where* and the line."""
        line = f", line {self.line}" if self.line else ""
        return f"{where}{line}: {self.why}"


@contextmanager
def within(what: str) -> Iterator[None]:
    """Put *what* before what problems say; nothing if it is empty."""
    try:
        yield
    except ProblemError as problem:
        if not what:
            raise
        raise ProblemError(problem.at(what)) from problem


@contextmanager
def telling(where: str) -> Iterator[None]:
    """Turn problems into errors that begin with *where*: a file, perhaps a line and a field."""
    try:
        yield
    except ProblemError as problem:
        raise ConfigError(problem.at(where)) from problem
