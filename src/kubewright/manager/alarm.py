"""`Alarm`: the kernel's own timer, which ends the process at a moment, whatever that does then.

A process that is stopped between its last look at the clock and the system call that sends goes on
with that call, an hour later if need be: no code of its own can run in between. A signal can. The
kernel acts on it before the process executes another instruction.
"""

import signal
from typing import Any

from kubewright._aio import Clock
from kubewright.log import get_logger

__all__ = ["Alarm"]

_log = get_logger(__name__)

_BOOTTIME, _ABSOLUTE = 7, 1  # Linux: CLOCK_BOOTTIME, TIMER_ABSTIME


class Alarm:
    """Ends this process with SIGALRM at a time that can be moved; does nothing until it is set.

    With SIGKILL if the program handles SIGALRM itself. On systems without such timers, which are
    all but Linux, nothing ever happens.

    Args:
        clock: Where time comes from; only the real one has timers of the kernel.
    """

    def __init__(self, clock: Clock) -> None:
        self._libc: Any = None
        self._timer: Any = None
        if type(clock) is Clock:
            self._make()

    @property
    def is_real(self) -> bool:
        """Whether it can end anything."""
        return self._timer is not None

    def set(self, at: float) -> None:
        """End the process at *at*, in the seconds of `Clock.sleepless`, and not as set before."""
        self._arm(max(at, 1e-9))  # zero would be never

    def cancel(self) -> None:
        """Turn it off: the process is not ended."""
        self._arm(0.0)

    def close(self) -> None:
        """Turn it off, and give the timer back."""
        if self._timer is not None:
            self._libc.timer_delete(self._timer)
            self._timer = None

    def _make(self) -> None:
        import ctypes

        libc, timer = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p()
        if not hasattr(libc, "timer_create"):
            return
        handled = signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
        number = signal.SIGKILL if handled else signal.SIGALRM
        # struct sigevent: the value that we do not use, the signal, SIGEV_SIGNAL, and padding.
        event = (ctypes.c_int * 16)(0, 0, number, 0)
        if libc.timer_create(_BOOTTIME, ctypes.byref(event), ctypes.byref(timer)):
            _log.warning("no timer of the kernel", error=f"errno {ctypes.get_errno()}")
            return
        self._libc, self._timer = libc, timer

    def _arm(self, at: float) -> None:
        if self._timer is None:
            return
        import ctypes

        seconds = int(at)
        # struct itimerspec: no interval, and the moment.
        times = (ctypes.c_long * 4)(0, 0, seconds, int((at - seconds) * 1e9))
        self._libc.timer_settime(self._timer, _ABSOLUTE, ctypes.byref(times), None)
