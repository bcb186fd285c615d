"""`Scheme`: which Python class stands for which kind."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.kind import GroupVersionKind
from kubewright.api.resource import Resource, gvk_of, read
from kubewright.api.unstructured import Unstructured
from kubewright.errors import DecodeError, SchemeError

__all__ = ["Finder", "Scheme"]

C = TypeVar("C", bound="type[Resource]")

Finder = Callable[[GroupVersionKind], type[Resource] | None]
"""Looks for the class of a kind that is not registered, such as a built-in one, when asked."""


class _TypeMeta(msgspec.Struct, frozen=True, gc=False):
    """The two fields that say what an object is; all others are skipped unread."""

    api_version: str | None = msgspec.field(default=None, name="apiVersion")
    kind: str | None = None


class Scheme:
    """Maps kinds to classes and back, and decodes objects of any kind.

    Args:
        kinds: Classes to register.
        finders: Asked in turn for a kind that is not registered. The built-in kinds come by one,
            so that a module is imported only when one of its objects turns up.

    Example:
        >>> scheme = Scheme()
        >>> type(scheme.decode(b'{"apiVersion": "v1", "kind": "Unheard"}')).__name__
        'Unstructured'
    """

    def __init__(
        self, kinds: Iterable[type[Resource]] = (), *, finders: Iterable[Finder] = ()
    ) -> None:
        self._kinds: dict[GroupVersionKind, type[Resource]] = {}
        self._finders: list[Finder] = list(finders)
        for kind in kinds:
            self.register(kind)

    def register(self, kind: C) -> C:
        """Register a class and return it; registering it again changes nothing.

        Raises:
            SchemeError: Another class stands for the same kind, or it is not a resource.
        """
        gvk = gvk_of(kind)
        present = self._kinds.setdefault(gvk, kind)
        if present is not kind:
            raise SchemeError(
                f"cannot register {_where(kind)} for {gvk}: {_where(present)} is registered for it."
                " Use that class, or give one of them another version."
            )
        return kind

    def add_finder(self, finder: Finder) -> None:
        """Ask *finder*, after the existing finders, for kinds that are not registered."""
        self._finders.append(finder)

    def find(self, gvk: GroupVersionKind) -> type[Resource] | None:
        """Return the class that stands for *gvk*, or ``None``."""
        found = self._kinds.get(gvk)
        if found is not None:
            return found
        for finder in self._finders:
            found = finder(gvk)
            if found is not None:
                self._kinds[gvk] = found
                return found
        return None

    def get(self, gvk: GroupVersionKind) -> type[Resource]:
        """Return the class that stands for *gvk*.

        Raises:
            SchemeError: There is none.
        """
        found = self.find(gvk)
        if found is None:
            raise SchemeError(
                f"no class stands for {gvk}: import the module that declares it and register it"
                f" with scheme.register({gvk.kind}), or use kw.Unstructured.{self._others(gvk)}"
            )
        return found

    def _others(self, gvk: GroupVersionKind) -> str:
        """Suggest a similar kind: the usual mistake is another version or group."""
        near = sorted(str(one) for one in self._kinds if one.kind.lower() == gvk.kind.lower())
        return f" Registered are: {', '.join(near)}." if near else ""

    def decode(self, raw: bytes | Mapping[str, Any]) -> Resource | Unstructured:
        """Decode an object as the class of its ``apiVersion`` and ``kind``.

        An object of a kind without a class becomes an `Unstructured`. Both remember the document,
        so that an update keeps fields which a class does not know.

        Raises:
            DecodeError: It is not JSON, does not say what it is, or does not fit its class.
        """
        data = raw if isinstance(raw, bytes) else _json.encode(raw)
        kind = self.find(_gvk_in(data))
        if kind is not None:
            return read(data, kind)
        return Unstructured.read(data)

    def __contains__(self, kind: GroupVersionKind | type[Resource]) -> bool:
        if isinstance(kind, GroupVersionKind):
            return self.find(kind) is not None
        return self._kinds.get(gvk_of(kind)) is kind

    def __iter__(self) -> Iterator[type[Resource]]:
        """Go through the classes that are registered, or have been found, so far."""
        return iter(tuple(self._kinds.values()))

    def __len__(self) -> int:
        return len(self._kinds)


def _gvk_in(data: bytes) -> GroupVersionKind:
    head = _json.decode(data, _TypeMeta)
    if not head.api_version or not head.kind:
        start = data[:60]
        raise DecodeError(
            f"cannot decode an object without apiVersion and kind; it begins with {start!r}"
        )
    try:
        return GroupVersionKind.of(head.api_version, head.kind)
    except ValueError as error:
        raise DecodeError(f"cannot decode a {head.kind}: {error}") from None


def _where(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
