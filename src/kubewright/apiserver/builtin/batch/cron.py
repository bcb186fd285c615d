"""Schedules of CronJobs: five fields, or a word such as ``@hourly``."""

import re
from typing import NamedTuple

_WORDS = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DURATION = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_MAX_DIGITS = 18


class _Range(NamedTuple):
    """The values that one field may have, with the names that stand for numbers."""

    lowest: int
    highest: int
    names: dict[str, int]


_FIELDS = (
    _Range(0, 59, {}),
    _Range(0, 23, {}),
    _Range(1, 31, {}),
    _Range(1, 12, {name: i + 1 for i, name in enumerate(_MONTHS)}),
    _Range(0, 6, {name: i for i, name in enumerate(_DAYS)}),
)


def schedule_problem(schedule: str) -> str:
    """Return what is wrong with a schedule, in the words of Kubernetes' parser, or ``""``."""
    try:
        _check(schedule)
    except ValueError as error:
        return str(error)
    return ""


def _check(schedule: str) -> None:
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        zone, blank, rest = schedule.partition(" ")
        if not blank:
            raise ValueError(
                "invalid schedule format: runtime error: slice bounds out of range"
                f" [:{-1}] with length {len(schedule)}"
            )
        from zoneinfo import ZoneInfo

        name = zone.partition("=")[2]
        try:
            ZoneInfo(name)
        except (ValueError, OSError, LookupError):
            problem = f"unknown time zone {name}"
            raise ValueError(f"provided bad location {name}: {problem}") from None
        schedule = rest.strip()
    if schedule.startswith("@"):
        _check_word(schedule)
        return
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        listed = " ".join(fields)
        raise ValueError(f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{listed}]")
    for text, limits in zip(fields, _FIELDS, strict=True):
        for expression in filter(None, text.split(",")):
            _check_range(expression, limits)


def _check_word(word: str) -> None:
    if word in _WORDS:
        return
    if word.startswith("@every "):
        duration = word.removeprefix("@every ")
        if not _DURATION.fullmatch(duration):
            why = f'time: invalid duration "{duration}"'
            raise ValueError(f"failed to parse duration {word}: {why}")
        return
    raise ValueError(f"unrecognized descriptor: {word}")


def _check_range(expression: str, limits: _Range) -> None:
    span, *steps = expression.split("/")
    low, *high = span.split("-")
    if low in ("*", "?"):
        start, end = limits.lowest, limits.highest
    else:
        start = end = _number(low, limits.names)
        if len(high) == 1:
            end = _number(high[0], limits.names)
        elif high:
            raise ValueError(f"too many hyphens: {expression}")
    step = 1
    if len(steps) == 1:
        step = _number(steps[0], {})
        end = end if high else limits.highest
    elif steps:
        raise ValueError(f"too many slashes: {expression}")
    _check_bounds(start, end, step, limits=limits, expression=expression)


def _check_bounds(start: int, end: int, step: int, *, limits: _Range, expression: str) -> None:
    if start < limits.lowest:
        why = f"beginning of range ({start}) below minimum ({limits.lowest})"
    elif end > limits.highest:
        why = f"end of range ({end}) above maximum ({limits.highest})"
    elif start > end:
        why = f"beginning of range ({start}) beyond end of range ({end})"
    elif step == 0:
        why = "step of range should be a positive number"
    else:
        return
    raise ValueError(f"{why}: {expression}")


def _number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not re.fullmatch(r"[-+]?[0-9]+", text):
        why = f'strconv.Atoi: parsing "{text}": invalid syntax'
        raise ValueError(f"failed to parse int from {text}: {why}")
    if len(text) > _MAX_DIGITS:
        why = f'strconv.Atoi: parsing "{text}": value out of range'
        raise ValueError(f"failed to parse int from {text}: {why}")
    number = int(text)
    if number < 0:
        raise ValueError(f"negative number ({number}) not allowed: {text}")
    return number
