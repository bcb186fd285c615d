"""The last words of a container, as its status shows them."""

from kubewright.embedded.node.logs import Log
from kubewright.embedded.node.runtime import Exit
from kubewright.kinds.core.v1 import Container

__all__ = ["termination_message"]

LONGEST: int = 4096
LOG_LINES: int = 80
LOG_BYTES: int = 2048


def termination_message(container: Container, how: Exit, log: Log | None) -> str:
    """Return what a container left behind: its file, or the end of its log if it asked for that."""
    if how.message:
        return how.message[:LONGEST]
    falls_back = container.termination_message_policy == "FallbackToLogsOnError"
    if not falls_back or how.code == 0 or log is None:
        return ""
    lines = next(log.lines())[-LOG_LINES:]
    text = b"".join(line.text for line in lines)[-LOG_BYTES:]
    return text.decode("utf-8", "replace")
