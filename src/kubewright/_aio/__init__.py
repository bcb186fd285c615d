"""What asyncio lacks: a clock that tests can move, delays that grow, and tasks with a parent."""

from kubewright._aio.apart import apart, is_running
from kubewright._aio.backoff import Backoff
from kubewright._aio.clock import Clock, Timer, stopwatch
from kubewright._aio.fence import FENCE, Fence, check_fence, fenced
from kubewright._aio.tasks import TaskSet
from kubewright._aio.timeout import Timeout
from kubewright._aio.virtual import VirtualClock
from kubewright._aio.virtual_loop import outside_of

__all__ = [
    "FENCE",
    "Backoff",
    "Clock",
    "Fence",
    "TaskSet",
    "Timeout",
    "Timer",
    "VirtualClock",
    "apart",
    "check_fence",
    "fenced",
    "is_running",
    "outside_of",
    "stopwatch",
]
