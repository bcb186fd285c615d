import asyncio
import socket
from typing import Any

import pytest

from kubewright._serve import peer


class Facts(asyncio.BaseTransport):
    """A transport that knows what it is told."""


@pytest.mark.parametrize(
    ("name", "text"),
    [(("1.2.3.4", 5), "1.2.3.4:5"), (("::1", 5, 0, 0), "[::1]:5"), ("", ""), (None, "")],
)
def test_an_address_is_written_as_in_a_url(name: Any, text: str) -> None:
    """A socket in the file system has none."""
    assert peer.address(Facts({"peername": name})) == text


def test_a_plain_connection_has_no_certificate() -> None:
    """And no way to show one."""
    assert peer.certificate(Facts({})) is None


def test_the_system_looks_after_quiet_connections() -> None:
    """A laptop that went to sleep never says goodbye."""
    with socket.socket() as connected:
        peer.keep_alive(Facts({"socket": connected}))

        assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
