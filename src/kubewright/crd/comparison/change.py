"""A change, and how bad it is."""

from enum import StrEnum
from typing import Any

import msgspec


class Severity(StrEnum):
    """How bad a change is."""

    BREAKS = "breaks"
    """Stored objects become invalid or lose data, or clients that did nothing wrong fail."""
    RISKY = "risky"
    """It works, but something must be done or known: objects mean something else, for example."""
    SAFE = "safe"
    """Nobody notices, or only those who look for it."""


class Change(msgspec.Struct, frozen=True):
    """One difference between two CRDs.

    Attributes:
        severity: How bad it is.
        rule: What sort of change it is, for programs: ``required-added``.
        text: What changes, and what that does.
        path: The field, such as ``.spec.ports[].name``; empty if it is not about one.
        version: The version of the kind; empty if it is about all of them.
        crd: The name of the CRD.
    """

    severity: Severity
    rule: str
    text: str
    path: str = ""
    version: str = ""
    crd: str = ""


def breaks(rule: str, text: str, path: str = "") -> Change:
    """Return a change that breaks something."""
    return Change(Severity.BREAKS, rule, text, path)


def risky(rule: str, text: str, path: str = "") -> Change:
    """Return a change that somebody must know of."""
    return Change(Severity.RISKY, rule, text, path)


def safe(rule: str, text: str, path: str = "") -> Change:
    """Return a harmless change."""
    return Change(Severity.SAFE, rule, text, path)


def shown(value: Any) -> str:
    """Return a value as JSON, shortened."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 60
