"""Numbers that may be percentages: ``maxSurge: 2`` or ``maxSurge: 25%``."""

import re
from typing import Annotated, TypeAlias

import msgspec

__all__ = ["IntOrString", "resolve_int_or_percent"]

IntOrString: TypeAlias = Annotated[int | str, msgspec.Meta(extra={"kubernetes": "int-or-string"})]
"""A number or a text, such as a port by number or by name, for fields of models."""


def resolve_int_or_percent(value: int | str, total: int, *, round_up: bool) -> int:
    """Return *value* as a number; a percentage is taken of *total*.

    Kubernetes rounds ``maxSurge`` up and ``maxUnavailable`` down, so that not both become zero.

    Raises:
        ValueError: It is a text other than a percentage. ``"5"`` is refused too: it would be 5
            for one reader and 5% for another.

    Example:
        >>> resolve_int_or_percent("25%", 10, round_up=True)
        3
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"[+-]?[0-9]{1,18}%", value):
        raise ValueError(
            f"{value!r} is neither a number nor a percentage: write 5 or '5%', without blanks"
        )
    share = int(value[:-1]) * total
    return -(-share // 100) if round_up else share // 100
