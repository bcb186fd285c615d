"""Which loopback addresses a cluster uses, so that several on one machine do not collide."""

import socket
from types import TracebackType
from typing import Self

__all__ = ["NODES", "AddressPlan"]

NODES: int = 192
"""The most nodes in a cluster: its part of 127.0.0.0/8 has as many ranges for pods."""
PARTS: int = 31
_CLAIM_PORT = 61096
_PODS, _SERVICES = 1, 96
_WIDTH = 3  # how many of the 127.x.0.0/16 each cluster has for pods
_PER_RANGE = 64  # nodes in one of them, each with a /22


class AddressPlan:
    """A part of the loopback addresses that no other cluster on this machine uses.

    From `claim` to `release` a socket is bound in the part, so that nobody else can bind the same.
    The system closes it however the process ends. A plan that was never claimed uses the first
    part, for clusters that open no sockets.
    """

    def __init__(self) -> None:
        self._part = 0
        self._claim: socket.socket | None = None

    @property
    def service_cidr(self) -> str:
        """The range of the addresses of services."""
        return f"127.{_SERVICES + self._part}.0.0/16"

    def pod_cidr(self, node: int) -> str:
        """Return the range of the addresses of pods on the node with this number."""
        above, beside = divmod(node, _PER_RANGE)
        return f"127.{_PODS + _WIDTH * self._part + above}.{4 * beside}.0/22"

    def claim(self) -> None:
        """Take a part that is free; the first one if none is, or if this system has only one."""
        for part in range(PARTS):
            if (claim := _bind(part)) is not None:
                self._part, self._claim = part, claim
                return

    def release(self) -> None:
        """Let others use the part; may be called twice."""
        claim, self._claim = self._claim, None
        if claim is not None:
            claim.close()

    def __enter__(self) -> Self:
        self.claim()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _bind(part: int) -> socket.socket | None:
    found = socket.socket()
    try:
        found.bind((f"127.{_SERVICES + part}.255.254", _CLAIM_PORT))
    except OSError:
        found.close()
        return None
    return found
