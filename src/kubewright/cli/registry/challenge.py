"""What a registry asks for when it does not know who is there."""

import re
from typing import NamedTuple

__all__ = ["Challenge", "parse_challenge"]

_PAIR = re.compile(r'([a-zA-Z_]+)="([^"]*)"')


class Challenge(NamedTuple):
    """How to identify oneself.

    Attributes:
        scheme: ``bearer`` or ``basic``.
        realm: For ``bearer``: the URL that hands out tokens.
        service: What it calls the registry.
    """

    scheme: str
    realm: str = ""
    service: str = ""


def parse_challenge(header: str) -> Challenge:
    """Return what the header ``WWW-Authenticate`` says.

    Example:
        >>> parse_challenge('Bearer realm="https://a.b/token",service="a.b"').realm
        'https://a.b/token'
    """
    scheme, _, rest = header.strip().partition(" ")
    found = {key.lower(): value for key, value in _PAIR.findall(rest)}
    return Challenge(scheme.lower(), found.get("realm", ""), found.get("service", ""))
