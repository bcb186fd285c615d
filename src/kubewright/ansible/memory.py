"""`Last`: what the last run for an object was, and what it depended on."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from kubewright.ansible.children import Children
from kubewright.ansible.watches import Watch

__all__ = ["Last", "inputs_of"]

_FIRST, _LONGEST = 1.0, 1000.0


class Last(msgspec.Struct, frozen=True):
    """The last run for an object.

    Attributes:
        inputs: What it was run for.
        ended: When it ended, in monotonic time.
        children: What belongs to the object, as that run has left it.
        due: When the role wanted to run again; ``None`` if it did not say.
        failures: How many runs in a row have failed, this one included.
    """

    inputs: str
    ended: float
    children: Children
    due: float | None = None
    failures: int = 0

    @property
    def retry_at(self) -> float:
        """When the same is tried again after a failure."""
        return self.ended + min(_LONGEST, _FIRST * 2.0 ** (self.failures - 1))


def inputs_of(obj: Mapping[str, Any], watch: Watch, stamp: int) -> str:
    """Return all that a run for *obj* depends on, as a digest.

    It is kept in this process alone, so an object has one run after each restart.
    """
    metadata = obj["metadata"]
    content = {name: value for name, value in obj.items() if name not in {"metadata", "status"}}
    annotations = metadata.get("annotations") if watch.watch_annotations_changes else None
    deleting = "deletionTimestamp" in metadata
    parts = [metadata.get("uid"), content, annotations, deleting, stamp]
    return blake2b(msgspec.json.encode(parts, order="sorted"), digest_size=12).hexdigest()
