"""A certificate with its key; `authority` makes them."""

from dataclasses import dataclass

__all__ = ["KeyPair"]


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        return "KeyPair(…)"  # the key must not reach a log
