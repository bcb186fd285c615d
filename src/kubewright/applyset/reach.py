"""How a set reads and writes its objects: each by one request, and many at a time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

import msgspec

from kubewright import _json
from kubewright.api import requests
from kubewright.api.kind import GroupKind, GroupVersionKind, ObjectKey, RESTMapping
from kubewright.api.requests import METADATA_LIST, Place
from kubewright.applyset.member import ObjectName
from kubewright.applyset.report import Failure
from kubewright.client import Client
from kubewright.errors import (
    KubewrightError,
    NoMatchError,
    TransportError,
    UnauthorizedError,
)

__all__ = ["Found", "Meta", "each", "find_mapping", "found_of", "list_items", "list_metadata"]

T = TypeVar("T")
S = TypeVar("S")

AT_A_TIME: int = 8
"""Requests at a time: a server takes them in its stride, and a large set is done soon."""


class Owner(msgspec.Struct):
    """Whom an object belongs to."""

    uid: str = ""
    controller: bool | None = None


class Meta(msgspec.Struct, rename="camel"):
    """What is read of the objects in a list."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    deletion_timestamp: str | None = None
    finalizers: list[str] | None = None
    owner_references: list[Owner] | None = None


class _Item(msgspec.Struct):
    metadata: Meta = msgspec.field(default_factory=Meta)


class _ListMeta(msgspec.Struct):
    continue_: str = msgspec.field(default="", name="continue")


class _Page(msgspec.Struct):
    items: list[_Item] | None = None
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)


class Found(msgspec.Struct, frozen=True):
    """An object on the server.

    Attributes:
        name: Which object.
        uid: Its identity; one that is made anew under its name has another.
        finalizers: What has to be done before it goes, if it is being deleted.
        controlled: Whether another object owns and controls it.
    """

    name: ObjectName
    uid: str
    finalizers: tuple[str, ...] = ()
    controlled: bool = False


async def each(
    items: Iterable[S], act: Callable[[S], Awaitable[T]], *, name_of: Callable[[S], ObjectName]
) -> tuple[list[T], list[Failure]]:
    """Await *act* for all *items*, several at a time; return the results and failures in order.

    Raises:
        TransportError: The server does not answer; asking for the rest is of no use.
        UnauthorizedError: It does not know us.
    """
    slots = asyncio.Semaphore(AT_A_TIME)

    async def one(item: S) -> T | Failure:
        async with slots:
            try:
                return await act(item)
            except (TransportError, UnauthorizedError):
                raise
            except KubewrightError as error:
                return Failure(name_of(item), error)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    answers = [task.result() for task in tasks]
    return (
        [answer for answer in answers if not isinstance(answer, Failure)],
        [answer for answer in answers if isinstance(answer, Failure)],
    )


async def find_mapping(client: Client, kind: GroupKind | GroupVersionKind) -> RESTMapping | None:
    """Return where *kind* lives; ``None`` if the server does not have it."""
    try:
        return await client.mapper.mapping(kind)
    except NoMatchError:
        return None


async def list_metadata(
    client: Client, mapping: RESTMapping, *, namespace: str = "", labels: str = ""
) -> AsyncIterator[Found]:
    """Yield the objects of a kind in one namespace, or in all.

    Raises:
        NotFoundError: The kind is not served. That does not mean that there are no objects.
    """
    async for meta in list_items(client, mapping, namespace=namespace, labels=labels):
        yield found_of(mapping, meta)


async def list_items(
    client: Client, mapping: RESTMapping, *, namespace: str = "", labels: str = ""
) -> AsyncIterator[Meta]:
    """Yield the metadata of these objects, with more than a `Found` has."""
    place = Place(mapping, namespace)
    token = ""
    while True:
        query = requests.selection(labels=labels, limit=500, continue_=token)
        answer = await client.rest.send(requests.list_(place, query, accept=METADATA_LIST))
        page = _json.decode(answer.body, _Page)
        for item in page.items or ():
            yield item.metadata
        token = page.metadata.continue_
        if not token:
            return


def found_of(mapping: RESTMapping, meta: Meta) -> Found:
    """Return the object that *meta* is of."""
    return Found(
        ObjectName(mapping.gvk, ObjectKey(meta.namespace, meta.name)),
        meta.uid,
        tuple(meta.finalizers or ()),
        any(one.controller for one in meta.owner_references or ()),
    )


def metadata_of(document: Any) -> dict[str, Any]:
    """Return the metadata of an object; empty if there is no object."""
    return (document or {}).get("metadata") or {}
