"""The elements of two lists, matched by some of their fields, or by their value."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.scaffold.kustomize.node import Node, is_empty, is_missing, sort_of, written
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.scalar import Scalar

__all__ = ["ElementMerge"]

Values = tuple[str, ...]
_ITSELF = ""  # the key of an element that is a single value


class ElementMerge:
    """Merges the elements of a patch into those of a list, the patch's first.

    Args:
        keys: The fields that tell elements apart; none for lists of single values.
        merge: Merges two elements, either of which may be missing.
        where: The path of the list, for messages.
    """

    def __init__(
        self, keys: list[str], merge: Callable[[Node | None, Node | None], Any], where: str
    ) -> None:
        self._keys = keys or [_ITSELF]
        self._merge = merge
        self._where = where

    def merged(self, into: list[Any], patch: list[Any]) -> list[Any]:
        """Return the merged list."""
        wanted = self._wanted(into, patch)
        if len(self._keys) > 1:
            wanted = _completed(wanted)
        result: list[Any] = []
        keys: list[str] = []
        for values in wanted:
            keys, own = self._given(wanted, values)
            element = self._merged_element(into, patch, keys=keys, values=own)
            if is_missing(element) or element == {}:
                into[:] = self._replaced(into, None, keys, own)
            else:
                result[:] = self._replaced(result, element, keys, own)
        return self._followed(result, into, keys) if wanted else into

    def _wanted(self, into: list[Any], patch: list[Any]) -> list[Values]:
        """Return the values of the keys of all elements, each once."""
        if self._keys == [_ITSELF]:
            return list(dict.fromkeys((written(one),) for one in (*patch, *into)))
        return list(dict.fromkeys(self._values(one) for one in (*patch, *into)))

    def _values(self, element: Node) -> Values:
        if not isinstance(element, dict):
            return ("",) * len(self._keys)
        found = (element.get(key) for key in self._keys)
        return tuple("" if is_empty(value) else written(value) for value in found)

    def _given(self, wanted: list[Values], values: Values) -> tuple[list[str], list[str]]:
        """Return the keys that some element has, and the values of one element for them."""
        used = [any(one[at] for one in wanted) for at in range(len(self._keys))]
        if not any(used):
            return self._keys, list(values)
        pairs = zip(self._keys, values, used, strict=True)
        kept = [(key, value) for key, value, is_used in pairs if is_used]
        return [key for key, _ in kept], [value for _, value in kept]

    def _merged_element(
        self, into: list[Any], patch: list[Any], *, keys: list[str], values: list[str]
    ) -> Any:
        given = [(key, value) for key, value in zip(keys, values, strict=True) if value]
        pairs = given or list(zip(keys, values, strict=True))
        element = self._merge(_found(into, pairs), _found(patch, pairs))
        if isinstance(element, dict) and element:
            for key, value in zip(keys, values, strict=True):
                if value and key not in element:
                    element[key] = Scalar(value)
        return element

    def _replaced(
        self, elements: list[Any], new: Node | None, keys: list[str], values: list[str]
    ) -> list[Any]:
        """Return *elements* with *new* for those that match, or at the end; ``None`` removes."""
        result, is_there = [], False
        for one in elements:
            if is_missing(one) or one == {}:
                continue
            if not isinstance(one, dict) and keys[0] and values and values[0]:
                result.append(one)
            elif not self._matches(one, keys, values):
                if values:
                    result.append(one)
            else:
                is_there = True
                if new is not None:
                    result.append(new)
        if new is not None and not is_missing(new) and not is_there:
            result.append(new)
        return result

    def _matches(self, element: Node, keys: list[str], values: list[str]) -> bool:
        if not values:
            return False
        for key, value in _paired(keys, values):
            if key == _ITSELF:
                self._check(element, Scalar)
                if written(element) != value:
                    return False
            else:
                self._check(element, dict)
                assert isinstance(element, dict)
                if key not in element or (value and written(element[key]) != value):
                    return False
        return True

    def _followed(self, result: list[Any], rest: list[Any], keys: list[str]) -> list[Any]:
        """Return *result* with the elements of *rest*, in their places or behind."""
        for one in list(rest):
            if keys[0] == _ITSELF:
                result[:] = self._replaced(result, one, keys, [written(one)])
                continue
            if is_missing(one):
                result.append(one)
                result[:] = self._replaced(result, one, keys, [])
                continue
            self._check(one, dict)
            values = []
            for key in keys:
                if key in one:
                    values.append(written(one[key]))
                else:
                    result.append(one)
            if len(keys) > 1:
                result[:] = self._replaced(result, None, keys, values)
            result[:] = self._replaced(result, one, keys, values)
        return result

    def _check(self, element: Node, wanted: type) -> None:
        if not isinstance(element, wanted):
            raise ProblemError(
                f"{self._where}: an element is {sort_of(element)}, and others are not"
            )


def _paired(keys: list[str], values: list[str]) -> Iterator[tuple[str, str]]:
    """Yield keys and values; keys without a value are found where the one before is."""
    return zip(keys, values, strict=False)


def _found(elements: list[Any], pairs: list[tuple[str, str]]) -> Node | None:
    """Return the first element that has all of these values."""
    for one in elements:
        if pairs[0][0] == _ITSELF:
            if written(one) == pairs[0][1]:
                return one  # type: ignore[no-any-return]  # an element is a node
        elif isinstance(one, dict) and all(
            key in one and written(one[key]) == value for key, value in pairs
        ):
            return one
    return None


def _completed(wanted: list[Values]) -> list[Values]:
    """Return *wanted* with values filled in, where elements differ in what one leaves out only.

    A port without a protocol and the same port with one are one port.
    """
    completed = list(wanted)
    for i, first in enumerate(completed):
        for j, second in enumerate(completed):
            if (both := _combined(first, second)) is not None:
                completed[i] = completed[j] = both
    return completed


def _combined(first: Values, second: Values) -> Values | None:
    pairs = list(zip(first, second, strict=True))
    if any(a and b and a != b for a, b in pairs) or not any(a == b for a, b in pairs):
        return None
    return tuple(a or b for a, b in pairs)
