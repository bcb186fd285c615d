"""Prints what validators have found."""

import json
from collections.abc import Sequence

from kubewright.bundle.finding import Finding, Level, has_errors, to_json

__all__ = ["report"]


def report(findings: Sequence[Finding], *, output: str = "text", passed: str = "") -> int:
    """Print *findings*, errors first; return the exit status.

    Args:
        findings: What was found.
        output: ``text`` or ``json-alpha1``.
        passed: What to say if there is no error.
    """
    ordered = sorted(findings, key=lambda one: one.level is not Level.ERROR)
    if output == "json-alpha1":
        print(json.dumps(to_json(ordered), indent=4, ensure_ascii=False))  # noqa: T201  # the result
        return int(has_errors(ordered))
    for one in ordered:
        print(f"{one.level.value:<7}  {one}")  # noqa: T201  # the result
    if has_errors(ordered):
        return 1
    if passed:
        print(passed)  # noqa: T201  # the result
    return 0
