"""Which versions of what are at work."""

import platform

from kubewright._version import VERSION

__all__ = ["versions"]


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python, and the platform.

    Example:
        >>> sorted(versions())
        ['kubewright', 'platform', 'python']
    """
    return {
        "kubewright": VERSION,
        "platform": f"{platform.system().lower()}/{platform.machine()}",
        "python": platform.python_version(),
    }
