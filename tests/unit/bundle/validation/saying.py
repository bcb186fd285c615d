"""What validators say, in one form for all their tests."""

from collections.abc import Iterable

from kubewright.bundle.finding import Finding

__all__ = ["said"]


def said(findings: Iterable[Finding]) -> list[str]:
    """Return the findings as lines: the level, the file without its folder, and what is wrong."""
    return [f"{one.level}: {str(one).removeprefix('bundle/')}" for one in findings]
