"""`Conversions`: all kinds behind one path, and the answers to the API server."""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec

from kubewright import _json
from kubewright.api.kind import GroupKind
from kubewright.errors import ConversionError, DecodeError, KubewrightError, SchemeError
from kubewright.log import get_logger
from kubewright.webhook.conversion.conversion import Conversion
from kubewright.webhook.conversion.raw import Head, Name, convert_raw
from kubewright.webhook.conversion.review import Request, failure, read_review, success

AT_ONCE: int = 16
"""How many objects are converted before others have their turn: about a millisecond's worth."""

_log = get_logger(__name__)


class _Failure(Exception):  # noqa: N818  # never leaves this module
    pass


class Conversions:
    """The conversions of a program, by group and kind."""

    def __init__(self) -> None:
        self._known: dict[GroupKind, Conversion[Any]] = {}

    def __iter__(self) -> Iterator[Conversion[Any]]:
        return iter(self._known.values())

    def __len__(self) -> int:
        return len(self._known)

    def add(self, conversion: Conversion[Any]) -> None:
        """Add *conversion*.

        Raises:
            SchemeError: It is incomplete, or there is another one for the same kind.
        """
        conversion.check()
        if self._known.setdefault(conversion.group_kind, conversion) is not conversion:
            raise SchemeError(
                f"{conversion.group_kind} has a conversion already: declare all versions with one"
            )

    async def review(self, body: bytes) -> bytes:
        """Answer the ConversionReview in *body*.

        If any object cannot be converted, the review fails as a whole, as Kubernetes wants it; the
        answer says which object it was and why, if a `KubewrightError` does. All other errors, and
        the traceback, go to the log.

        Raises:
            ReviewError: The body is not such a review.
        """
        review, request = read_review(body)
        try:
            return success(review, request.uid, await self._convert(request))
        except _Failure as told:
            return failure(review, request.uid, str(told))

    async def _convert(self, request: Request) -> list[msgspec.Raw]:
        converted: list[msgspec.Raw] = []
        for index, raw in enumerate(request.objects or ()):
            if index and not index % AT_ONCE:
                await asyncio.sleep(0)  # a list may have thousands
            converted.append(self._convert_one(raw, index, request.wanted))
        return converted

    def _convert_one(self, raw: msgspec.Raw, index: int, target: str) -> msgspec.Raw:
        try:
            head = _json.decode(raw, Head)
        except DecodeError as error:
            raise _Failure(f"cannot convert object {index} of the request: {error}") from None
        try:
            return convert_raw(self._conversion_of(head), raw, head, target)
        # A function of the author may raise anything, and encoding what it made may, too.
        except Exception as error:  # noqa: BLE001
            _log.exception(
                "conversion failed",
                kind=head.kind,
                key=_name_of(head),
                version=head.api_version,
                error=f"{type(error).__name__}: {error}",
            )
            where = f"{head.kind or 'an object without kind'} {_name_of(head)!r}"
            way = f"from {head.api_version} to {target}"
            raise _Failure(f"cannot convert {where} {way}: {_spelled(error)}") from None

    def _conversion_of(self, head: Head) -> Conversion[Any]:
        group = head.api_version.rpartition("/")[0]
        wanted = GroupKind(group, head.kind)
        found = self._known.get(wanted)
        if found is not None:
            return found
        if GroupKind(group, head.kind.removesuffix("List")) in self._known:
            raise ConversionError("it is a list; send its items as the objects of the review")
        known = ", ".join(map(str, self._known)) or "no kind"
        raise ConversionError(f"there is no conversion for {wanted}, only for {known}")


def _spelled(error: Exception) -> str:
    """Return *error* for somebody who must not see our code, nor what it works with."""
    if isinstance(error, KubewrightError):
        return str(error)
    return f"{type(error).__name__}; the operator's log says why"


def _name_of(head: Head) -> str:
    try:
        name = _json.decode(head.metadata, Name)
    except DecodeError:
        return ""
    return f"{name.namespace}/{name.name}" if name.namespace else name.name
