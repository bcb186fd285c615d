"""Conditions: the list in ``status.conditions`` that people and ``kubectl wait`` read."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol, TypeVar

import msgspec

from kubewright.api.meta import Condition
from kubewright.api.names import check_label_key
from kubewright.api.times import to_seconds

__all__ = [
    "ConditionLike",
    "check_condition",
    "find_condition",
    "is_condition_false",
    "is_condition_true",
    "remove_condition",
    "set_condition",
]


class ConditionLike(Protocol):
    """The fields that all condition classes share; deployments, pods and nodes have their own."""

    @property
    def type(self) -> str | None:
        """The type of the condition, such as ``"Available"``."""

    @property
    def status(self) -> str | None:
        """``"True"``, ``"False"`` or ``"Unknown"``."""


T = TypeVar("T", bound=ConditionLike)

_STATUSES: Final = ("True", "False", "Unknown")
_REASON: Final = r"[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_MAX_REASON: Final = 1024
_MAX_MESSAGE: Final = 32768


def set_condition(
    conditions: Sequence[Condition], new: Condition, *, now: datetime
) -> list[Condition]:
    """Return *conditions* with *new* in place of the entry of the same type.

    The transition time moves to *now* only when the status flips. A new
    message alone does not move it, so an alert such as "not Ready for ten
    minutes" keeps its clock.

    Args:
        conditions: The list read from ``status.conditions``; not modified.
        new: The condition to record. Its own transition time is ignored.
        now: The current time, with a time zone; kept in whole seconds, as the server does.

    Returns:
        A new list: other entries keep their place, a new type goes last. It
        equals *conditions* when nothing changed, so callers can skip the write.

    Raises:
        ValueError: The server would refuse the condition, or *now* has no time zone.

    Example:
        >>> from datetime import UTC
        >>> ready = Condition(type="Ready", status="True", reason="AllReplicasUp")
        >>> set_condition([], ready, now=datetime(2026, 1, 1, tzinfo=UTC))[0].status
        'True'
    """
    check_condition(new)
    moment = to_seconds(now)
    old = find_condition(conditions, new.type)
    if old is None:
        return [*conditions, msgspec.structs.replace(new, last_transition_time=moment)]
    since = old.last_transition_time if old.status == new.status else moment
    dated = msgspec.structs.replace(new, last_transition_time=since or moment)
    # The server refuses a second entry of one type, so it is dropped.
    return [
        dated if one is old else one for one in conditions if one is old or one.type != new.type
    ]


def remove_condition(conditions: Sequence[T], kind: str) -> list[T]:
    """Return *conditions* without the entry of the type *kind*; the list is not modified."""
    return [one for one in conditions if one.type != kind]


def find_condition(conditions: Sequence[T], kind: str) -> T | None:
    """Return the condition of the type *kind*, or ``None``."""
    return next((one for one in conditions if one.type == kind), None)


def is_condition_true(conditions: Sequence[ConditionLike], kind: str) -> bool:
    """Tell whether the condition *kind* is there and its status is ``True``.

    Example:
        >>> is_condition_true([Condition(type="Ready", status="True")], "Ready")
        True
    """
    found = find_condition(conditions, kind)
    return found is not None and found.status == "True"


def is_condition_false(conditions: Sequence[ConditionLike], kind: str) -> bool:
    """Tell whether the condition *kind* is there and its status is ``False``."""
    found = find_condition(conditions, kind)
    return found is not None and found.status == "False"


def check_condition(condition: Condition) -> None:
    """Check a condition as the server does.

    Raises:
        ValueError: The type, status, reason, message or generation is not valid.
    """
    try:
        check_label_key(condition.type)
    except ValueError as error:
        raise ValueError(f"the type of a condition is wrong: {error}") from None
    if problem := _problem(condition):
        raise ValueError(f"condition {condition.type!r} {problem}")


def _problem(condition: Condition) -> str:
    if condition.status not in _STATUSES:
        return f"has status {condition.status!r}; write one of 'True', 'False', 'Unknown'"
    # The server counts bytes, not characters.
    if (size := len(condition.message.encode())) > _MAX_MESSAGE:
        return f"has a message of {size} bytes; at most {_MAX_MESSAGE} are allowed"
    if (condition.observed_generation or 0) < 0:
        return f"has observed generation {condition.observed_generation}; it is never negative"
    return _reason_problem(condition.reason)


def _reason_problem(reason: str) -> str:
    if not reason:
        return "needs a reason, such as 'AllReplicasUp'"
    if len(reason) > _MAX_REASON:
        return f"has a reason of {len(reason)} characters; at most {_MAX_REASON} are allowed"
    if not re.fullmatch(_REASON, reason):
        return f"has reason {reason!r}; write one word in CamelCase, such as 'AllReplicasUp'"
    return ""
