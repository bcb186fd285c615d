"""`Finding`: one thing that a check has seen, in words for somebody who is tired."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

__all__ = ["Finding", "Severity", "error", "fine", "info", "named", "warning"]


class Severity(StrEnum):
    """How bad it is; the order is that of a report."""

    ERROR = "error"
    """Something does not work now."""
    WARNING = "warning"
    """Something will stop working, or does less than it should."""
    INFO = "info"
    """Good to know; the cluster is healthy all the same."""
    FINE = "fine"
    """A check has found nothing wrong."""

    @property
    def rank(self) -> int:
        """Its place in a report, the worst first."""
        return list(Severity).index(self)


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong, why it matters, and what mends it.

    Attributes:
        severity: How bad it is.
        subject: What it is about, such as ``deployment/shop in namespace shops``.
        what: What is wrong, in plain words.
        why: What follows from it for users.
        mend: The commands that mend it, one after the other, or that show more where only people
            can decide.
        causes: The subjects of other findings that would explain this one: with that mended, this
            is. The first that there is counts.
        check: The check that has found it.
        consequences: What else is wrong because of it.
        background: Whether it only helps to understand others: alone it is not worth a word.
    """

    severity: Severity
    subject: str
    what: str
    why: str = ""
    mend: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    check: str = ""
    consequences: tuple[str, ...] = ()
    background: bool = False


def named(kind: str, name: str, namespace: str = "") -> str:
    """Return how findings name an object.

    Example:
        >>> named("deployment", "shop", "shops")
        'deployment/shop in namespace shops'
    """
    return f"{kind}/{name} in namespace {namespace}" if namespace else f"{kind}/{name}"


def error(
    subject: str, what: str, *, why: str = "", mend: Iterable[str] = (), causes: Iterable[str] = ()
) -> Finding:
    """Return a finding of something that does not work."""
    return _finding(Severity.ERROR, subject, what, why=why, mend=mend, causes=causes)


def warning(
    subject: str, what: str, *, why: str = "", mend: Iterable[str] = (), causes: Iterable[str] = ()
) -> Finding:
    """Return a finding of something that will not work for long, or not well."""
    return _finding(Severity.WARNING, subject, what, why=why, mend=mend, causes=causes)


def info(
    subject: str, what: str, *, why: str = "", mend: Iterable[str] = (), background: bool = False
) -> Finding:
    """Return a hint; with *background*, it is shown beside other findings only."""
    found = _finding(Severity.INFO, subject, what, why=why, mend=mend)
    return msgspec.structs.replace(found, background=background)


def fine(what: str) -> Finding:
    """Return that something is as it should be."""
    return Finding(severity=Severity.FINE, subject="", what=what)


def _finding(  # the parts of a finding
    severity: Severity,
    subject: str,
    what: str,
    *,
    why: str,
    mend: Iterable[str],
    causes: Iterable[str] = (),
) -> Finding:
    return Finding(
        severity=severity,
        subject=subject,
        what=what,
        why=why,
        mend=tuple(mend),
        causes=tuple(causes),
    )
