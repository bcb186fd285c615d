"""How an API server is reached from outside, and what it is known by there."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from kubewright._pki.keypair import KeyPair


class Authorities(NamedTuple):
    """Whose certificates a server trusts, each in PEM: those of clients, and of its front proxy."""

    clients: str
    front_proxy: str


class Serving(Protocol):
    """What serves the API server on a network; it is there before the server is.

    The server asks when it needs an answer: certificates are made when the server starts, and the
    address is known when the socket listens.
    """

    def find_url(self) -> str | None:
        """Return the address for clients; ``None`` while nothing listens."""
        ...

    def find_front_proxy(self) -> "KeyPair | None":
        """Return the certificate with which the server speaks for users to aggregated servers."""
        ...

    def find_authorities(self) -> Authorities | None:
        """Return whom the server trusts, for others to read; ``None`` to publish nothing."""
        ...


class InProcess:
    """Serves nobody outside of this process."""

    def find_url(self) -> None:
        """Return nothing: there is no address."""

    def find_front_proxy(self) -> None:
        """Return nothing: there are no certificates."""

    def find_authorities(self) -> None:
        """Return nothing: there are no certificates."""
