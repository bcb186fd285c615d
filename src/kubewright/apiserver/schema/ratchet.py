"""Ratcheting: an update is not rejected for invalid values that it does not change.

`Correlated` pairs a value of the new object with the old value it came from, where that can be
determined: fields by name, elements of list-maps by their keys.
"""

from typing import Any

from kubewright.apiserver.schema.prune import child_of
from kubewright.apiserver.schema.tree import Schema


class Correlated:
    """A new value and the old one it came from; callers use ``None`` if there is no old value."""

    __slots__ = ("_children", "_equal", "_old_items", "new", "old", "schema")

    def __init__(self, new: Any, old: Any, schema: Schema) -> None:
        self.new: Any = new
        self.old: Any = old
        self.schema: Schema = schema
        self._children: dict[str | int, Correlated | None] = {}
        self._equal: bool | None = None
        self._old_items: dict[Any, Any] | None = None

    def key(self, name: str) -> "Correlated | None":
        """Return the pair for a field that both objects and the schema have, or ``None``."""
        if name not in self._children:
            self._children[name] = self._pair(name)
        return self._children[name]

    def _pair(self, name: str) -> "Correlated | None":
        if not isinstance(self.old, dict) or not isinstance(self.new, dict):
            return None
        child = child_of(self.schema, name)
        if child is None or name not in self.old or name not in self.new:
            return None
        return Correlated(self.new[name], self.old[name], child)

    def index(self, position: int) -> "Correlated | None":
        """Return the pair for an element of a list-map, or ``None``."""
        if position not in self._children:
            old = self._old_element(self.new[position])
            items = self.schema.items
            pair = (
                None if old is None or items is None else Correlated(self.new[position], old, items)
            )
            self._children[position] = pair
        return self._children[position]

    def _old_element(self, element: Any) -> Any:
        if not isinstance(self.old, list) or self.schema.list_type != "map":
            return None
        if self._old_items is None:
            self._old_items = keyed(self.old, self.schema.list_map_keys)
        return find_element(self._old_items, element, self.schema.list_map_keys)

    def unchanged(self) -> bool:
        """Return whether new and old are equal apart from the order of list-maps."""
        if self._equal is None:
            self._equal = self._compare()
        return self._equal

    def _compare(self) -> bool:
        new, old = self.new, self.old
        if isinstance(new, list) and isinstance(old, list):
            if self.schema.list_type != "map":
                return same(new, old)
            if len(new) != len(old):
                return False
            return all(_unchanged(self.index(place)) for place in range(len(new)))
        if isinstance(new, dict) and isinstance(old, dict):
            return len(new) == len(old) and all(_unchanged(self.key(name)) for name in new)
        return same(new, old)


def _unchanged(pair: Correlated | None) -> bool:
    return pair is not None and pair.unchanged()


def same(new: Any, old: Any) -> bool:
    """Return whether two JSON values are equal; unlike in Python, true is not 1."""
    if isinstance(new, bool) or isinstance(old, bool):
        return new is old
    if isinstance(new, dict) and isinstance(old, dict):
        return new.keys() == old.keys() and all(same(new[key], old[key]) for key in new)
    if isinstance(new, list) and isinstance(old, list):
        return len(new) == len(old) and all(map(same, new, old))
    return bool(new == old)


def frozen(value: Any) -> Any:
    """Return a hashable that is equal for values that are the `same`."""
    if isinstance(value, bool):
        return bool, value
    if isinstance(value, dict):
        return dict, frozenset((key, frozen(item)) for key, item in value.items())
    return (list, tuple(map(frozen, value))) if isinstance(value, list) else value


def element_key(element: Any, keys: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Return the key values of an element of a list-map; ``None`` if any is missing."""
    if not isinstance(element, dict):
        return None
    found = []
    for name in keys:
        value = element.get(name)
        if not isinstance(value, str | int | float):
            return None
        found.append((type(value) is bool, value))
    return tuple(found)


def keyed(elements: list[Any], keys: tuple[str, ...]) -> dict[Any, Any]:
    """Return the elements of a list-map by their keys; of duplicates, the first."""
    found: dict[Any, Any] = {}
    for element in elements:
        key = element_key(element, keys)
        if key is not None:
            found.setdefault(key, element)
    return found


def find_element(elements: dict[Any, Any], element: Any, keys: tuple[str, ...]) -> Any:
    """Return the element with the same keys, or ``None``."""
    key = element_key(element, keys) if keys else None
    return elements.get(key) if key is not None else None
