"""Finds the program ``helm``."""

import shutil
import sys
from pathlib import Path

from kubewright.errors import ConfigError

__all__ = ["find_helm", "get_helm"]


def find_helm() -> str | None:
    """Return the path of helm: beside this Python, where ``kubewright[helm]`` puts it, or in PATH.

    Return ``None`` if it is in neither place.
    """
    beside = Path(sys.executable).parent / "helm"
    return str(beside) if beside.is_file() else shutil.which("helm")


def get_helm() -> str:
    """Return the path of helm, as `find_helm` does.

    Raises:
        ConfigError: There is none.
    """
    found = find_helm()
    if found is None:
        raise ConfigError(
            "cannot render charts: there is no helm on this machine. Install it with"
            ' `pip install "kubewright[helm]"`, or as https://helm.sh/docs/intro/install says.'
        )
    return found
