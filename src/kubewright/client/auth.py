"""Credentials: the headers that every request carries, and what to do when they are refused.

Most headers never change. A token file is read again every minute, and an exec plugin
(`kubewright.client.exec_plugin`) runs again when its credentials have expired.
"""

import base64
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from kubewright._aio import Clock
from kubewright.client.transport import Headers
from kubewright.errors import ConfigError
from kubewright.log import get_logger

_log = get_logger(__name__)

TOKEN_FILE_FRESH_FOR = 50.0
"""Seconds for which a token file is not read again: client-go's minute less ten seconds."""
TOKEN_FILE_RETRY_AFTER = 10.0
"""Seconds after which a token file that could not be read is tried again."""

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_TOKEN_BYTES = frozenset(
    b"!#$&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)


class Impersonation(msgspec.Struct, frozen=True, kw_only=True):
    """Act as another user, which RBAC must allow (``kubectl --as``).

    Attributes:
        user: The user to act as; the others need it.
        uid: The uid to act with.
        groups: The groups to act in.
        extra: Further facts about the user, each with its values.
    """

    user: str
    uid: str | None = None
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = {}

    def headers(self) -> Headers:
        """Return the ``Impersonate-`` headers.

        Raises:
            ConfigError: A value has characters that a header cannot carry, or *user* is empty.
        """
        if not self.user:
            raise ConfigError(
                "cannot impersonate a uid, groups or extra without a user."
                " Say which user to act as (act-as in a kubeconfig)."
            )
        pairs = [("Impersonate-User", self.user)]
        if self.uid:
            pairs.append(("Impersonate-Uid", self.uid))
        pairs += (("Impersonate-Group", group) for group in self.groups)
        for key, values in self.extra.items():
            pairs += ((f"Impersonate-Extra-{_escaped(key)}", value) for value in values)
        return tuple((name, _on_the_wire(value, name)) for name, value in pairs)


class StaticCredentials:
    """Headers that never change: none at all, a token, or a user with a password."""

    def __init__(self, headers: Headers = ()) -> None:
        self.static: Headers = headers

    async def headers(self) -> Headers:
        """Return the headers."""
        return self.static

    async def rejected(self, used: Headers) -> bool:
        """Return False: there is nothing else to try."""
        return False


class TokenFileCredentials:
    """A bearer token in a file that is rewritten, as the kubelet does for service accounts.

    While the file is missing or empty, the last token that could be read stays in use.
    """

    static = None

    def __init__(
        self, path: str | Path, clock: Clock, *, token: str | None = None, extra: Headers = ()
    ) -> None:
        """Read nothing yet.

        Args:
            path: The file.
            clock: The source of time.
            token: What to use until the file can be read for the first time.
            extra: Headers to send besides the token.
        """
        self._path = Path(path)
        self._clock = clock
        self._extra = extra
        self._headers = (*bearer(token), *extra) if token else None
        self._read_again_at = clock.monotonic()

    async def headers(self) -> Headers:
        """Return the headers, with the file read again where the last read is a minute old.

        Raises:
            ConfigError: The file has no token, and never had one.
        """
        if self._headers is None or self._clock.monotonic() >= self._read_again_at:
            return self._read()
        return self._headers

    async def rejected(self, used: Headers) -> bool:
        """Read the file again, and return whether the token has changed."""
        if self._headers == used:
            self._read()
        return self._headers != used

    def _read(self) -> Headers:
        try:
            headers = (*bearer(read_token(self._path)), *self._extra)
        except ConfigError as error:
            if self._headers is None:
                raise
            _log.warning("token not read again, the old one stays", error=str(error))
            self._read_again_at = self._clock.monotonic() + TOKEN_FILE_RETRY_AFTER
            return self._headers
        self._read_again_at = self._clock.monotonic() + TOKEN_FILE_FRESH_FOR
        self._headers = headers
        return headers


def bearer(token: str) -> Headers:
    """Return the header for a bearer token."""
    return (("Authorization", f"Bearer {_on_the_wire(token, 'bearer token')}"),)


def basic(username: str, password: str) -> Headers:
    """Return the header for a user name and a password."""
    pair = base64.b64encode(f"{username}:{password}".encode()).decode()
    return (("Authorization", f"Basic {pair}"),)


def read_token(path: Path) -> str:
    """Return the token in the file *path*, trimmed.

    Raises:
        ConfigError: The file cannot be read, or is empty.
    """
    try:
        token = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(
            f"cannot read the token file {path}: {error.strerror}."
            " Check the path and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"cannot read the token file {path}: it is not text.") from error
    if not token:
        raise ConfigError(
            f"cannot use the token file {path}: it is empty. It must hold a bearer token."
        )
    return token


def _on_the_wire(value: str, what: str) -> str:
    """Return *value* as Go would send it: its UTF-8 bytes, one character for each."""
    # A line break would let a value smuggle further headers into the request.
    if _CONTROL.search(value):
        raise ConfigError(
            f"cannot send the {what}: it has a line break or another control character in it."
            " Check that it was copied whole and alone."
        )
    return value if value.isascii() else value.encode().decode("latin-1")


def _escaped(key: str) -> str:
    """Return *key* with characters that a header name cannot contain percent-encoded."""
    return "".join(chr(byte) if byte in _TOKEN_BYTES else f"%{byte:02X}" for byte in key.encode())
