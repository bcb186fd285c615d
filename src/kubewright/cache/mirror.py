"""`Mirror`: what a reflector fills."""

from typing import Protocol, TypeVar

from kubewright.cache.entry import Entry

R = TypeVar("R")


class Mirror(Protocol[R]):
    """What a reflector fills. All but `replace` and `room` are done when they return."""

    def entry(self, raw: bytes) -> Entry[R]:
        """Return the entry for an object.

        Raises:
            DecodeError: It cannot be read.
        """
        ...

    def owns(self, entry: Entry[R]) -> bool:
        """Say whether the object is one of those that are mirrored."""
        ...

    async def replace(self, entries: list[Entry[R]], version: str) -> None:
        """Hold exactly *entries*; at once, though those who listen are told in slices."""
        ...

    def put(self, entry: Entry[R]) -> None:
        """Hold *entry*."""
        ...

    def remove(self, entry: Entry[R]) -> None:
        """Hold the object of *entry* no more."""
        ...

    def reached(self, version: str) -> None:
        """Note that everything up to *version* has been seen."""
        ...

    @property
    def full(self) -> bool:
        """Whether to wait for `room` before more is brought."""
        ...

    async def room(self) -> None:
        """Wait until those who listen can take more."""
        ...
