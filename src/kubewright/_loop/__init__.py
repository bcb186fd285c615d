"""The event loop seen from outside: which code it runs, and whether it is blocked."""

from kubewright._loop.places import (
    place_of_error,
    place_of_task,
    place_of_thread,
    users_traceback,
)
from kubewright._loop.watchdog import Watchdog, Work, watchdog_of

__all__ = [
    "Watchdog",
    "Work",
    "place_of_error",
    "place_of_task",
    "place_of_thread",
    "users_traceback",
    "watchdog_of",
]
