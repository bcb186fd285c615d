"""The command ``kubewright``."""

from kubewright.cli.app import main

__all__ = ["main"]
