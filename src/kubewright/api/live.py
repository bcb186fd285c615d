"""Collections and metadata whose changes arrive where they were taken from."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

import msgspec

from kubewright import _json
from kubewright.api.meta import ObjectMeta

__all__ = ["LiveDict", "LiveList", "LiveMeta"]

K = TypeVar("K")
V = TypeVar("V")
Put = Callable[[Any], None]

_assign = msgspec.structs.force_setattr
_OF = "_of"


def _telling(method: Any) -> Any:
    """Return *method* such that the collection tells that it has changed."""

    def change(self: Any, *args: Any, **options: Any) -> Any:
        answer = method(self, *args, **options)
        self.put(self)
        return answer

    return change


class LiveDict(dict[K, V]):
    """A dict that hands itself to *put* after each change of its entries."""

    def __init__(self, entries: dict[K, V], put: Put) -> None:
        super().__init__(entries)
        self.put: Put = put

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # a copy is a plain one


class LiveList(list[V]):
    """A list that hands itself to *put* after each change of its items."""

    def __init__(self, items: Iterable[V], put: Put) -> None:
        super().__init__(items)
        self.put: Put = put

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


_CHANGES = {
    LiveDict: "__setitem__ __delitem__ __ior__ update setdefault pop popitem clear",
    LiveList: """
        __setitem__ __delitem__ __iadd__ __imul__ append extend insert remove pop clear sort reverse
    """,
}
for _kind, _names in _CHANGES.items():
    for _name in _names.split():
        setattr(_kind, _name, _telling(getattr(_kind, _name)))


class LiveMeta(ObjectMeta, dict=True, gc=True):
    """The metadata of a document with its types; changes are made in the document, too.

    Everything else in the document stays unchanged, including unknown fields.
    """

    _COLLECTIONS: ClassVar[dict[str, Callable[[Any, Put], Any]]] = {
        "labels": LiveDict,
        "annotations": LiveDict,
        "owner_references": LiveList,
        "finalizers": LiveList,
    }

    @classmethod
    def of(cls, document: dict[str, Any]) -> "LiveMeta":
        """Return the metadata of *document* as it is now."""
        made = _json.convert(document.get("metadata") or {}, cls)
        for name, live in cls._COLLECTIONS.items():
            _assign(made, name, live(getattr(made, name), _putting(document, name)))
        made.__dict__[_OF] = document
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        document = self.__dict__.get(_OF)
        if document is not None:
            put = _putting(document, name)
            put(value)
            live = self._COLLECTIONS.get(name)
            value = value if live is None else live(value, put)
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectMeta) and _values(self) == _values(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain, (msgspec.structs.asdict(self),)


_WIRE = dict(zip(ObjectMeta.__struct_fields__, ObjectMeta.__struct_encode_fields__, strict=True))


def _putting(document: dict[str, Any], name: str) -> Put:
    """Return the function that writes the field *name* into the metadata of *document*."""
    field = _WIRE[name]

    def put(value: Any) -> None:
        metadata = document.get("metadata")
        if metadata is None:
            metadata = document["metadata"] = {}
        written = _json.to_builtins(value)
        if written in (None, "", [], {}):
            metadata.pop(field, None)
        else:
            metadata[field] = written

    return put


def _values(metadata: ObjectMeta) -> tuple[Any, ...]:
    return msgspec.structs.astuple(metadata)


def _plain(fields: dict[str, Any]) -> ObjectMeta:
    return ObjectMeta(**fields)
