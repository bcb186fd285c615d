"""A typed client for any Kubernetes API server."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.client.config import Config, Impersonation, TLSConfig
    from kubewright.client.events import EventRecorder
    from kubewright.client.leases import LeaseLock
    from kubewright.client.listing import Listing, Objects
    from kubewright.client.retry import retry_on_conflict
    from kubewright.client.transport import Transport
    from kubewright.client.wait import wait_for
    from kubewright.client.watch import Watch, WatchEvent

__all__ = [
    "Client",
    "Config",
    "EventRecorder",
    "Impersonation",
    "LeaseLock",
    "Listing",
    "Objects",
    "TLSConfig",
    "Transport",
    "Watch",
    "WatchEvent",
    "retry_on_conflict",
    "wait_for",
]

_WHERE = {
    "Client": "client",
    "Config": "config",
    "EventRecorder": "events",
    "Impersonation": "config",
    "LeaseLock": "leases",
    "Listing": "listing",
    "Objects": "listing",
    "TLSConfig": "config",
    "Transport": "transport",
    "Watch": "watch",
    "WatchEvent": "watch",
    "retry_on_conflict": "retry",
    "wait_for": "wait",
}

# Loaded when first used: many operators tell no events and hold no lease. Hidden from type
# checkers, which know the names from above.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        module = _WHERE.get(name)
        if module is None:
            raise AttributeError(f"module 'kubewright.client' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f"kubewright.client.{module}"), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
