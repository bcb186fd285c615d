"""Which objects a list or a watch selects, by label and field selectors."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from kubewright.api.field_selectors import FieldSelector, FieldTerm
from kubewright.api.selectors import Selector
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event, Stored
from kubewright.apiserver.wire.route import Query, Route

_SLICE = 1000  # objects that are looked at in one turn of the loop
ALWAYS: frozenset[str] = frozenset({"metadata.name", "metadata.namespace"})


class _Fields:
    """A field selector, indexed by field, so that many terms cost as little as one."""

    __slots__ = ("_refused", "_wanted", "names")

    def __init__(self, terms: Iterable[FieldTerm]) -> None:
        self._wanted: dict[str, set[str]] = {}
        self._refused: dict[str, set[str]] = {}
        for term in terms:
            sort = self._wanted if term.operator == "=" else self._refused
            sort.setdefault(term.field, set()).add(term.value)
        self.names: frozenset[str] = frozenset((*self._wanted, *self._refused))

    def matches(self, values: Mapping[str, str]) -> bool:
        """Whether an object with these *values* is selected; a missing one counts as empty."""
        for name, wanted in self._wanted.items():
            if wanted != {values.get(name, "")}:
                return False
        return all(values.get(name, "") not in refused for name, refused in self._refused.items())


class Selection:
    """Decides whether an object is selected, with as little decoding as possible.

    Args:
        resource: The resource in the version that the server works in.
        labels: A label selector.
        fields: A field selector.
        name: Only the object of this name.
        rename: Returns what the stored version calls a field.
    """

    __slots__ = ("_fields", "_key_only", "_labels", "_resource", "_seen", "converts", "everything")

    def __init__(
        self,
        resource: Resource,
        labels: str,
        fields: str,
        *,
        name: str = "",
        rename: Callable[[str], str] | None = None,
    ) -> None:
        self._resource = resource
        self._labels = _parsed_labels(labels) if labels else None
        terms = _parsed_fields(fields, resource, rename).terms if fields else ()
        if name:
            terms = (*terms, FieldTerm("metadata.name", "=", name))
        self._fields = _Fields(terms) if terms else None
        if self._labels is not None and self._labels.selects_everything:
            self._labels = None
        self.everything: bool = self._labels is None and self._fields is None
        self._key_only = self._fields is None or self._fields.names <= ALWAYS
        # Fields of a custom resource are those of the requested version, not of the stored one.
        self.converts: bool = resource.custom and not self._key_only
        self._seen: dict[Stored, dict[str, str]] = {}

    def matches(self, stored: Stored) -> bool:
        """Whether *stored* is selected."""
        if self.everything:
            return True
        if self._labels is not None and not self._labels.matches(stored.labels()):
            return False
        return self._fields is None or self._fields.matches(self._values(stored))

    def around(self, event: Event) -> tuple[bool, bool]:
        """Return whether the object was selected before *event*, and whether it is after it."""
        before, after = event.previous, None if event.type == "DELETED" else event.current
        return (
            before is not None and self._matches_in(event, before),
            after is not None and self._matches_in(event, after),
        )

    def _matches_in(self, event: Event, stored: Stored) -> bool:
        if self._fields is None or self._key_only:
            return self.matches(stored)
        # Every kubelet watches the pods of its own node: decoded once, not once for each node.
        place = (self._resource, stored)
        values = event.memo.get(place)
        if values is None:
            values = event.memo[place] = self._values(stored)
        if not self._fields.matches(values):
            return False
        return self._labels is None or self._labels.matches(stored.labels())

    def _values(self, stored: Stored) -> dict[str, str]:
        namespace, _, name = stored.key.rpartition("/")
        values = {"metadata.name": name, "metadata.namespace": namespace}
        if not self._key_only:
            values |= self._seen.get(stored) or self._selectable(stored.decode())
        return values

    def _selectable(self, obj: Obj) -> dict[str, str]:
        return self._resource.strategy.selectable_fields(obj)

    async def see(self, event: Event) -> None:
        """Convert the objects of *event*, if they are stored in another version."""
        both = [one for one in (event.previous, event.current) if one is not None]
        new = [one for one in both if (self._resource, one) not in event.memo]
        await self._convert(new)
        for stored in new:
            event.memo[self._resource, stored] = self._values(stored)
        self._seen.clear()

    async def _convert(self, objects: Sequence[Stored]) -> None:
        odd = [one for one in objects if not view.is_plain(self._resource, one)]
        converted = await view.converted(self._resource, odd) if odd else ()
        for stored, obj in zip(odd, converted, strict=True):
            self._seen[stored] = self._selectable(obj)

    async def of(self, objects: Sequence[Stored]) -> Sequence[Stored]:
        """Return those of *objects* that are selected."""
        if self.everything:
            return objects
        if self.converts:
            await self._convert(objects)
        matches, chosen = self.matches, list[Stored]()
        for start in range(0, len(objects), _SLICE):
            if start:
                await asyncio.sleep(0)  # others want to be served, too
            chosen += [one for one in objects[start : start + _SLICE] if matches(one)]
        self._seen.clear()
        return chosen


def selected_name(route: Route, query: Query) -> str:
    """Return the one name that a list or watch can find, for access rules; empty if any.

    It is the first that the field selector demands, so that nothing of another name comes along.
    """
    text = query.get("fieldSelector", "")
    if "metadata.name" not in text or route.name or route.verb not in ("list", "watch"):
        return ""
    try:
        terms = FieldSelector.parse(text).terms
    except ValueError:
        return ""  # reported later, to users who may ask
    name, equal = "metadata.name", "="
    return next((t.value for t in terms if (t.field, t.operator) == (name, equal)), "")


def _parsed_labels(text: str) -> Selector:
    try:
        return Selector.parse(text)
    except ValueError as error:
        from kubewright.apiserver.meta.selector_problem import label_selector_problem

        why = label_selector_problem(text) or f"unable to parse requirement: {error}"
        raise status.bad_request(why) from None


def _parsed_fields(
    text: str, resource: Resource, rename: Callable[[str], str] | None
) -> FieldSelector:
    try:
        selector = FieldSelector.parse(text)
    except ValueError as error:
        raise status.bad_request(f"invalid selector: {text!r}; {error}") from None
    if rename is not None:
        terms = [msgspec.structs.replace(term, field=rename(term.field)) for term in selector.terms]
        selector = FieldSelector(tuple(terms))
    for term in selector.terms:
        if term.field not in ALWAYS and not resource.strategy.allows_field(term.field):
            raise status.bad_request(_unsupported(term.field, resource))
    return selector


def _unsupported(path: str, resource: Resource) -> str:
    if resource.custom or resource.strategy.field_names:
        return f"field label not supported: {path}"
    return f'"{path}" is not a known field selector: only "metadata.name", "metadata.namespace"'
