"""How long each version of Kubernetes gets patches, as far as it was announced at `AS_OF`."""

from datetime import date, timedelta
from typing import NamedTuple

__all__ = ["AS_OF", "NEWEST", "OLDEST_TESTED", "Minor", "end_of_support", "minor_of"]

AS_OF: date = date(2026, 11, 1)
"""When this table was last compared with the project's release page."""

OLDEST_TESTED: int = 20
"""The oldest minor version that this package is tested with, as 1.x."""

_ENDS = {
    20: date(2022, 2, 28), 21: date(2022, 6, 28), 22: date(2022, 10, 28), 23: date(2023, 2, 28),
    24: date(2023, 7, 28), 25: date(2023, 10, 28), 26: date(2024, 2, 28), 27: date(2024, 6, 28),
    28: date(2024, 10, 28), 29: date(2025, 2, 28), 30: date(2025, 6, 28), 31: date(2025, 10, 28),
    32: date(2026, 2, 28), 33: date(2026, 6, 28), 34: date(2026, 10, 27), 35: date(2027, 2, 28),
    36: date(2027, 6, 28), 37: date(2027, 10, 28),
}  # fmt: skip

NEWEST: int = max(_ENDS)
"""The newest minor version in the table."""

SOON: timedelta = timedelta(days=60)
"""How long before the end of support it is mentioned."""


class Minor(NamedTuple):
    """A version without its patch level, such as 1.31."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


def minor_of(version: str) -> Minor | None:
    """Return the minor version in a text such as ``v1.31.4+k3s1``, or ``None``.

    Example:
        >>> str(minor_of("v1.31.4-gke.12"))
        '1.31'
    """
    parts = version.removeprefix("v").split(".")
    try:
        return Minor(int(parts[0]), int(parts[1].partition("+")[0]))
    except (IndexError, ValueError):
        return None


def end_of_support(version: Minor) -> date | None:
    """Return when *version* got, or gets, its last patch; ``None`` for those that are newer."""
    if version.major != 1 or version.minor > NEWEST:
        return None
    return _ENDS.get(version.minor, min(_ENDS.values()))
