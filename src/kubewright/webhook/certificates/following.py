"""Follows one object by its name, for as long as it takes."""

from collections.abc import Callable
from typing import TypeVar

from kubewright._aio import Backoff
from kubewright.api.resource import Resource
from kubewright.client import Client
from kubewright.errors import GoneError, KubewrightError
from kubewright.log import get_logger

__all__ = ["follow"]

R = TypeVar("R", bound=Resource)

_log = get_logger(__name__)


async def follow(
    client: Client,
    kind: type[R],
    name: str,
    *,
    namespace: str = "",
    see: Callable[[R | None], object],
) -> None:
    """Call *see* with the object whenever it changes, until cancelled.

    It is called with ``None`` when the object is deleted, and when changes may have been missed:
    look at the object then.
    """
    backoff = Backoff(clock=client.clock)
    while True:
        try:
            fields = {"metadata.name": name}
            async with client.watch(kind, namespace=namespace, fields=fields) as events:
                async for event in events:
                    see(None if event.type == "DELETED" else event.object)
        except GoneError:
            pass  # it begins again, with a list
        except KubewrightError as error:
            _log.warning(
                "cannot watch, will retry", kind=kind.__name__, name=name, error=str(error)
            )
        await backoff.wait()
        see(None)
