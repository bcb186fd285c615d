"""A typed client for any Kubernetes API server."""

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
