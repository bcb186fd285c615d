"""The states of a watcher, and its requests in each; each value carries its own data."""

import msgspec

PAGE_SIZE: int = 500


class Idle(msgspec.Struct, frozen=True):
    """Not started."""


class Listing(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """Reading a list: nothing is known yet, or the known version is too old to resume from.

    Attributes:
        version: The list must not be older than this.
        page_size: How many objects to ask for at a time, where it is read in pages; 0 for all.
        error: Why this list replaces another one that had begun.
    """

    version: str = ""
    page_size: int = PAGE_SIZE
    error: Exception | None = None


class Watching(msgspec.Struct, frozen=True):
    """Following the changes after *version*."""

    version: str


class Waiting(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """Pausing for *delay* seconds before *then*; the server is busy, or out of reach.

    Attributes:
        then: The state after the pause.
        delay: Seconds.
        error: What broke; ``None`` after a stream that ended by itself, only too soon.
    """

    then: Listing | Watching
    delay: float
    error: Exception | None = None


class Missing(msgspec.Struct, frozen=True):
    """The server does not have the kind, since *since* at the latest; asking again in *delay*."""

    since: float
    delay: float
    error: Exception


class Forgetting(msgspec.Struct, frozen=True):
    """The kind has been missing for so long that its objects, last seen at *version*, are gone."""

    version: str


class Failing(msgspec.Struct, frozen=True):
    """Waiting will not fix it, someone must act; it tries again in *delay* seconds anyway.

    Attributes:
        error: The server's answer.
        delay: Seconds.
        then: The state after the pause.
    """

    error: Exception
    delay: float
    then: Listing | Watching


class Stopped(msgspec.Struct, frozen=True):
    """Stopped; the events so far stay valid."""


Running = Listing | Watching | Waiting | Missing | Forgetting | Failing
State = Idle | Running | Stopped


# --- What to do next ---


class OpenStream(msgspec.Struct, frozen=True):
    """Ask for the changes after *version*.

    Attributes:
        version: Where to go on.
        seconds: How long the server shall keep the stream up.
        initial: Ask for what exists first, ended by a bookmark: a streaming list.
        sharded: Ask for our shard only, if there is one.
    """

    version: str
    seconds: int
    initial: bool
    sharded: bool


class ListPages(msgspec.Struct, frozen=True):
    """Ask for what exists, *page_size* objects at a time; 0 for all at once.

    Attributes:
        page_size: How many objects to ask for at a time.
        sharded: Ask for our shard only, if there is one.
    """

    page_size: int
    sharded: bool


class Pause(msgspec.Struct, frozen=True):
    """Wait for *seconds*."""

    seconds: float


class Forget(msgspec.Struct, frozen=True):
    """Forget all objects; the last that was known of them was *version*."""

    version: str


Step = OpenStream | ListPages | Pause | Forget
