"""Who hears of the requests of clients, and whose requests they are.

Nobody hears of them, unless a program says so before it makes its clients: then each transport is
wrapped, and all others pay nothing. In a test, where the operator and the user may share a client,
`OPERATOR` tells their requests apart: it is set in the tasks of a manager.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from kubewright.client.transport import Transport

__all__ = ["OPERATOR", "WITNESSES", "as_operator", "witnessed"]

OPERATOR: ContextVar[bool] = ContextVar("kubewright_operator", default=False)
"""Whether the current task works for an operator, and not for somebody who tests it."""

WITNESSES: list[Callable[[Transport], Transport]] = []
"""What wraps the transport of each client that is made from now on."""


def witnessed(transport: Transport) -> Transport:
    """Return *transport*, wrapped for those who want to hear of its requests."""
    for wrap in WITNESSES:
        transport = wrap(transport)
    return transport


@contextmanager
def as_operator() -> Iterator[None]:
    """Make the requests of a block the operator's, and those of the tasks that it starts.

    What a `kubewright.Manager` runs is the operator's anyway. A test of a program without a manager
    says so with this, so that ``kubewright rbac audit`` counts its requests.

    Example:
        with as_operator():
            running = asyncio.create_task(controller.run())
    """
    token = OPERATOR.set(True)
    try:
        yield
    finally:
        OPERATOR.reset(token)
