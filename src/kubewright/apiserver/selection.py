"""Which objects a list or a watch is about: its label and field selectors."""

from collections.abc import Callable, Sequence

import msgspec

from kubewright.api.field_selectors import FieldSelector
from kubewright.api.selectors import Selector
from kubewright.apiserver import status
from kubewright.apiserver.resource import Resource
from kubewright.apiserver.route import Query, Route
from kubewright.apiserver.storage import Event, Stored
from kubewright.apiserver.strategy import Obj

ALWAYS: frozenset[str] = frozenset({"metadata.name", "metadata.namespace"})


class Selection:
    """Decides whether an object is asked for, by as little decoding as possible.

    Args:
        resource: The resource in the version in which it is stored.
        labels: A label selector.
        fields: A field selector.
        name: Only the object of this name.
        rename: Returns what the stored version calls a field.
    """

    __slots__ = ("_fields", "_key_only", "_labels", "_resource", "everything")

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
        self._fields = _parsed_fields(fields, resource, rename) if fields else None
        if name:
            by_name = FieldSelector.of({"metadata.name": name})
            self._fields = by_name if self._fields is None else self._fields & by_name
        if self._fields is not None and self._fields.selects_everything:
            self._fields = None
        if self._labels is not None and self._labels.selects_everything:
            self._labels = None
        self.everything: bool = self._labels is None and self._fields is None
        self._key_only = self._fields is None or all(
            term.field in ALWAYS for term in self._fields.terms
        )

    def matches(self, stored: Stored) -> bool:
        """Whether *stored* is asked for."""
        if self.everything:
            return True
        if self._labels is not None and not self._labels.matches(stored.labels()):
            return False
        return self._fields is None or self._fields.matches(self._values(stored))

    def around(self, event: Event) -> tuple[bool, bool]:
        """Return whether the object was asked for before *event*, and whether it is after it."""
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
            obj: Obj = stored.decode()
            values |= self._resource.strategy.selectable_fields(obj)
        return values

    def of(self, objects: Sequence[Stored]) -> Sequence[Stored]:
        """Return those of *objects* that are asked for."""
        if self.everything:
            return objects
        matches = self.matches
        return [stored for stored in objects if matches(stored)]


def selected_name(route: Route, query: Query) -> str:
    """Return the one name that a list or watch can find, which access rules may allow; or nothing.

    It is the first that the field selector demands, so that nothing of another name comes along.
    """
    text = query.get("fieldSelector", "")
    if "metadata.name" not in text or route.name or route.verb not in ("list", "watch"):
        return ""
    try:
        terms = FieldSelector.parse(text).terms
    except ValueError:
        return ""  # which is told later, to those who may ask
    name, equal = "metadata.name", "="
    return next((t.value for t in terms if (t.field, t.operator) == (name, equal)), "")


def _parsed_labels(text: str) -> Selector:
    try:
        return Selector.parse(text)
    except ValueError as error:
        from kubewright.apiserver.selector_problem import (  # noqa: PLC0415  # few are wrong
            label_selector_problem,
        )

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
