"""Random texts that keep the rules of a field: its format, its pattern, its length."""

from base64 import b64encode
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any
from uuid import UUID
from warnings import catch_warnings

from kubewright.crd.patterns import is_match

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ODD = "aZ0 \u00fc.,:;=/-_"
"""What people join texts with, and split them at; what is stripped, folded, or no ASCII."""

_SELDOM = 0.2
_TRIES = 50
_MORE = 3
"""How often a part of a pattern is repeated beyond what it asks for."""


def make_text(random: Random, schema: dict[str, Any]) -> str | None:
    """Return a text that *schema* allows, or ``None`` if none was found.

    It is never empty: in Kubernetes, an empty text mostly means the same as none.
    """
    for _ in range(_TRIES):
        text = _candidate(random, schema)
        if _fits(text, schema):
            return text
    return None


def _fits(text: str, schema: dict[str, Any]) -> bool:
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", len(text))
    pattern = schema.get("pattern")
    return (
        len(text) > 0
        and shortest <= len(text) <= longest
        and (not pattern or is_match(pattern, text))
    )


def _candidate(random: Random, schema: dict[str, Any]) -> str:
    if (known := _FORMATS.get(schema.get("format", ""))) is not None:
        return known(random)
    if pattern := schema.get("pattern"):
        return _from_pattern(random, pattern)
    shortest = max(schema.get("minLength", 1), 1)
    longest = max(min(schema.get("maxLength", shortest + 7), shortest + 7), shortest)
    letters = _ODD if random.random() < _SELDOM else _LETTERS
    return "".join(random.choices(letters, k=random.randint(shortest, longest)))


def _from_pattern(random: Random, pattern: str) -> str:
    """Return a text that *pattern* matches, as far as its parts can be turned around."""
    try:
        with catch_warnings(action="error"):  # Python warns of [[:alpha:]], and reads it otherwise
            parsed = import_module("re._parser").parse(pattern)
    except Exception:  # noqa: BLE001  # a pattern that only Go understands, or another Python
        return ""
    return "".join(_part(random, str(code).lower(), value) for code, value in parsed)


def _part(random: Random, code: str, value: Any) -> str:
    made = _PARTS.get(code)
    return made(random, value) if made is not None else ""


def _sequence(random: Random, parts: Any) -> str:
    return "".join(_part(random, str(code).lower(), value) for code, value in parts)


def _repeated(random: Random, value: Any) -> str:
    least, most, parts = value
    count = random.randint(int(least), min(int(most), int(least) + _MORE))
    return "".join(_sequence(random, parts) for _ in range(count))


def _one_of(random: Random, choices: Any) -> str:
    named = [(str(code).lower(), value) for code, value in choices]
    if named[0][0] == "negate":
        allowed = [one for one in map(chr, range(33, 127)) if not _holds(named[1:], one)]
        return random.choice(allowed) if allowed else ""
    code, value = random.choice(named)
    return _part(random, code, value)


def _holds(named: list[tuple[str, Any]], one: str) -> bool:
    return any(
        (code == "literal" and value == ord(one))
        or (code == "range" and value[0] <= ord(one) <= value[1])
        or (code == "category" and one in _CATEGORIES.get(str(value).lower(), ""))
        for code, value in named
    )


_DIGITS = "0123456789"
_CATEGORIES = {
    "category_digit": _DIGITS,
    "category_not_digit": _LETTERS,
    "category_word": f"{_LETTERS}{_DIGITS}_",
    "category_not_word": "-. ",
    "category_space": " ",
    "category_not_space": _LETTERS,
}

_PARTS: dict[str, Callable[[Random, Any], str]] = {
    "literal": lambda _, value: chr(value),
    "not_literal": lambda random, value: random.choice(_LETTERS.replace(chr(value), "")),
    "any": lambda random, _: random.choice(_LETTERS),
    "range": lambda random, value: chr(random.randint(*value)),
    "category": lambda random, value: random.choice(_CATEGORIES.get(str(value).lower(), "a")),
    "in": _one_of,
    "branch": lambda random, value: _sequence(random, random.choice(value[1])),
    "subpattern": lambda random, value: _sequence(random, value[-1]),
    "max_repeat": _repeated,
    "min_repeat": _repeated,
}


def _time(random: Random) -> str:
    second = random.randrange(24 * 3600)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{_date(random)}T{clock}Z"


def _date(random: Random) -> str:
    return f"{random.randint(2015, 2035)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def _address(random: Random) -> str:
    return ".".join(str(random.randint(1, 254)) for _ in range(4))


_FORMATS: dict[str, Callable[[Random], str]] = {
    "byte": lambda random: b64encode(random.randbytes(random.randint(1, 6))).decode(),
    "cidr": lambda random: f"{random.randint(1, 223)}.0.0.0/8",
    "date": _date,
    "date-time": _time,
    "datetime": _time,
    "duration": lambda random: f"{random.randint(1, 59)}s",
    "email": lambda random: f"{random.choice(_LETTERS)}@example.com",
    "hostname": lambda random: f"{random.choice(_LETTERS)}.example.com",
    "ipv4": _address,
    "ipv6": lambda random: f"fd00::{random.randint(1, 9999)}",
    "uri": lambda random: f"https://example.com/{random.choice(_LETTERS)}",
    "uuid": lambda random: str(UUID(int=random.getrandbits(128))),
}
