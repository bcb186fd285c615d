"""Random texts that keep the rules of a field."""

import ipaddress
import re
import warnings
from base64 import b64decode
from collections.abc import Callable
from datetime import date, datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest

from kubewright.testing.texts import make_text


def texts(schema: dict[str, Any], count: int = 100) -> list[str]:
    """Return random texts for a field."""
    random = Random(1)
    found = [make_text(random, schema) for _ in range(count)]
    return [text for text in found if text is not None]


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        r"^\S+$",
        r"^\d{4}-\d{2}$",
        r"^(red|green|blue)$",
        r"^v\d+((alpha|beta)\d+)?$",
        r"^[^/\s]+/[^/]+$",
        r"^.{3,5}$",
        r"^[^\d]\w*\W$",
        r"^a\sb\D+?$",
        r"^(?:x|y)+(?P<end>z)$",
        r"^[\d.]+%$",
        r"^-?[0-9]{1,3}$",
        r"b",
        r"^x{1000}$",
        r"(?i)^abc$",
    ],
)
def test_a_text_matches_the_pattern_of_its_field(pattern: str) -> None:
    """An object that the server would refuse shows nothing about a conversion."""
    found = texts({"pattern": pattern})

    assert len(found) == 100
    assert all(re.search(pattern, text) for text in found)


def test_all_choices_of_a_pattern_come() -> None:
    """A fault may be in the branch for one of them."""
    assert set(texts({"pattern": "^(red|green|blue)$"})) == {"red", "green", "blue"}


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("byte", lambda text: b64decode(text, validate=True)),
        ("cidr", ipaddress.ip_network),
        ("date", date.fromisoformat),
        ("date-time", datetime.fromisoformat),
        ("datetime", datetime.fromisoformat),
        ("ipv4", ipaddress.IPv4Address),
        ("ipv6", ipaddress.IPv6Address),
        ("uuid", UUID),
    ],
)
def test_a_text_has_the_format_of_its_field(name: str, read: Callable[[str], object]) -> None:
    """Functions read times and addresses, and must not fail because of the test."""
    found = texts({"format": name})

    assert len(set(found)) > 10
    assert all(read(text) for text in found)


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("duration", r"\d+s"),
        ("email", r"[a-z]+@example\.com"),
        ("hostname", r"[a-z]+\.example\.com"),
        ("uri", r"https://example\.com/[a-z]+"),
    ],
)
def test_a_text_looks_like_its_format(name: str, pattern: str) -> None:
    """As for those that Python can read."""
    assert all(re.fullmatch(pattern, text) for text in texts({"format": name}))


def test_a_format_that_nobody_knows_is_any_text() -> None:
    """As the server sees it."""
    assert len(set(texts({"format": "colour"}))) > 90


@pytest.mark.parametrize(
    ("schema", "shortest", "longest"),
    [
        ({}, 1, 8),
        ({"minLength": 20}, 20, 27),
        ({"maxLength": 2}, 1, 2),
        ({"minLength": 3, "maxLength": 3}, 3, 3),
        ({"minLength": 0}, 1, 8),
        ({"pattern": "^[a-z]+$", "maxLength": 2}, 1, 2),
        ({"pattern": "^[a-z]*$", "minLength": 2}, 2, 3),
    ],
)
def test_a_text_has_the_length_that_its_field_allows(
    schema: dict[str, Any], shortest: int, longest: int
) -> None:
    """And it is never empty, which in Kubernetes mostly means the same as none."""
    lengths = {len(text) for text in texts(schema)}

    assert (min(lengths), max(lengths)) == (shortest, longest)


@pytest.mark.parametrize(
    "schema",
    [
        {"maxLength": 0},
        {"pattern": "^a$", "minLength": 2},
        {"pattern": "^$"},
        {"pattern": r"^(a)\1b$"},
        {"pattern": r"^\p{Greek}+$"},  # only Go understands these two
        {"pattern": r"^[[:upper:]]+$"},
        {"pattern": "^["},
        {"format": "ipv4", "maxLength": 3},
        {"format": "uri", "pattern": "^ftp://"},
    ],
)
def test_without_a_text_that_fits_there_is_none(schema: dict[str, Any]) -> None:
    """The caller asks for help then; a text that does not fit would be worse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as outside of our own tests

        assert make_text(Random(1), schema) is None


def test_a_format_and_a_pattern_may_hold_together() -> None:
    """Some of its texts fit, and one of these is found."""
    found = texts({"format": "ipv4", "pattern": r"^1\d*\."})

    assert len(found) > 90
    assert all(text.startswith("1") for text in found)


def test_the_same_chance_makes_the_same_text() -> None:
    """A failure can be seen again."""
    schema = {"pattern": "^[a-z]{8}-[0-9]{4}$"}

    assert make_text(Random(3), schema) == make_text(Random(3), schema)
    assert make_text(Random(3), schema) != make_text(Random(4), schema)
