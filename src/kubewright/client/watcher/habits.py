"""`Habits`: what we know about how a server answers."""

_SILENT = 150.0  # seconds without a byte from a server that sends a bookmark every minute
_MOST_SILENT = 600.0  # seconds, where bookmarks turn out to come only with news
_AT_ONCE = 5.0  # seconds in which a new stream delivers what a dead one missed


class Habits:
    """What we know about how a server answers; shared by the watchers of one kind.

    Args:
        streams_lists: Whether it may be asked for a streaming list.
        shards: Whether it may be asked for one shard only.

    Attributes:
        bookmarks: Whether it sends bookmarks, so that its silence means something.
        silence: Seconds without a byte after which a stream of a server that does is dead.
    """

    def __init__(self, *, streams_lists: bool = True, shards: bool = False) -> None:
        self.streams_lists: bool = streams_lists
        self.shards: bool = shards
        self.bookmarks: bool = False
        self.silence: float = _SILENT
        self._in_doubt = False

    def fell_silent(self) -> None:
        """Note that a stream was given up because it was silent.

        Some servers send bookmarks only when there is something new. So the next silence may last
        longer, unless it turns out that this one has hidden an event.
        """
        self.silence = min(2 * self.silence, _MOST_SILENT)
        self._in_doubt = True

    def heard(self, after: float) -> None:
        """Note that a new stream delivered something *after* some seconds."""
        if self._in_doubt:
            self._in_doubt = False
            if after < _AT_ONCE:
                self.silence = _SILENT
