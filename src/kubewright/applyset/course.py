"""One apply or delete, as it goes on."""

from collections.abc import Iterable

from kubewright.applyset.listener import Listener
from kubewright.applyset.member import ObjectName
from kubewright.applyset.report import Change, Failure, Report

__all__ = ["Course"]


class Course:
    """Notes what happens, and tells the listener.

    Args:
        listener: Who hears of it.
    """

    def __init__(self, listener: Listener) -> None:
        self.report: Report = Report()
        self._listener = listener

    @property
    def failed(self) -> bool:
        """Whether something has failed, so that what needs it is not begun."""
        return bool(self.report.failures)

    def note(self, changes: Iterable[Change], failures: Iterable[Failure] = ()) -> None:
        """Note what was done, and what did not work."""
        for change in changes:
            self.report.changes.append(change)
            self._listener.changed(change)
        for failure in failures:
            self.report.failures.append(failure)
            self._listener.failed(failure)

    def leave(self, names: Iterable[ObjectName]) -> None:
        """Note objects that are not looked at any more."""
        self.report.left += names
