"""Waiting until an object is as you want it, by watching it instead of asking again and again."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar

from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.client.target import key_of
from kubewright.errors import GoneError

if TYPE_CHECKING:
    from kubewright.client.client import Client

R = TypeVar("R", bound=Resource)


async def wait_for(  # noqa: PLR0913  # what, which, until when
    client: "Client",
    kind: type[R],
    name: str | ObjectKey,
    until: Callable[[R | None], bool],
    *,
    namespace: str | None = None,
    timeout: float | None = None,  # noqa: ASYNC109  # the word people know from kubectl wait
    clock: Clock | None = None,
) -> R | None:
    """Return the object as soon as *until* says so; ``None`` stands for "there is none".

    Args:
        client: Where to look.
        kind: Its class.
        name: Its name, ``namespace/name`` or key.
        until: Says whether this state is the one; called with ``None`` while there is no object.
        namespace: Its namespace; the client's own unless given.
        timeout: Seconds after which to give up; never unless given.
        clock: Where time comes from.

    Raises:
        TimeoutError: The state was not reached in time.
        KubewrightError: The server refused, or could not be reached to begin with.

    Example:
        >>> await wait_for(client, Pod, "web", lambda pod: pod is None)  # doctest: +SKIP
    """
    key = key_of(name, namespace)
    clock = clock or Clock()
    bound = clock.timeout(timeout)
    try:
        async with bound:
            return await _follow(client, kind, key, until)
    except TimeoutError as error:
        if not bound.expired:
            raise  # a single request took too long, or *until* said so
        raise TimeoutError(
            f"gave up waiting for {kind.__name__} {str(key)!r} after {timeout} s"
        ) from error


async def _follow(
    client: "Client", kind: type[R], key: ObjectKey, until: Callable[[R | None], bool]
) -> R | None:
    while True:
        try:
            return await _follow_once(client, kind, key, until)
        except GoneError:
            continue  # too long ago to resume: look again


async def _follow_once(
    client: "Client", kind: type[R], key: ObjectKey, until: Callable[[R | None], bool]
) -> R | None:
    namespace = key.namespace or client.namespace
    only = {"metadata.name": key.name}
    listed = await client.list(kind, namespace=namespace, fields=only)
    current = listed[0] if listed else None
    if until(current):
        return current
    watch = client.watch(
        kind, namespace=namespace, fields=only, resource_version=listed.resource_version
    )
    async with watch, aclosing(aiter(watch)) as events:
        async for event in events:
            current = None if event.type == "DELETED" else event.object
            if until(current):
                return current
    raise AssertionError("a watch does not end")
