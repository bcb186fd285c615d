"""`Refusals`: what a server will not take is said once, and not tried again until it changes."""

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.client import EventRecorder
from kubewright.embedded.controllers.batch import is_ending_namespace
from kubewright.errors import APIError, InvalidError
from kubewright.log import Logger

__all__ = ["Refusals"]


class Refusals:
    """Remembers for which services it was already said that the server refuses their addresses.

    Args:
        kind: What is refused, such as ``Endpoints``.
        recorder: Who tells people.
        log: Where it is said as well.
    """

    def __init__(self, kind: str, recorder: EventRecorder, log: Logger) -> None:
        self._kind = kind
        self._recorder = recorder
        self._log = log
        self._said: set[ObjectKey] = set()

    def tell(
        self, key: ObjectKey, error: APIError, *, about: Resource, reason: str, message: str
    ) -> None:
        """Tell people of a refusal; of one that is final only once.

        Raises:
            APIError: The refusal, if another try may help.
        """
        if is_ending_namespace(error):
            return
        final = isinstance(error, InvalidError)
        if not final or self._note(key, error):
            self._recorder.event(about, type="Warning", reason=reason, message=message)
        if not final:
            raise error

    def _note(self, key: ObjectKey, error: APIError) -> bool:
        """Say that what is written about *key* is refused; return whether that is news."""
        if key in self._said:
            return False
        self._said.add(key)
        self._log.warning(
            "the server refuses the addresses of a service",
            kind=self._kind,
            key=str(key),
            error=str(error)[:256],
        )
        return True

    def forget(self, key: ObjectKey) -> None:
        """Note that *key* was taken, or is gone: the next refusal is news."""
        self._said.discard(key)
