"""Time for tests: it stands still until a test moves it."""

from kubewright._aio import VirtualClock

__all__ = ["VirtualClock"]
