"""`StatusWriter`: writes the conditions of an object, and leaves the rest of its status alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.errors import ConflictError, NotFoundError, TerminalError

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["StatusWriter"]

_TRIES = 5


class StatusWriter:
    """Writes conditions.

    Args:
        client: Where to; it reads without a cache.
    """

    def __init__(self, client: "Client") -> None:
        self._client = client

    async def change(
        self,
        obj: Unstructured,
        change: Callable[[Sequence[Mapping[str, Any]]], list[dict[str, Any]]],
    ) -> bool:
        """Let *change* make new conditions of those of *obj*; return whether they were written.

        The status is read anew each time: a role may have changed it, and what it wrote stays.
        """
        kind = Kind(obj.api_version, obj.kind)
        for left in reversed(range(_TRIES)):
            live = await self._client.find(kind, obj.key)
            if live is None or live.metadata.uid != obj.metadata.uid:
                return False
            before = _conditions(live)
            after = change([one for one in before if isinstance(one, Mapping)])
            if after == before:
                return False
            try:
                await self._write(live, kind, after)
            except ConflictError:
                if not left:
                    raise
            else:
                return True
        raise AssertionError("unreachable")

    async def _write(
        self, live: Unstructured, kind: Kind, conditions: list[dict[str, Any]]
    ) -> None:
        version = live.metadata.resource_version
        patch = {"metadata": {"resourceVersion": version}, "status": {"conditions": conditions}}
        try:
            await self._client.status.patch(kind, live.key, patch)
        except NotFoundError as error:
            if error.is_about_object and await self._client.find(kind, live.key) is None:
                return
            raise TerminalError(
                f"cannot write the status of {live.kind} {str(live.key)!r}: does its CRD declare"
                " the status subresource? `kubewright run --install-crds` installs one that does."
                " Or write `manageStatus: false`."
            ) from error


def _conditions(obj: Unstructured) -> list[Any]:
    """Return the conditions of *obj*; none if somebody else has written something else there."""
    status = obj.get("status")
    found = status.get("conditions") if isinstance(status, Mapping) else None
    return found if isinstance(found, list) else []
