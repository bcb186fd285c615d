"""The string formats that custom resources can use."""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import date
from urllib.parse import urlsplit

from kubewright.apiserver.meta import naming

_SYMBOLS = r"a-zA-Z0-9\u00a2-\uffff"
_PATTERNS: dict[str, str] = {
    "bsonobjectid": r"[0-9a-fA-F]{24}",
    "uuid": r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}",
    "uuid3": r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}",
    "uuid4": r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}",
    "uuid5": r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}",
    "ssn": r"[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}",
    "hexcolor": r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})",
    "rgbcolor": r"rgb\(\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*,"
    r"\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*,\s*(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s*\)",
    "mac": r"([0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}(([:-][0-9a-fA-F]{2}){2}"
    r"|([:-][0-9a-fA-F]{2}){14})?)"
    r"|([0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}((\.[0-9a-fA-F]{4}){1}|(\.[0-9a-fA-F]{4}){7})?)",
    "datetime": r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(.[0-9]+)?([zZ]|[+-][0-9]{2}:[0-9]{2})",
    "creditcard": r"4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}"
    r"|3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35[0-9]{3})[0-9]{11}",
    "hostname": rf"[{_SYMBOLS}]((-?[{_SYMBOLS}]{{0,62}})?)"
    rf"|([{_SYMBOLS}](([-{_SYMBOLS}]{{0,61}}[{_SYMBOLS}])?)(\.))+([a-zA-Z\u00a2-\uffff]){{2,63}}",
}
_ATOM = r"[^\s@<>(),;:\\\"\[\].]+"
_EMAIL = rf"(?:.*<)?{_ATOM}(?:\.{_ATOM})*@{_ATOM}(?:\.{_ATOM})*>?"
# There must be one way to match a number: with two, a long one takes quadratic time.
_GO_DURATION = r"[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)"
_WORD_DURATION = (
    r"\s*((?:\d+(?:\.\d*)?|\.\d+)\s*(?:ns|nanos?|nanoseconds?|us|\u00b5s|micros?|microseconds?"
    r"|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)"
    r"\s*)+"
)
_LEADING_ZEROS = r"(?:(?<=\.)|^)0+(?=\d+(?:\.|$))"
_HOST_LIMIT, _PART_LIMIT = 255, 63


def known(name: str) -> str:
    """Return the key of a format in `CHECKS`; empty for formats that are not checked."""
    plain = name.replace("-", "")
    return plain if plain in CHECKS else ""


def _pattern(name: str) -> Callable[[str], bool]:
    # Compiled on first use and cached by `re`: most are never used.
    return lambda text: re.fullmatch(_PATTERNS[name], text) is not None


def _datetime(text: str) -> bool:
    match = re.fullmatch(_PATTERNS["datetime"], text)
    if match is None:
        return False
    day, hour, minute, second = match.groups()[:4]
    if int(hour) > 23 or int(minute) > 59 or int(second) > 59:  # noqa: PLR2004  # a clock
        return False
    return _date(day)


def _date(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    if text.startswith("0000"):
        text = f"0400{text[4:]}"  # Python has no year 0, which is a leap year in Go
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _uri(text: str) -> bool:
    """Return whether Go accepts it as a request URI: an absolute URI or a path."""
    if not text or any(ord(char) < 0x20 or char == "\x7f" for char in text):  # noqa: PLR2004  # control characters
        return False
    try:
        split = urlsplit(text)
        _ = split.port
    except ValueError:
        return False
    if " " in split.netloc:
        return False
    return bool(split.scheme) or text.startswith("/") or text == "*"


def _address(version: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            plain = re.sub(_LEADING_ZEROS, "", text)  # Go accepts them
            return ipaddress.ip_address(plain).version == version and "%" not in text
        except ValueError:
            return False

    return check


def _cidr(text: str) -> bool:
    address, slash, bits = text.partition("/")
    if not slash or not bits.isdecimal():
        return False
    try:
        plain = re.sub(_LEADING_ZEROS, "", address)
        ipaddress.ip_network(f"{plain}/{bits}", strict=False)
    except ValueError:
        return False
    return True


def _bytes(text: str) -> bool:
    try:
        base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(text)


def _hostname(text: str) -> bool:
    if not re.fullmatch(_PATTERNS["hostname"], text) or len(text) > _HOST_LIMIT:
        return False
    return all(len(part) <= _PART_LIMIT for part in text.split("."))


def _credit_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    if not re.fullmatch(_PATTERNS["creditcard"], digits):
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number  # noqa: PLR2004  # Luhn's rule
    return total % 10 == 0


def _isbn10(text: str) -> bool:
    plain = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", plain):
        return False
    digits = [10 if char == "X" else int(char) for char in plain]
    return sum((place + 1) * digit for place, digit in enumerate(digits)) % 11 == 0


def _isbn13(text: str) -> bool:
    plain = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{13}", plain):
        return False
    return sum(int(char) * (3 if place % 2 else 1) for place, char in enumerate(plain)) % 10 == 0


def _duration(text: str) -> bool:
    return bool(re.fullmatch(_GO_DURATION, text) or re.fullmatch(_WORD_DURATION, text))


CHECKS: dict[str, Callable[[str], bool]] = {
    **{name: _pattern(name) for name in _PATTERNS},
    "byte": _bytes,
    "cidr": _cidr,
    "creditcard": _credit_card,
    "date": _date,
    "datetime": _datetime,
    "duration": _duration,
    "email": lambda text: re.fullmatch(_EMAIL, text) is not None,
    "hostname": _hostname,
    "ipv4": _address(4),
    "ipv6": _address(6),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "k8slongname": lambda text: not naming.dns_subdomain(text),
    "k8sshortname": lambda text: not naming.dns_label(text),
    "password": lambda _: True,
    "uri": _uri,
}
"""Functions that check a text, by the name of the format without dashes."""
