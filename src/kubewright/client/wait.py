"""Waits until an object has the wanted state, by watching it instead of polling."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, TypeVar, overload

from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.client.client import Client
from kubewright.client.target import Dynamic, key_of
from kubewright.errors import GoneError

R = TypeVar("R", bound=Resource)


@overload
async def wait_for(
    client: Client, kind: type[R], name: str | ObjectKey, until: Callable[[R | None], bool], *,
    namespace: str | None = None, timeout: float | None = None, clock: Clock | None = None,
) -> R | None: ...  # fmt: skip
@overload
async def wait_for(
    client: Client, kind: Dynamic, name: str | ObjectKey,
    until: Callable[[Unstructured | None], bool], *,
    namespace: str | None = None, timeout: float | None = None, clock: Clock | None = None,
) -> Unstructured | None: ...  # fmt: skip
async def wait_for(  # noqa: PLR0913  # what, which, until when
    client: Client,
    kind: Any,
    name: str | ObjectKey,
    until: Callable[[Any], bool],
    *,
    namespace: str | None = None,
    timeout: float | None = None,  # the word people know from kubectl wait
    clock: Clock | None = None,
) -> Any:
    """Return the object as soon as *until* says so; ``None`` stands for "there is none".

    Args:
        client: Where to look.
        kind: Its class, a `Kind`, or a name such as ``"deploy"``.
        name: Its name, ``namespace/name`` or key.
        until: Tells whether the state is reached; called with ``None`` while there is no object.
        namespace: Its namespace; the client's own by default.
        timeout: Seconds after which to give up; never by default.
        clock: The source of time; the client's by default.

    Raises:
        TimeoutError: The state was not reached in time.
        KubewrightError: The server refused, or could not be reached to begin with.

    Example:
        >>> await wait_for(client, Pod, "web", lambda pod: pod is None)  # doctest: +SKIP
    """
    key = key_of(name, namespace)
    clock = clock or client.clock
    bound = clock.timeout(timeout)
    states = _States(client, kind, ObjectKey(key.namespace or client.namespace, key.name))
    try:
        async with bound, aclosing(states.follow()) as following:
            async for current in following:
                if until(current):
                    return current
    except TimeoutError as error:
        if not bound.expired:
            raise  # a single request took too long, or *until* said so
        raise TimeoutError(f"{states} after {timeout} s; {states.last_seen}") from error


class _States:
    """The states of one object, from now on; ``None`` while there is none."""

    def __init__(self, client: Client, kind: Any, key: ObjectKey) -> None:
        self._client = client
        self._kind = kind
        self._key = key
        self.last_seen = "the server did not answer"

    def __str__(self) -> str:
        kind = self._kind.__name__ if isinstance(self._kind, type) else self._kind
        return f"gave up waiting for {kind} {str(self._key)!r}"

    async def follow(self) -> AsyncGenerator[Any, None]:
        while True:
            try:
                async with aclosing(self._follow_once()) as states:
                    async for state in states:
                        yield state
            except GoneError:
                continue  # too long ago to resume: look again

    async def _follow_once(self) -> AsyncGenerator[Any, None]:
        namespace = self._key.namespace
        only = {"metadata.name": self._key.name}
        listed = await self._client.list(self._kind, namespace=namespace, fields=only)
        yield self._seen(listed[0] if listed else None, listed.resource_version)
        async with self._client.watch(
            self._kind, namespace=namespace, fields=only, resource_version=listed.resource_version
        ) as events:
            async for event in events:
                state = None if event.type == "DELETED" else event.object
                yield self._seen(state, event.resource_version)

    def _seen(self, state: Any, version: str) -> Any:
        what = "there was no such object" if state is None else f"last seen at version {version}"
        self.last_seen = what
        return state
