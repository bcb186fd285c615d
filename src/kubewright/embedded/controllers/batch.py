"""Batches of writes that start small and grow, as those of Kubernetes' own controllers do."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from kubewright.errors import APIError, ForbiddenError, KubewrightError

__all__ = ["is_ending_namespace", "run_all", "said", "slow_start"]

LARGEST: int = 500
"""The most pods that one reconcile creates or deletes."""


async def slow_start(works: Sequence[Callable[[], Awaitable[object]]]) -> Exception | None:
    """Run all of *works*: one, then two at a time, then four, and so on.

    A quota that is used up, or a template that is refused, then costs one failed request instead of
    hundreds.

    Returns:
        The first error, after which nothing more is started; ``None`` if all went well.
    """
    begun, size = 0, 1
    while begun < len(works):
        if failed := await run_all(work() for work in works[begun : begun + size]):
            return failed
        begun += size
        size *= 2
    return None


async def run_all(works: Iterable[Awaitable[object]]) -> Exception | None:
    """Run all of *works* at once; return the first error, after the last has ended."""
    answers = await asyncio.gather(*works, return_exceptions=True)
    failed = [one for one in answers if isinstance(one, BaseException)]
    for one in failed:
        if not isinstance(one, KubewrightError):
            raise one
    return failed[0] if failed and isinstance(failed[0], Exception) else None


def said(error: Exception) -> str:
    """Return the server's own message, since people search for that text."""
    return (error.status.message if isinstance(error, APIError) else None) or str(error)


def is_ending_namespace(error: Exception | None) -> bool:
    """Return whether a write failed because its namespace is being deleted: not an error."""
    if not isinstance(error, ForbiddenError):
        return False
    details = error.status.details
    causes = (details.causes if details else None) or ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)
