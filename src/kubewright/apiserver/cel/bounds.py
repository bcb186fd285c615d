"""Lower and upper bounds of sizes and costs."""

import math
from typing import Final, NamedTuple

MOST: Final = 2**64 - 1
"""The largest number; larger ones count as this one."""


class Bounds(NamedTuple):
    """At least *low* and at most *high*."""

    low: int
    high: int

    def plus(self, other: "Bounds") -> "Bounds":
        """Return the sum."""
        return Bounds(min(self.low + other.low, MOST), min(self.high + other.high, MOST))

    def times(self, other: "Bounds") -> "Bounds":
        """Return the product."""
        return Bounds(min(self.low * other.low, MOST), min(self.high * other.high, MOST))

    def scaled(self, factor: float) -> "Bounds":
        """Return the product with a factor, rounded up."""
        return Bounds(_scaled(self.low, factor), _scaled(self.high, factor))

    def union(self, other: "Bounds") -> "Bounds":
        """Return the bounds that cover both."""
        return Bounds(min(self.low, other.low), max(self.high, other.high))


def _scaled(number: int, factor: float) -> int:
    scaled = float(number) * factor
    return MOST if scaled >= 2.0**64 else min(math.ceil(scaled), MOST)


def exactly(number: int) -> Bounds:
    """Return the bounds of a known number."""
    return Bounds(number, number)


NOTHING: Final = exactly(0)
ONE: Final = exactly(1)
UNKNOWN: Final = Bounds(0, MOST)
