"""Header blocks of SPDY/3: names and values, compressed with a dictionary that both sides know."""

import zlib

from kubewright.embedded.kubelet.spdy.error import PROTOCOL_ERROR, SPDYError

Headers = dict[str, str]
"""Names in lower case; several values of one name are separated by a NUL."""

_WORDS = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language"
    " accept-ranges age allow authorization cache-control connection content-base content-encoding"
    " content-language content-length content-location content-md5 content-range content-type date"
    " etag expect expires from host if-match if-modified-since if-none-match if-range"
    " if-unmodified-since last-modified location max-forwards pragma proxy-authenticate"
    " proxy-authorization range referer retry-after server"
    " te"  # codespell:ignore te
    " trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get"
    " status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin"
)
_REST = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request"
    "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented"
    "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue,"
    " Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,"
    "application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch"
    "charset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)

LARGEST: int = 64 * 1024
"""How many bytes the headers of one stream may have; a few kilobytes of zlib hide a megabyte."""


def _sized(text: str) -> bytes:
    return len(text).to_bytes(4, "big") + text.encode("latin-1")


DICTIONARY: bytes = (
    b"".join(_sized(word.replace("_", " ")) for word in _WORDS.split()) + _REST.encode()
)
"""What section 2.6.10.1 of draft-mbelshe-httpbis-spdy-00 lists."""


class HeaderWriter:
    """Compresses the headers that one side sends; each block builds on those before it."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def block(self, headers: Headers) -> bytes:
        """Return *headers* as a block."""
        pairs = b"".join(_sized(name) + _sized(value) for name, value in headers.items())
        plain = len(headers).to_bytes(4, "big") + pairs
        return self._zlib.compress(plain) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


class HeaderReader:
    """Reads the headers that the other side sends."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def headers(self, block: bytes) -> Headers:
        """Return the headers in *block*.

        Raises:
            SPDYError: It is not a valid block, or too large; nothing after it can be read.
        """
        try:
            plain = self._zlib.decompress(block, LARGEST)
        except zlib.error as error:
            raise SPDYError(PROTOCOL_ERROR, f"broken headers: {error}") from None
        if self._zlib.unconsumed_tail:
            raise SPDYError(PROTOCOL_ERROR, "headers that are too large")
        return _pairs(plain)


def _pairs(plain: bytes) -> Headers:
    count, at = int.from_bytes(plain[:4], "big"), 4
    texts: list[str] = []
    while len(texts) < 2 * count and at + 4 <= len(plain):
        end = at + 4 + int.from_bytes(plain[at : at + 4], "big")
        texts.append(plain[at + 4 : end].decode("latin-1"))
        at = end
    if at != len(plain) or len(texts) != 2 * count:
        raise SPDYError(PROTOCOL_ERROR, "headers that are cut off")
    return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}
