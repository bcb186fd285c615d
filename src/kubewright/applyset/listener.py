"""Who hears how far a set is, while it is applied or deleted."""

from collections.abc import Sequence

from kubewright.applyset.member import ObjectName
from kubewright.applyset.report import Change, Failure

__all__ = ["Listener"]


class Listener:
    """Hears what happens to a set; override what you want to know."""

    def begin(self, total: int) -> None:
        """Hear how many objects there are to look at."""

    def changed(self, change: Change) -> None:
        """Hear that something was done to an object."""

    def failed(self, failure: Failure) -> None:
        """Hear that something did not work."""

    def waiting(self, names: Sequence[ObjectName], what: str) -> None:
        """Hear that *names* are not yet what they should be: ``established``, or ``gone``."""

    def progress(self, name: ObjectName, text: str) -> None:
        """Hear how far a workload is."""
