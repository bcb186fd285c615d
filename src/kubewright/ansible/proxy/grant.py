"""`Grant`: what one run may do through the proxy, for as long as it lasts."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from kubewright import _json
from kubewright._serve.messages import Request
from kubewright.ansible.proxy.owner import Owner
from kubewright.ansible.proxy.place import Place, is_true
from kubewright.errors import DecodeError

if TYPE_CHECKING:
    from kubewright.ansible.children import Children
    from kubewright.client import Client

__all__ = ["Grant"]

_SUCCESS = range(200, 300)
_Result = TypeVar("_Result")


class Grant(msgspec.Struct, eq=False):
    """The way of one run to the API server.

    Attributes:
        token: What the run shows; nobody else knows it.
        client: Where its requests go.
        owner: The object that it is for.
        children: What belongs to the object, which learns what the run writes and reads.
        inject_owners: Whether what it makes gets the object as its owner.
    """

    token: str
    client: "Client"
    owner: Owner
    children: "Children"
    inject_owners: bool = True
    _ended: asyncio.Event = msgspec.field(default_factory=asyncio.Event)

    def end(self) -> None:
        """Stop all that `unless_ended` waits for."""
        self._ended.set()

    async def unless_ended(self, work: Awaitable[_Result]) -> _Result | None:
        """Return what *work* does, or ``None`` as soon as the run has ended."""
        tasks = asyncio.ensure_future(work), asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return tasks[0].result() if tasks[0].done() else None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def note_answer(self, request: Request, place: Place, status: int, body: bytes) -> None:
        """Learn from an answer what the run has made, and what it has read."""
        if is_true(request, "dryRun"):
            return
        document = _document(body) if status in _SUCCESS else {}
        if request.method == "DELETE":
            if status in _SUCCESS:
                self._note_deletion(request, place, document)
            return
        is_whole = "uid" in (document.get("metadata") or {}) and not place.subresource
        if is_whole and place.is_child and self.owner.owns(document):
            self.children.note(document)
            return
        if request.method == "GET" and self._is_input(place, document):
            self.children.note_read(request.path, request.query, place, status, body)

    def _note_deletion(self, request: Request, place: Place, document: dict[str, Any]) -> None:
        """Forget what is gone: an object, a collection, or what a selector has found of one."""
        if place.name or "Selector=" not in request.query:
            self.children.expect_deletion(place)
            return
        for one in document.get("items") or ():
            self.children.expect_deletion(replace(place, name=one["metadata"]["name"]))

    def _is_input(self, place: Place, document: dict[str, Any]) -> bool:
        """Say whether a run may depend on *document*: not on its own object, nor on events."""
        uid = (document.get("metadata") or {}).get("uid")
        return uid != self.owner.uid and (place.is_child or bool(place.subresource))


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = _json.loads(body)
    except DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
