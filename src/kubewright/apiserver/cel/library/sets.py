"""``sets.contains``, ``sets.equivalent`` and ``sets.intersects``."""

from typing import Any

from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.values import contains


def _contains(items: list[Any], others: list[Any]) -> bool:
    return all(contains(items, other) for other in others)


def _equivalent(items: list[Any], others: list[Any]) -> bool:
    return _contains(items, others) and _contains(others, items)


def _intersects(items: list[Any], others: list[Any]) -> bool:
    return any(contains(others, item) for item in items)


_SIGNATURE = "(list(T), list(T)) -> bool"

declare(
    {
        "sets.contains": [Overload("list_sets_contains_list", _SIGNATURE, _contains)],
        "sets.equivalent": [Overload("list_sets_equivalent_list", _SIGNATURE, _equivalent)],
        "sets.intersects": [Overload("list_sets_intersects_list", _SIGNATURE, _intersects)],
    }
)
