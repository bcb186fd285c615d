"""OpenTelemetry spans, if the program uses OpenTelemetry.

    with span("reconcile", controller="at"):
        ...

Without the ``tracing`` extra, or before the program has set a tracer provider, a span is one
shared object that does nothing.
"""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, Self

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

__all__ = ["Span", "is_enabled", "span"]

_NAME = "kubewright"


class Span(Protocol):
    """What the block may do with its span."""

    def set_attribute(self, key: str, value: Any) -> object:
        """Add an attribute to the span."""
        ...

    def add_event(self, name: str, attributes: Any = None) -> object:
        """Record an event at the current time."""
        ...

    def is_recording(self) -> bool:
        """Tell whether the span is recorded."""
        ...


class _Nothing(AbstractContextManager["_Nothing"]):
    """The span of a program that is not traced."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def set_attribute(self, key: str, value: Any) -> None:
        pass

    def add_event(self, name: str, attributes: Any = None) -> None:
        pass

    def is_recording(self) -> bool:
        return False


_NOTHING = _Nothing()


def is_enabled() -> bool:
    """Tell whether the program has set a tracer provider."""
    # A program that traces has imported the API itself, to set its provider. Looking into
    # sys.modules costs nothing, and spares all other programs an import of 20 ms.
    trace: Any = sys.modules.get("opentelemetry.trace")
    return trace is not None and not isinstance(
        trace.get_tracer_provider(), trace.ProxyTracerProvider
    )


def span(name: str, **attributes: Any) -> AbstractContextManager[Span]:
    """Trace the block as *name*, inside the current span.

    An error that leaves the block is recorded, and marks the span as failed; a cancellation does
    neither. Attributes that are ``None`` are left out, and others become text where
    OpenTelemetry has no type for them.

    Example:
        >>> with span("list", kind="Pod") as listing:
        ...     listing.set_attribute("objects", 3)
    """
    return _start(name, attributes) if is_enabled() else _NOTHING


def _start(name: str, attributes: dict[str, Any]) -> AbstractContextManager[Span]:
    from opentelemetry import trace

    known = {key: _attribute(value) for key, value in attributes.items() if value is not None}
    return _tracer_of(trace.get_tracer_provider()).start_as_current_span(name, attributes=known)


@lru_cache(maxsize=1)
def _tracer_of(provider: "TracerProvider") -> "Tracer":
    return provider.get_tracer(_NAME)  # cached: making one takes longer than a span


def _attribute(value: Any) -> Any:
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [str(item) for item in value]
    return str(value)
