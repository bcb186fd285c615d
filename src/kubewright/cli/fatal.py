"""The message of a command that fails."""

import sys
from typing import Literal

from kubewright.log import get_logger

__all__ = ["tell"]


def tell(text: str, log_format: Literal["console", "json"] = "console") -> None:
    """Report why the command ends: to people, or in the log if that is for programs.

    Args:
        text: What is wrong.
        log_format: The value of ``--log-format``; for ``json``, logging must be configured.
    """
    if log_format == "json":
        get_logger("kubewright").error("command failed", error=text)
    else:
        print(f"kubewright: {text}", file=sys.stderr)  # noqa: T201  # this is where users look
