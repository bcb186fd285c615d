"""What asyncio lacks: a clock that tests can turn, delays that grow, and tasks with a parent."""

from kubewright._aio.backoff import Backoff
from kubewright._aio.clock import Clock, Timer, stopwatch
from kubewright._aio.tasks import TaskSet
from kubewright._aio.timeout import Timeout
from kubewright._aio.virtual import VirtualClock

__all__ = ["Backoff", "Clock", "TaskSet", "Timeout", "Timer", "VirtualClock", "stopwatch"]
