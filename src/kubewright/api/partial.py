"""`PartialObjectMetadata`: the metadata of an object whose other fields were not asked for."""

from functools import cache
from typing import Any

import msgspec

from kubewright.api.changes import mark_partial
from kubewright.api.definition import Definition
from kubewright.api.kind import RESTMapping
from kubewright.api.meta import ObjectMeta
from kubewright.api.resource import Resource, mapping_of

_assign = msgspec.structs.force_setattr


class PartialObjectMetadata(Resource):
    """An object of any kind, of which only the metadata was read.

    `PartialObjectMetadata.of` makes a class for each kind, so that an object says what it really
    is, and can be patched and deleted like one that was read whole. It cannot be sent whole: what
    is not there would be removed.

    Example:
        >>> shops = RESTMapping("example.com", "v1", "Shop", "shops")
        >>> PartialObjectMetadata.of(shops)().kind
        'Shop'
    """

    def __post_init__(self) -> None:
        # The server says of what it sends that it is partial, not what it is a part of.
        if self.__kind__:
            _assign(self, "kind", self.__kind__)
            _assign(self, "api_version", self.__api_version__)
        mark_partial(self, "only its metadata was read")

    @staticmethod
    def of(kind: type[Resource] | RESTMapping) -> "type[PartialObjectMetadata]":
        """Return the class for the metadata of objects of *kind*; the same one every time."""
        return _class_for(kind if isinstance(kind, RESTMapping) else mapping_of(kind))

    def __reduce__(self) -> tuple[Any, ...]:
        # A class that was made here cannot be found by its name, as pickle would.
        return _rebuilt, (mapping_of(type(self)), self.metadata, self.__dict__)


@cache
def _class_for(mapping: RESTMapping) -> type[PartialObjectMetadata]:
    class Partial(PartialObjectMetadata):
        __doc__ = f"The metadata of a {mapping.kind}."

    Partial.__name__ = Partial.__qualname__ = f"Partial{mapping.kind}"
    Partial.__definition__ = Definition(mapping=mapping)
    Partial.__kind__ = mapping.kind
    Partial.__api_version__ = mapping.gvk.api_version
    return Partial


def _rebuilt(
    mapping: RESTMapping, metadata: ObjectMeta, remembered: dict[str, Any]
) -> PartialObjectMetadata:
    rebuilt = _class_for(mapping)(metadata=metadata)
    rebuilt.__dict__.update(remembered)
    return rebuilt
