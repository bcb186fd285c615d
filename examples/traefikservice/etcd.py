"""A small client of etcd: consistent reads and guarded writes.

etcd offers its API as JSON over HTTP, too, under ``/v3``; keys and values are base64 there.
"""

import asyncio
import base64
import http.client
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Etcd", "EtcdError", "Value"]


class EtcdError(Exception):
    """etcd did not answer, or refused the request; a retry may succeed."""


class Value(NamedTuple):
    """The value of a key, and the revision that wrote it."""

    text: str
    revision: int


class Etcd:
    """An etcd cluster.

    Args:
        endpoints: Its members, such as ``http://127.0.0.1:2379``. One that fails is passed over
            for the next, and the one that answered is asked first the next time.
        timeout: Seconds that a member gets to connect, and then to answer.
        tls: The certificates, for endpoints with ``https``; those of the system unless given.
    """

    def __init__(
        self, endpoints: Sequence[str], *, timeout: float = 5.0, tls: ssl.SSLContext | None = None
    ) -> None:
        wrong = [one for one in endpoints if not one.startswith(("http://", "https://"))]
        if wrong or not endpoints:
            raise ValueError(
                f"etcd has no endpoint {', '.join(wrong)!r}: write http://127.0.0.1:2379, or"
                " several of these with commas"
            )
        self._endpoints = tuple(one.rstrip("/") for one in endpoints)
        self._first = 0
        self._timeout = timeout
        # Without the proxies of the environment, which are for servers outside.
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls)
        )

    async def read(self, *keys: str) -> dict[str, Value]:
        """Return the values of *keys*, all at the same revision.

        Args:
            keys: Those to read; one that ends with ``/`` stands for all keys below it.

        Raises:
            EtcdError: No member answered.
        """
        ranges = [{"requestRange": _range(key)} for key in keys]
        answer = await self._ask("/v3/kv/txn", {"success": ranges})
        found = [kv for one in answer["responses"] for kv in one["response_range"].get("kvs", ())]
        return {
            _text(kv["key"]): Value(_text(kv.get("value", "")), int(kv["mod_revision"]))
            for kv in found
        }

    async def commit(
        self, puts: Mapping[str, str], deletes: Collection[str], *, unless: Mapping[str, int]
    ) -> int:
        """Write and delete keys in one transaction; return its revision, 0 if nothing was done.

        Args:
            puts: What to write.
            deletes: What to delete; what is not there needs nothing.
            unless: Keys with the revision that they were read at, 0 for those that were not there.
                If one of them has changed since, nothing is done.

        Raises:
            EtcdError: No member answered. It may have been done nevertheless.
        """
        wanted = [
            {"key": _b64(key), "target": "MOD", "result": "EQUAL", "modRevision": str(revision)}
            for key, revision in unless.items()
        ]
        steps: list[dict[str, Any]] = [
            {"requestPut": {"key": _b64(key), "value": _b64(value)}} for key, value in puts.items()
        ]
        steps += [{"requestDeleteRange": {"key": _b64(key)}} for key in deletes]
        answer = await self._ask("/v3/kv/txn", {"compare": wanted, "success": steps})
        return int(answer["header"]["revision"]) if answer.get("succeeded") else 0

    async def _ask(self, path: str, question: dict[str, Any]) -> dict[str, Any]:
        """Ask one member after the other.

        That is safe for writes: one that was done before its answer got lost has moved the
        revisions that the next one compares.
        """
        body, why = json.dumps(question).encode(), ""
        for number in range(len(self._endpoints)):
            place = (self._first + number) % len(self._endpoints)
            try:
                answer = await asyncio.to_thread(self._post, self._endpoints[place] + path, body)
            except (OSError, http.client.HTTPException, ValueError) as error:  # or it is not JSON
                why = _reason(error)
                continue
            self._first = place
            return answer
        raise EtcdError(f"etcd does not answer at {', '.join(self._endpoints)}: {why}")

    def _post(self, url: str, body: bytes) -> dict[str, Any]:
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310  # checked at the start
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                decoded: dict[str, Any] = json.load(answer)
                return decoded
        except urllib.error.HTTPError as error:
            with error:
                text = error.read(256).decode(errors="replace").strip()
            if error.code < 500:  # noqa: PLR2004  # the question is wrong, whoever is asked
                raise EtcdError(f"etcd refused the request: {text}") from error
            raise OSError(f"status {error.code}: {text}") from error


def _range(key: str) -> dict[str, str]:
    if not key.endswith("/"):
        return {"key": _b64(key)}
    return {"key": _b64(key), "rangeEnd": _b64(key[:-1] + chr(ord("/") + 1))}


def _reason(error: Exception) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    return "no answer in time" if isinstance(inner, TimeoutError) else str(inner)


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _text(encoded: str) -> str:
    return base64.b64decode(encoded).decode(errors="replace")
