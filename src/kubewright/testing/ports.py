"""Ports for servers that must know theirs before they start."""

import contextlib
import socket

__all__ = ["free_ports"]

_HOST = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """Return ports that were free a moment ago; all are bound until the last is chosen."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((_HOST, 0))
        return [each.getsockname()[1] for each in sockets]
