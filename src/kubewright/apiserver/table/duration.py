"""Ages and durations in the short form that kubectl prints."""

from datetime import datetime, timedelta

from kubewright.api.times import parse_time

UNKNOWN: str = "<unknown>"
_SECONDS: dict[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86400, "y": 86400 * 365}
# Limit in seconds, larger unit, smaller unit; the smaller unit is left out if it is 0.
_STEPS: tuple[tuple[int, str, str], ...] = (
    (2 * 60, "s", ""),
    (10 * 60, "m", "s"),
    (3 * 3600, "m", ""),
    (8 * 3600, "h", "m"),
    (48 * 3600, "h", ""),
    (8 * 86400, "d", "h"),
    (2 * 365 * 86400, "d", ""),
    (8 * 365 * 86400, "y", "d"),
)


def human_duration(seconds: float) -> str:
    """Return a duration with two or three significant figures.

    Example:
        >>> human_duration(119), human_duration(312), human_duration(90000), human_duration(-5)
        ('119s', '5m12s', '25h', '<invalid>')
    """
    whole = int(seconds)
    if whole < 0:
        # The clocks of two machines may differ a little; more than that is an error.
        return "0s" if whole == -1 else "<invalid>"
    for limit, large, small in _STEPS:
        if whole < limit:
            return _text(whole, large, small)
    return _text(whole, "y", "")


def _text(whole: int, large: str, small: str) -> str:
    first, rest = divmod(whole, _SECONDS[large])
    second = rest // _SECONDS[small] if small else 0
    return f"{first}{large}{second}{small}" if second else f"{first}{large}"


class Ages:
    """Formats the ages in one table; equal times are parsed once."""

    __slots__ = ("_known", "_now")

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._known: dict[str, str] = {}

    def __call__(self, time: str | None) -> str:
        """Return how long ago *time* was; ``<unknown>`` if it is absent.

        Raises:
            ValueError: It is not a time.
        """
        if not time:
            return UNKNOWN
        known = self._known.get(time)
        if known is None:
            elapsed: timedelta = self._now - parse_time(time)
            known = self._known[time] = human_duration(elapsed.total_seconds())
        return known

    def between(self, start: str | None, end: str | None) -> str:
        """Return the time from start to end, or until now; empty if it has not started."""
        if not start:
            return ""
        if not end:
            return self(start)
        return human_duration((parse_time(end) - parse_time(start)).total_seconds())
