from pathlib import Path

import pytest

from kubewright._aio import VirtualClock
from kubewright.client.auth import (
    Impersonation,
    StaticCredentials,
    TokenFileCredentials,
    basic,
    bearer,
)
from kubewright.errors import ConfigError


def authorization(token: str) -> tuple[tuple[str, str], ...]:
    """Return the headers for *token*."""
    return (("Authorization", f"Bearer {token}"),)


async def test_static_credentials_never_change() -> None:
    """A transport that sees `static` asks no more, and a 401 ends there."""
    credentials = StaticCredentials(bearer("abc"))

    assert credentials.static == authorization("abc")
    assert await credentials.headers() == authorization("abc")
    assert await credentials.rejected(authorization("abc")) is False


def test_basic_is_base64_of_utf8() -> None:
    """The form of RFC 7617, which names UTF-8."""
    assert basic("jörg", "p:w") == (("Authorization", "Basic asO2cmc6cDp3"),)


@pytest.mark.parametrize("token", ["a\nb", "a\r\nX-Evil: 1", "a\x00", "a\x7f"])
def test_a_token_cannot_smuggle_a_header(token: str) -> None:
    """The message does not show the token either."""
    with pytest.raises(ConfigError) as caught:
        bearer(token)

    assert "control character" in str(caught.value)
    assert token not in str(caught.value)


async def test_a_token_file_is_trimmed_and_read_once_a_minute(tmp_path: Path) -> None:
    """Reading it for each request would cost; never again would miss the rotation."""
    file = tmp_path / "token"
    file.write_text(" one\n")
    clock = VirtualClock()
    credentials = TokenFileCredentials(file, clock, extra=(("X-A", "1"),))

    first = await credentials.headers()
    file.write_text("two")
    await clock.advance(49)
    early = await credentials.headers()
    await clock.advance(1)
    late = await credentials.headers()

    assert first == early == (*authorization("one"), ("X-A", "1"))
    assert late == (*authorization("two"), ("X-A", "1"))


@pytest.mark.parametrize("broken", ["missing", "empty", "binary"])
async def test_the_last_good_token_stays_while_the_file_is_broken(
    tmp_path: Path, broken: str
) -> None:
    """The kubelet may be writing it just now."""
    file = tmp_path / "token"
    file.write_text("good")
    clock = VirtualClock()
    credentials = TokenFileCredentials(file, clock)
    await credentials.headers()

    file.unlink() if broken == "missing" else file.write_bytes(
        b"\xff" if broken == "binary" else b" "
    )
    await clock.advance(60)
    during = await credentials.headers()
    file.write_text("next")
    await clock.advance(10)

    assert during == authorization("good")
    assert await credentials.headers() == authorization("next")


async def test_a_401_reads_the_file_at_once(tmp_path: Path) -> None:
    """A token that was revoked and replaced must not fail for a minute."""
    file = tmp_path / "token"
    file.write_text("one")
    credentials = TokenFileCredentials(file, VirtualClock())
    used = await credentials.headers()

    same = await credentials.rejected(used)
    file.write_text("two")
    changed = await credentials.rejected(used)
    late = await credentials.rejected(used)

    assert (same, changed, late) == (False, True, True)
    assert await credentials.headers() == authorization("two")


async def test_without_any_good_token_the_file_is_named(tmp_path: Path) -> None:
    """The first-day messages for a token file."""
    file = tmp_path / "token"
    credentials = TokenFileCredentials(file, VirtualClock())

    with pytest.raises(ConfigError) as missing:
        await credentials.headers()
    file.write_text("\n")
    with pytest.raises(ConfigError) as empty:
        await credentials.headers()

    assert str(missing.value) == (
        f"cannot read the token file {file}: No such file or directory."
        " Check the path and its permissions."
    )
    assert str(empty.value) == (
        f"cannot use the token file {file}: it is empty. It must hold a bearer token."
    )


async def test_a_given_token_serves_until_the_file_can_be_read(tmp_path: Path) -> None:
    """As in client-go, the file wins over the token beside it."""
    file = tmp_path / "token"
    clock = VirtualClock()
    credentials = TokenFileCredentials(file, clock, token="given")

    first = await credentials.headers()
    file.write_text("from-file")
    await clock.advance(10)

    assert first == authorization("given")
    assert await credentials.headers() == authorization("from-file")


def test_impersonation_headers_are_those_of_the_api() -> None:
    """Groups and extra values repeat; a key that is no header name is percent-encoded."""
    acting = Impersonation(
        user="jane",
        uid="42",
        groups=("dev", "ops"),
        extra={"scopes": ("view", "edit"), "acme.com/a b%é": ("1",)},
    )

    assert acting.headers() == (
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "42"),
        ("Impersonate-Group", "dev"),
        ("Impersonate-Group", "ops"),
        ("Impersonate-Extra-scopes", "view"),
        ("Impersonate-Extra-scopes", "edit"),
        ("Impersonate-Extra-acme.com%2Fa%20b%25%C3%A9", "1"),
    )


def test_a_name_beyond_ascii_is_sent_as_utf8() -> None:
    """A transport writes headers in Latin-1; the server reads bytes and takes them for UTF-8."""
    ((_, value),) = Impersonation(user="jörg-林").headers()

    assert value.encode("latin-1").decode() == "jörg-林"


def test_impersonating_groups_needs_a_user() -> None:
    """The server would refuse it with a 500 that explains nothing."""
    with pytest.raises(ConfigError, match="without a user"):
        Impersonation(user="", groups=("dev",)).headers()


def test_an_impersonated_name_cannot_smuggle_a_header() -> None:
    """The name may come from somebody else's object."""
    with pytest.raises(ConfigError, match="Impersonate-Group"):
        Impersonation(user="jane", groups=("a\r\nX-Evil: 1",)).headers()
