"""Storage: one revision counter, objects as bytes, and their recent history."""

from kubewright.apiserver.storage.collection import Collection
from kubewright.apiserver.storage.event import Event, Stored
from kubewright.apiserver.storage.store import Store
from kubewright.apiserver.storage.watcher import Watcher

__all__ = ["Collection", "Event", "Store", "Stored", "Watcher"]
