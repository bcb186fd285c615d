"""How long certificates of our own are good for."""

from datetime import timedelta

import msgspec

__all__ = ["Lifetimes"]

_NOTICE = timedelta(seconds=5)
_INTERVAL = timedelta(seconds=10)


class Lifetimes(msgspec.Struct, frozen=True, kw_only=True):
    """How long things are good for; each is renewed when two thirds of its life are over.

    Attributes:
        authority: The lifetime of an authority.
        leaf: The lifetime of the certificate that a server shows.
        overlap: How long a new authority is announced before it signs.
    """

    authority: timedelta = timedelta(days=3650)
    leaf: timedelta = timedelta(days=365)
    overlap: timedelta = timedelta(minutes=10)

    @property
    def notice(self) -> timedelta:
        """How long API servers may take to learn of a bundle that was written."""
        return min(_NOTICE, self.overlap)

    @property
    def interval(self) -> timedelta:
        """How often to look at the clock, so that nothing expires between two looks."""
        return min(_INTERVAL, self.leaf / 12, self.overlap / 2)

    @property
    def grace(self) -> timedelta:
        """How long authorities are trusted of which we do not know what they signed."""
        return min(timedelta(days=1), self.leaf)

    def __post_init__(self) -> None:
        if not timedelta() < self.overlap < self.authority / 3:
            raise ValueError(f"{self!r}: the overlap must end before the old authority does")
        # An authority signs until two thirds of its life are over, and is trusted until the last
        # certificate that it signed has expired.
        if not timedelta() < self.leaf <= self.authority / 3:
            raise ValueError(f"{self!r}: a certificate must expire before its authority does")
