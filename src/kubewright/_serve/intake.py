"""Counts the bytes of unanswered requests, over all connections.

A request is read completely before the server knows who sent it. So the sum must be bounded, not
only what each of thousands of clients may send.
"""

from typing import Protocol


class Sender(Protocol):
    """A connection in the middle of a request."""

    def give_way(self) -> None:
        """Refuse the request, and drop the part that has arrived."""
        ...


class Intake:
    """Counts bytes; beyond *limit*, it refuses the request that has been arriving for longest.

    Attributes:
        held: The number of bytes.
    """

    __slots__ = ("_limit", "_senders", "held")

    def __init__(self, limit: int) -> None:
        self.held: int = 0
        self._limit = limit
        self._senders: dict[Sender, None] = {}  # in the order in which they began

    def begin(self, sender: Sender) -> None:
        """Note that *sender* has sent a part of a request; only the first call counts."""
        self._senders.setdefault(sender)

    def end(self, sender: Sender) -> None:
        """Note that the request of *sender* is complete, or was given up."""
        self._senders.pop(sender, None)

    def change(self, size: int) -> None:
        """Add *size* bytes; a negative number takes them away."""
        self.held += size
        while self.held > self._limit and self._senders:
            # An honest client is done within moments, so the oldest is the one that stalls.
            oldest = next(iter(self._senders))
            self.end(oldest)
            oldest.give_way()
