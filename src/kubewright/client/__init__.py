"""A typed client for any Kubernetes API server."""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

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
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
