"""Agrees on the protocol after HTTP: a websocket subprotocol, or SPDY/3.1."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from msgspec import Struct

from kubewright._serve.messages import Duplex, Headers, Response, Upgrade
from kubewright.embedded.kubelet.websocket import connection as websocket
from kubewright.embedded.node.access import AccessError

BASE64: str = "base64."
"""A part of the names of protocols whose messages are text, the data in base64."""

_SPDY = "spdy/3.1"
_VERSIONS = "x-stream-protocol-version"
_TEXT = "text/plain; charset=utf-8"


class Agreed(Struct, frozen=True):
    """The protocol that both sides have agreed on.

    Attributes:
        carrier: What carries it.
        protocol: The subprotocol; empty for clients so old that they name none.
        headers: The headers of the answer.
    """

    carrier: Literal["websocket", "spdy"]
    protocol: str
    headers: tuple[tuple[str, str], ...]

    def upgrade(self, talk: Callable[[Duplex], Awaitable[None]]) -> Upgrade:
        """Return the answer after which *talk* has the connection."""
        return Upgrade(talk, self.headers)


def is_upgrade(headers: Headers) -> bool:
    """Return whether a client asks to switch from HTTP to another protocol."""
    return "upgrade" in headers and "upgrade" in headers.get("connection", "").lower()


def agree(headers: Headers, *, websockets: Sequence[str], spdy: Sequence[str]) -> Agreed | Response:
    """Choose a protocol that both sides speak, or return the refusal.

    Args:
        headers: Those of the request.
        websockets: The subprotocols that we speak over websockets; an empty one for clients that
            name none.
        spdy: Those that we speak over SPDY.

    Raises:
        AccessError: The client did not ask for one, or its request is invalid.
    """
    if websocket.is_websocket(headers):
        return _agree_websocket(headers, websockets)
    if is_upgrade(headers) and headers["upgrade"].lower() == _SPDY:
        return _agree_spdy(headers, spdy)
    raise AccessError(400, "Upgrade request required")


def _agree_websocket(headers: Headers, spoken: Sequence[str]) -> Agreed | Response:
    if problem := websocket.handshake_problem(headers):
        raise AccessError(400, problem)
    offered = websocket.offered_protocols(headers) or [""]
    chosen = next((name for name in offered if name in spoken), None)
    if chosen is None:
        raise AccessError(
            400, f"unable to upgrade: none of the protocols {offered} is supported: {list(spoken)}"
        )
    return Agreed("websocket", chosen, websocket.handshake(headers, chosen))


def _agree_spdy(headers: Headers, spoken: Sequence[str]) -> Agreed | Response:
    offered = [name.strip() for name in headers.get(_VERSIONS, "").split(",") if name.strip()]
    chosen = next((name for name in offered if name in spoken), None)
    if offered and chosen is None:
        text = (
            f"unable to upgrade: unable to negotiate protocol: client supports {offered}, server"
            f" accepts {list(spoken)}"
        )
        accepted = tuple(("X-Accepted-Stream-Protocol-Versions", name) for name in spoken)
        return Response(403, text.encode(), _TEXT, accepted)
    said = ((("X-Stream-Protocol-Version", chosen),)) if chosen else ()
    usual = (("Connection", "Upgrade"), ("Upgrade", "SPDY/3.1"))
    return Agreed("spdy", chosen or "", (*usual, *said))
