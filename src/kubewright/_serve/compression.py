"""gzip for large answers, by kube-apiserver's rules."""

import asyncio
import zlib

from kubewright._serve.messages import Headers

GZIP_FROM: int = 128 * 1024
"""Answers above this size are compressed if the client accepts gzip."""

_THREAD_FROM = 1024 * 1024
_GZIP_FORMAT = 31


def wants_gzip(headers: Headers) -> bool:
    """Tell whether a client accepts gzip. As in kube-apiserver, ``gzip;q=1`` counts as no."""
    accepted = headers.get("accept-encoding", "")
    return any(coding.strip() == "gzip" for coding in accepted.split(","))


async def compress(body: bytes) -> bytes:
    """Return *body* as gzip; a thread compresses large ones, so that other clients do not wait."""
    if len(body) < _THREAD_FROM:
        return _gzip(body)
    return await asyncio.to_thread(_gzip, body)


def _gzip(body: bytes) -> bytes:
    deflate = zlib.compressobj(level=1, wbits=_GZIP_FORMAT)
    return deflate.compress(body) + deflate.flush()
