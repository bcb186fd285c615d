"""What a socket tells about the client at its other end."""

import asyncio
import socket


def address(transport: asyncio.BaseTransport) -> str:
    """Return the host and port of the client; empty if it has none."""
    name = transport.get_extra_info("peername")
    if not isinstance(name, tuple):
        return ""
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"{host}:{name[1]}"


def certificate(transport: asyncio.BaseTransport) -> bytes | None:
    """Return the client's certificate; OpenSSL has verified it during the handshake."""
    tls = transport.get_extra_info("ssl_object")
    shown: bytes | None = tls.getpeercert(binary_form=True) if tls is not None else None
    return shown


def keep_alive(transport: asyncio.BaseTransport) -> None:
    """Turn on TCP keep-alive: a quiet watch would never notice that its machine is gone."""
    connected = transport.get_extra_info("socket")
    if connected is not None:
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
