"""Many writes at once: carefully first, and then more and more of them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from kubewright.errors import APIError, ForbiddenError, KubewrightError

__all__ = ["is_ending_namespace", "run_all", "said", "slow_start"]

LARGEST: int = 500
"""How many pods one reconcile makes or deletes at most."""


async def slow_start(works: Sequence[Callable[[], Awaitable[object]]]) -> Exception | None:
    """Do all of *works*: one, then two at a time, then four, and so on.

    A quota that is used up, or a template that is refused, then costs one failed request and not
    hundreds.

    Returns:
        What went wrong first; nothing more is begun after it.
    """
    begun, size = 0, 1
    while begun < len(works):
        if failed := await run_all(work() for work in works[begun : begun + size]):
            return failed
        begun += size
        size *= 2
    return None


async def run_all(works: Iterable[Awaitable[object]]) -> Exception | None:
    """Do all of *works* at a time; return what went wrong first, after the last has ended."""
    answers = await asyncio.gather(*works, return_exceptions=True)
    failed = [one for one in answers if isinstance(one, BaseException)]
    for one in failed:
        if not isinstance(one, KubewrightError):
            raise one
    return failed[0] if failed and isinstance(failed[0], Exception) else None


def said(error: Exception) -> str:
    """Return what the server said, as it said it: people look for that text."""
    return (error.status.message if isinstance(error, APIError) else None) or str(error)


def is_ending_namespace(error: Exception | None) -> bool:
    """Say whether a write failed because its namespace goes away, which is nobody's fault."""
    if not isinstance(error, ForbiddenError):
        return False
    details = error.status.details
    causes = (details.causes if details else None) or ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)
