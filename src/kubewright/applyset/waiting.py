"""Waits until definitions are served, and until deleted objects are gone."""

from collections.abc import Iterable, Sequence
from typing import Any

from kubewright.api.unstructured import Unstructured
from kubewright.applyset.listener import Listener
from kubewright.applyset.member import ObjectName
from kubewright.applyset.reach import Found, each, metadata_of
from kubewright.applyset.report import Failure
from kubewright.client import Client, wait_for
from kubewright.errors import WaitTimeoutError

__all__ = ["Waiting"]

_ONE_LOOK = 1.0


class Waiting:
    """Waits for objects, all of them within the same time.

    Args:
        client: Where they are.
        timeout: That time, in seconds.
        listener: Hears of what is waited for.
    """

    def __init__(self, client: Client, timeout: float, listener: Listener) -> None:
        self._client = client
        self._timeout = timeout
        self._listener = listener
        self._end = 0.0

    async def until_established(self, names: Iterable[ObjectName]) -> list[Failure]:
        """Wait until the kinds of these CRDs are served; return those that are not in time."""
        left = list(names)
        self._end = self._client.clock.monotonic() + self._timeout

        async def one(name: ObjectName) -> None:
            await self._until_established(name)
            left.remove(name)
            self._tell(left, "established")

        self._tell(left, "established")
        _, failures = await each(list(left), one, name_of=lambda name: name)
        return failures

    async def until_gone(self, found: Iterable[Found]) -> list[Failure]:
        """Wait until these objects are gone; return those that are still there at the end."""
        left = list(found)
        self._end = self._client.clock.monotonic() + self._timeout

        async def one(each_of_them: Found) -> None:
            await self._until_gone(each_of_them)
            left.remove(each_of_them)
            self._tell([one.name for one in left], "gone")

        self._tell([one.name for one in left], "gone")
        _, failures = await each(list(left), one, name_of=lambda one: one.name)
        return failures

    def _left(self) -> float:
        # The last ones of many begin late; they get one look at least.
        return max(self._end - self._client.clock.monotonic(), _ONE_LOOK)

    def _tell(self, left: Sequence[ObjectName], what: str) -> None:
        if left:
            self._listener.waiting(left, what)

    async def _until_established(self, name: ObjectName) -> None:
        last: list[Unstructured | None] = [None]

        def ready(crd: Unstructured | None) -> bool:
            last[0] = crd
            conditions = _conditions(crd)
            refused = conditions.get("NamesAccepted", {}).get("status") == "False"
            return refused or conditions.get("Established", {}).get("status") == "True"

        try:
            await wait_for(self._client, name.gvk, name.key.name, ready, timeout=self._left())
        except TimeoutError as error:
            raise WaitTimeoutError(
                f"the server did not establish it within {self._timeout:g} seconds{_said(last[0])}"
            ) from error
        if said := _said(last[0]):
            raise WaitTimeoutError(f"the server does not serve it{said}")

    async def _until_gone(self, found: Found) -> None:
        last: list[Unstructured | None] = [None]

        def gone(obj: Unstructured | None) -> bool:
            last[0] = obj
            return obj is None or metadata_of(obj).get("uid") != found.uid

        key = found.name.key
        mapping = await self._client.mapper.mapping(found.name.gvk)
        try:
            await wait_for(self._client, mapping, key, gone, timeout=self._left())
        except TimeoutError as error:
            raise WaitTimeoutError(
                f"it is deleted, and not gone within {self._timeout:g} seconds{_held_up(last[0])}"
            ) from error


def _conditions(obj: Unstructured | None) -> dict[str, dict[str, Any]]:
    status = {} if obj is None else obj.get("status") or {}
    return {one["type"]: one for one in status.get("conditions") or ()}


def _said(crd: Unstructured | None) -> str:
    found = _conditions(crd)
    refused = [
        one.get("message", "")
        for kind, one in found.items()
        if kind in {"NamesAccepted", "Established"} and one.get("status") == "False"
    ]
    return f": {'; '.join(refused)}" if refused else ""


def _held_up(obj: Unstructured | None) -> str:
    """Return what keeps a deleted object: its finalizers, or what is left in a namespace."""
    if obj is None:
        return ""
    found = metadata_of(obj).get("finalizers") or (obj.get("spec") or {}).get("finalizers") or ()
    kinds = [
        one.get("message", "")
        for kind, one in _conditions(obj).items()
        if kind.startswith("Namespace") and one.get("status") == "True"
    ]
    if kinds:
        return f": {'; '.join(kinds)}"
    if found:
        return f": its finalizer {' and '.join(map(repr, found))} is still there"
    return ""
