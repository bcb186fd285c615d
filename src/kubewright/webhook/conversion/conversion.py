"""`Conversion`: the versions of one kind, and the functions between them."""

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any, Generic, TypeVar

from kubewright.api.kind import GroupKind
from kubewright.api.kind_reference import Kind
from kubewright.api.resource import Resource, definition_of, mapping_of
from kubewright.errors import ConversionError, SchemeError
from kubewright.webhook.conversion.keeping import Pair, annotation_for, run_keeping_step
from kubewright.webhook.conversion.step import run_step

H = TypeVar("H", bound=Resource)
S = TypeVar("S", bound=Resource)
R = TypeVar("R", bound=Resource)
Function = Callable[[Any], Any]


class Conversion(Generic[H]):
    """Converts objects of one kind between its versions, all of them through the hub.

    The functions are pure: they take an object of one version and return a new one of another.
    They need not mention the metadata. That of the object is carried over; only labels and
    annotations are taken from the result, where it sets them. Fields that a class does not know
    cannot be carried over, unless *keep_lost_fields* is set.

    Args:
        hub: The class of the version that all others are converted to and from.
        keep_lost_fields: Keep what a version cannot express in the annotation
            ``<group>/conversion-data``, and restore it on the way back. What was edited meanwhile
            wins over what was kept.

    Example:
        >>> from kubewright.api import Model
        >>> from kubewright.api.resource import resource
        >>> @resource(group="example.com", version="v1")
        ... class Shop(Resource):
        ...     size: int = 1
        >>> @resource(group="example.com", version="v2", kind="Shop")
        ... class NewShop(Resource):
        ...     area: int = 1
        >>> conversion = Conversion(Shop)
        >>> @conversion.to_hub(NewShop)
        ... def to_v1(new: NewShop) -> Shop:
        ...     return Shop(size=new.area)
        >>> @conversion.from_hub(NewShop)
        ... def from_v1(hub: Shop) -> NewShop:
        ...     return NewShop(area=hub.size)
        >>> conversion.convert(NewShop(area=3), Shop).size
        3
    """

    def __init__(self, hub: type[H], *, keep_lost_fields: bool = False) -> None:
        mapping = mapping_of(hub)
        self.hub: type[H] = hub
        self.group_kind: GroupKind = GroupKind(mapping.group, mapping.kind)
        self.keeps_lost_fields: bool = keep_lost_fields
        self.annotation: str = annotation_for(mapping.group)
        self._kinds: dict[str, type[Resource]] = {mapping.gvk.api_version: hub}
        self._to_hub: dict[type[Resource], Function] = {}
        self._from_hub: dict[type[Resource], Function] = {}

    def __repr__(self) -> str:
        return f"Conversion({self.group_kind}, {', '.join(self._kinds)})"

    @property
    def kinds(self) -> Mapping[str, type[Resource]]:
        """The class of each version, by its ``apiVersion``; the hub is the first."""
        return self._kinds

    @property
    def spokes(self) -> tuple[type[Resource], ...]:
        """The classes of all versions but the hub."""
        return tuple(kind for kind in self._kinds.values() if kind is not self.hub)

    def to_hub(self, spoke: type[S]) -> Callable[[Callable[[S], H]], Callable[[S], H]]:
        """Declare the function that makes a hub of a *spoke*.

        Raises:
            SchemeError: It is not a version of the same kind, has such a function, or is async.
            TypeError: The parentheses are missing.
        """
        return self._declare(spoke, self._to_hub, "to_hub")

    def from_hub(self, spoke: type[S]) -> Callable[[Callable[[H], S]], Callable[[H], S]]:
        """Declare the function that makes a *spoke* of a hub.

        Raises:
            SchemeError: It is not a version of the same kind, has such a function, or is async.
            TypeError: The parentheses are missing.
        """
        return self._declare(spoke, self._from_hub, "from_hub")

    def check(self) -> None:
        """Find out whether every version can be converted to every other.

        Raises:
            SchemeError: There are no spokes, or one of them has only one of its functions.
        """
        if not self.spokes:
            raise SchemeError(
                f"the conversion of {self.group_kind} has one version only: declare"
                " @conversion.to_hub(...) and @conversion.from_hub(...) for the others"
            )
        for spoke in self.spokes:
            for word, known in (("to_hub", self._to_hub), ("from_hub", self._from_hub)):
                if spoke not in known:
                    raise SchemeError(
                        f"{_title(spoke)} cannot be converted both ways: declare"
                        f" @conversion.{word}({spoke.__name__}) of {_title(spoke)}, too"
                    )

    def convert(self, obj: Resource, kind: type[R]) -> R:
        """Return *obj* as a *kind*; itself, if it is one already.

        Raises:
            ConversionError: One of the two is no version of this kind, or a function returned
                something that is not what it promises. What functions raise is raised as it is.
        """
        for each in (type(obj), kind):
            if self._kinds.get(each.__api_version__) is not each:
                known = ", ".join(map(_title, self._kinds.values()))
                raise ConversionError(f"{_title(each)} is none of the versions {known}")
        # The API server converts from the stored version to show an object, and to it to store one.
        is_read = definition_of(type(obj)).storage
        for target in self._way(type(obj), kind):
            obj = self._step(obj, target, is_read=is_read)
        assert isinstance(obj, kind)
        return obj

    def _way(self, source: type[Resource], target: type[Resource]) -> list[type[Resource]]:
        if source is target:
            return []
        return [target] if self.hub in (source, target) else [self.hub, target]

    def _step(self, obj: Resource, kind: type[R], *, is_read: bool) -> R:
        pair = self._functions(type(obj), kind)
        if self.keeps_lost_fields:
            return run_keeping_step(pair, obj, kind, annotation=self.annotation, is_read=is_read)
        return run_step(pair.forth, obj, kind)

    def _functions(self, source: type[Resource], target: type[Resource]) -> Pair:
        spoke = source if target is self.hub else target
        try:
            to_hub, from_hub = self._to_hub[spoke], self._from_hub[spoke]
        except KeyError:
            raise ConversionError(
                f"{_title(spoke)} has only one of its two functions, to_hub and from_hub"
            ) from None
        return Pair(to_hub, from_hub) if target is self.hub else Pair(from_hub, to_hub)

    def _declare(
        self, spoke: type[Resource], known: dict[type[Resource], Function], word: str
    ) -> Callable[[Any], Any]:
        if not isinstance(spoke, type | Kind) and callable(spoke):
            name = getattr(spoke, "__name__", repr(spoke))
            raise TypeError(
                f"{name} stands alone in conversion.{word}: write @conversion.{word}(Kind)"
            )
        api_version = self._checked(spoke)

        def declare(function: Any) -> Any:
            if spoke in known:
                raise SchemeError(f"there is a {word} for {_title(spoke)} already")
            if iscoroutinefunction(function):
                raise SchemeError(
                    f"{function.__qualname__} is async, and conversions cannot wait for anything:"
                    " write `def`, and use the object only"
                )
            if not callable(function) or isinstance(function, type):
                raise SchemeError(f"conversion.{word}({spoke.__name__}) decorates a function")
            self._kinds[api_version] = spoke
            known[spoke] = function
            return function

        return declare

    def _checked(self, spoke: type[Resource]) -> str:
        """Return the ``apiVersion`` of *spoke*, which must be another version of our kind."""
        mapping = mapping_of(spoke)
        if GroupKind(mapping.group, mapping.kind) != self.group_kind:
            raise SchemeError(
                f"{_title(spoke)} is not a version of {self.group_kind}: a conversion is between"
                " versions of one kind in one group"
            )
        api_version = mapping.gvk.api_version
        if self._kinds.get(api_version, spoke) is not spoke or spoke is self.hub:
            what = "the hub" if api_version == self.hub.__api_version__ else "another class"
            raise SchemeError(f"{_title(spoke)}: {what} has that version already")
        return api_version


def _title(kind: type[Resource]) -> str:
    return f"{kind.__api_version__} {kind.__kind__}" if kind.__kind__ else kind.__name__
