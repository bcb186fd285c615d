"""Which run the current task works for, if it is recorded."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, cast

from kubewright.log.listening import LISTENER

if TYPE_CHECKING:
    from kubewright.runs.notes import Notes

__all__ = ["NOTES"]

# The very variable of the log: whoever notes the requests of a run notes its lines, and to set one
# variable takes half the time.
NOTES: ContextVar["Notes | None"] = cast("ContextVar[Notes | None]", LISTENER)
"""The notes of the run that the current task works for; ``None`` if it is not recorded."""
