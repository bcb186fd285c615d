"""The states of a reflector; each carries what belongs to it, and nothing else."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Idle:
    """Not started."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Nothing is known yet, or what was known is too old to go on from."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Following the changes after *version*."""

    version: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Pausing for *delay* seconds before *then*; the server is busy, or out of reach."""

    then: Listing | Watching
    delay: float


@dataclass(frozen=True, slots=True)
class Missing:
    """The server does not have the kind, since *since* at the latest; asking again in *delay*."""

    since: float
    delay: float


@dataclass(frozen=True, slots=True)
class Failing:
    """The server refuses, and will until somebody acts; asking again in *delay* seconds."""

    error: Exception
    delay: float


@dataclass(frozen=True, slots=True)
class Stopped:
    """Cancelled; the store keeps its last contents."""


Running = Listing | Watching | Waiting | Missing | Failing
State = Idle | Running | Stopped
