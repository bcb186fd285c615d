"""The names in a certificate, for a message about a name that is not among them.

Python shows the names in a certificate only after verifying it. This one was refused, so we read
its DER form. Only the text of an error depends on them.
"""

import ipaddress
from collections.abc import Iterator

_SUBJECT_ALTERNATIVE_NAME = b"\x06\x03\x55\x1d\x11"  # the object identifier 2.5.29.17
_BOOLEAN = 0x01
_DNS = 0x82
_IP = 0x87
_LONG_FORM = 0x80


def alternative_names(der: bytes) -> list[str]:
    """Return the host names and addresses that a certificate is for, in its order.

    Unreadable names are left out: the certificate is not trusted, so it may contain anything.
    """
    at = der.find(_SUBJECT_ALTERNATIVE_NAME)
    if at < 0:
        return []
    try:
        return list(_names(der, at + len(_SUBJECT_ALTERNATIVE_NAME)))
    except (IndexError, ValueError):
        return []


def _names(der: bytes, at: int) -> Iterator[str]:
    tag, start, end = _element(der, at)
    if tag == _BOOLEAN:  # the "critical" flag comes before the value
        _, start, end = _element(der, end)
    _, start, end = _element(der, start)  # the value is an octet string with a sequence inside
    while start < end:
        tag, begin, start = _element(der, start)
        value = der[begin:start]
        if tag == _DNS and value.isascii() and (name := value.decode()).isprintable():
            yield name
        elif tag == _IP:
            yield str(ipaddress.ip_address(value))


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """Return the tag of the element at *at*, and where its content begins and ends."""
    tag, size, start = der[at], der[at + 1], at + 2
    if size & _LONG_FORM:
        digits = size & ~_LONG_FORM
        size = int.from_bytes(der[start : start + digits], "big")
        start += digits
    if start + size > len(der):
        raise ValueError("the element is cut off")
    return tag, start, start + size
