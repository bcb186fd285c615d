"""Repeats a change after a conflict."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from kubewright._aio import Backoff, Clock
from kubewright.errors import ConflictError

T = TypeVar("T")


async def retry_on_conflict(
    change: Callable[[], Awaitable[T]], *, tries: int = 5, clock: Clock | None = None
) -> T:
    """Call *change* until it does not end in a conflict, at most *tries* times.

    *change* must read the object itself each time: an object read before the conflict is outdated.
    A conflict over the ownership of a field is raised at once, since a retry cannot resolve it.

    Raises:
        ConflictError: The last try ended in a conflict as well.

    Example:
        >>> async def grow() -> Shop:  # doctest: +SKIP
        ...     shop = await client.get(Shop, "corner")
        ...     shop.spec.size += 1
        ...     return await client.update(shop)
        >>> await retry_on_conflict(grow)  # doctest: +SKIP
    """
    clock = clock or Clock()
    backoff = Backoff(base=0.01, factor=1.0, cap=0.01, jitter=0.1, clock=clock)
    for _ in range(tries - 1):
        try:
            return await change()
        except ConflictError as error:
            if error.is_about_ownership:
                raise
            await backoff.wait()
    return await change()
