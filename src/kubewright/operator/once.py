"""Children that are made once and never changed: passwords, keys, Jobs."""

from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

from kubewright.api.kind_reference import kind_of
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.errors import AlreadyExistsError
from kubewright.operator.apply import Outcome

if TYPE_CHECKING:
    from kubewright.operator.context import Means

O = TypeVar("O", bound=Resource | Unstructured)  # noqa: E741  # an object, as it came in

__all__ = ["create_once"]


async def create_once(means: "Means", child: O, fill: Callable[[O], object] | None) -> Outcome[O]:
    """Create *child*, or return the one that somebody else made meanwhile.

    A cache may lag behind: of two who try, the server lets one succeed, so that a password is made
    once and never replaced.
    """
    client = means.cluster.client
    if fill is not None:
        child = deepcopy(child)  # what is filled in is not for the next parent
        answer = fill(child)
        if isinstance(answer, Awaitable):
            await answer
    try:
        return Outcome(await client.create(child, field_owner=means.name), changed=True)
    except AlreadyExistsError:
        kind: Any = kind_of(child)
        return Outcome(await client.live.get(kind, child.key))
