"""What clients have sent and nobody has answered yet, over all connections.

A request is read wholly before anybody knows who sent it. So it is the sum that must be bounded,
and not what each of thousands of clients may send.
"""

from typing import Protocol


class Sender(Protocol):
    """A connection in the middle of a request."""

    def give_way(self) -> None:
        """Refuse the request, and let go of what has come of it."""
        ...


class Intake:
    """Counts bytes; beyond *limit*, the request that has been coming in for longest is refused.

    Attributes:
        held: How many bytes there are.
    """

    __slots__ = ("_limit", "_senders", "held")

    def __init__(self, limit: int) -> None:
        self.held: int = 0
        self._limit = limit
        self._senders: dict[Sender, None] = {}  # in the order in which they began

    def began(self, sender: Sender) -> None:
        """Hear that *sender* has sent a part of a request; the first time counts."""
        self._senders.setdefault(sender)

    def ended(self, sender: Sender) -> None:
        """Hear that its request is whole, or will never be."""
        self._senders.pop(sender, None)

    def change(self, size: int) -> None:
        """Hold *size* bytes more, or less if it is negative."""
        self.held += size
        while self.held > self._limit and self._senders:
            # Who means it is done within moments, so the oldest is the one that stalls.
            oldest = next(iter(self._senders))
            self.ended(oldest)
            oldest.give_way()
