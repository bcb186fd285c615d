"""Metrics of roles: what the module ``osdk_metric`` asks for, on the page of the operator."""

import re
import time
from collections.abc import Callable
from typing import Any

import msgspec

from kubewright import _json
from kubewright._serve.messages import Request, Response
from kubewright.ansible.proxy.forwarding import refusal
from kubewright.errors import DecodeError
from kubewright.metrics import Counter, Gauge, Histogram

__all__ = ["PATH", "answer"]

PATH: str = "/kubewright/metrics"
"""Where the module posts to."""

_is_name = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*").fullmatch
_MOST = 1000
_made: dict[str, Counter | Gauge | Histogram] = {}


class _Counter(msgspec.Struct):
    increment: bool | None = None
    add: float | None = None


class _Gauge(msgspec.Struct):
    set: float | None = None
    add: float | None = None
    subtract: float | None = None
    increment: bool | None = None
    decrement: bool | None = None
    set_to_current_time: bool | None = None


class _Observation(msgspec.Struct):
    observe: float | None = None


class _Wish(msgspec.Struct):
    name: str
    description: str = ""
    counter: _Counter | None = None
    gauge: _Gauge | None = None
    histogram: _Observation | None = None
    summary: _Observation | None = None


def answer(request: Request) -> Response:
    """Do what a role asks for; refuse what cannot be done."""
    if request.method != "POST":
        return refusal(405, "MethodNotAllowed", "metrics are made by POST")
    try:
        wish = msgspec.convert(_json.loads(request.body), _Wish)
        _apply(wish)
    except (msgspec.ValidationError, DecodeError, ValueError) as error:
        return refusal(400, "BadRequest", str(error))
    return Response(200, b"{}")


def _apply(wish: _Wish) -> None:
    if not _is_name(wish.name):
        raise ValueError(f"{wish.name!r} cannot be the name of a metric")
    if wish.counter is not None:
        _count(_family(Counter, wish), wish.counter)
    elif wish.gauge is not None:
        _measure(_family(Gauge, wish), wish.gauge)
    elif (seen := wish.histogram or wish.summary) is not None:
        # A summary without quantiles is a histogram whose ranges nobody looks at.
        histogram = _family(Histogram, wish)
        if seen.observe is not None:
            histogram.labels().observe(seen.observe)
    else:
        raise ValueError(
            f"the metric {wish.name} is neither a counter, gauge, histogram nor summary"
        )


def _count(counter: Counter, wish: _Counter) -> None:
    amount = (wish.add or 0.0) + (1.0 if wish.increment else 0.0)
    if amount < 0:
        raise ValueError(f"a counter only grows, and {amount:g} is less than 0: use a gauge")
    counter.labels().inc(amount)


def _measure(gauge: Gauge, wish: _Gauge) -> None:
    value = gauge.labels()
    if wish.set is not None:
        value.set(wish.set)
    if wish.set_to_current_time:
        value.set(time.time())
    value.inc((wish.add or 0.0) - (wish.subtract or 0.0))
    value.inc(bool(wish.increment) - bool(wish.decrement))


def _family(of: Callable[..., Any], wish: _Wish) -> Any:
    found = _made.get(wish.name)
    if found is None:
        if len(_made) >= _MOST:
            raise ValueError(f"there are {_MOST} metrics of roles already")
        found = _made[wish.name] = of(wish.name, wish.description or wish.name)
    if not isinstance(found, of):  # type: ignore[arg-type]  # it is a class
        kind = type(found).__name__.lower()
        raise ValueError(f"the metric {wish.name} is a {kind} already")  # noqa: TRY004  # the role's
    return found
