"""The states of a reflector; each carries what belongs to it, and nothing else."""

import msgspec


class Idle(msgspec.Struct, frozen=True):
    """Not started."""


class Listing(msgspec.Struct, frozen=True):
    """Nothing is known yet, or what was known is too old to go on from."""


class Watching(msgspec.Struct, frozen=True):
    """Following the changes after *version*."""

    version: str


class Waiting(msgspec.Struct, frozen=True):
    """Pausing for *delay* seconds before *then*; the server is busy, or out of reach."""

    then: Listing | Watching
    delay: float


class Missing(msgspec.Struct, frozen=True):
    """The server does not have the kind, since *since* at the latest; asking again in *delay*."""

    since: float
    delay: float


class Failing(msgspec.Struct, frozen=True):
    """The server refuses, and will until somebody acts; asking again in *delay* seconds."""

    error: Exception
    delay: float


class Stopped(msgspec.Struct, frozen=True):
    """Cancelled; the store keeps its last contents."""


Running = Listing | Watching | Waiting | Missing | Failing
State = Idle | Running | Stopped
