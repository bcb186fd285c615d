"""`Refusals`: what a server will not take is said once, and not tried again until it changes."""

from kubewright.api.kind import ObjectKey
from kubewright.log import Logger

__all__ = ["Refusals"]


class Refusals:
    """Remembers for which objects it was already said that the server refuses them."""

    def __init__(self, log: Logger) -> None:
        self._log = log
        self._said: set[ObjectKey] = set()

    def note(self, key: ObjectKey, error: Exception, *, kind: str) -> bool:
        """Say that *kind* of *key* is refused; return whether that is news."""
        if key in self._said:
            return False
        self._said.add(key)
        self._log.warning(
            "the server refuses the addresses of a service",
            kind=kind,
            key=str(key),
            error=str(error)[:256],
        )
        return True

    def forget(self, key: ObjectKey) -> None:
        """Note that *key* was taken, or is gone: the next refusal is news."""
        self._said.discard(key)
