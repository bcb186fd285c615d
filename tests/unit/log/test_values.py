"""What a log shows of a value, and what it does not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kubewright.api import ObjectKey, ObjectMeta
from kubewright.kinds.core.v1 import Secret
from kubewright.log.values import HIDDEN, shown, text

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl"


def shown_as(value: object) -> Any:
    """Return how *value* is shown."""
    return shown({"field": value})["field"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (0.5, 0.5),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        ("text", "text"),
        (b"bytes", "bytes"),
        (ValueError("broken"), "broken"),
        (ValueError(), "ValueError()"),
        (timedelta(minutes=1), 60.0),
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
        (Path("config.yaml"), "config.yaml"),
        (ObjectKey("shop", "web"), "shop/web"),
        ((ObjectKey("shop", "web"), 2), ["shop/web", 2]),
        ({"a"}, ["a"]),
        ({"a": {"b": 1}}, {"a": {"b": 1}}),
    ],
)
def test_values_become_what_json_can_hold(value: object, expected: object) -> None:
    """A line is never lost because of what somebody gave it."""
    assert shown_as(value) == expected


def test_an_object_is_shown_by_its_name() -> None:
    """It may be large, and it may be a Secret."""
    secret = Secret(
        metadata=ObjectMeta(name="login", namespace="shop"), data={"password": b"hunter2"}
    )
    raw = {"kind": "Secret", "metadata": {"name": "login"}, "data": {"password": "aHVudGVyMg=="}}

    assert shown_as(secret) == "Secret shop/login"
    assert shown_as(raw) == "Secret login"
    assert shown_as([raw]) == ["Secret login"]
    assert shown_as({"kind": "Status"}) == "Status"


@pytest.mark.parametrize(
    "name", ["token", "bearer_token", "password", "Authorization", "client_secret", "api_key"]
)
def test_a_field_whose_name_says_secret_is_hidden(name: str) -> None:
    """Whatever its value is, and wherever it stands."""
    assert shown({name: "hunter2"}) == {name: HIDDEN}
    assert shown({"headers": {name: "hunter2"}}) == {"headers": {name: HIDDEN}}


@pytest.mark.parametrize("name", ["name", "secret_name", "tokens", "key"])
def test_a_field_that_only_sounds_like_one_is_shown(name: str) -> None:
    """A log that hides the name of an object helps nobody."""
    assert shown({name: "login"}) == {name: "login"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (f"got 401 with {JWT}", f"got 401 with {HIDDEN}"),
        ("Authorization: Bearer abcdefgh12345", f"Authorization: Bearer {HIDDEN}"),
        ("authorization: basic dXNlcjpwYXNz", f"authorization: basic {HIDDEN}"),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb",
            f"a\n{HIDDEN}\nb",
        ),
        ("a -----BEGIN PRIVATE KEY-----\nMII", f"a {HIDDEN}"),
        ("the bearer of news", "the bearer of news"),
    ],
)
def test_credentials_inside_a_text_are_hidden(value: str, expected: str) -> None:
    """Errors of other libraries quote what they were given."""
    assert text(value) == expected
    assert shown_as(value) == expected
    assert shown_as(ValueError(value)) == expected
    assert shown_as(value.encode()) == expected


@pytest.mark.parametrize(("value", "length"), [(b"x" * 9000, 256), ("x" * 9000, 4096)])
def test_long_values_are_cut(value: object, length: int) -> None:
    """At most 256 characters of a body that nobody knows."""
    assert shown_as(value) == "x" * length + "…"


def test_a_value_that_contains_itself_comes_to_an_end() -> None:
    """Nothing that is logged may hang the program."""
    endless: list[object] = []
    endless.append(endless)

    assert "[...]" in str(shown_as(endless))
