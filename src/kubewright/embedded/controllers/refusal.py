"""`Refusals`: reports what the server refuses once, and does not retry it until it changes."""

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.client import EventRecorder
from kubewright.embedded.controllers.batch import is_ending_namespace
from kubewright.errors import APIError, InvalidError
from kubewright.log import Logger

__all__ = ["Refusals"]


class Refusals:
    """Remembers which services the server has refused, so that each refusal is reported once.

    Args:
        kind: What is refused, such as ``Endpoints``.
        recorder: Writes the events.
        log: Where refusals are logged.
    """

    def __init__(self, kind: str, recorder: EventRecorder, log: Logger) -> None:
        self._kind = kind
        self._recorder = recorder
        self._log = log
        self._said: set[ObjectKey] = set()

    def tell(
        self, key: ObjectKey, error: APIError, *, about: Resource, reason: str, message: str
    ) -> None:
        """Report a refusal; a final one only once.

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
        """Log the refusal for *key*; return whether it is new."""
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
        """Forget *key*, which was accepted or is gone: its next refusal is new."""
        self._said.discard(key)
