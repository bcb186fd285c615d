"""Where in the user's code something happened: lines that are neither ours nor Python's."""

import asyncio
import inspect
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

__all__ = ["place_of_error", "place_of_task", "place_of_thread", "users_traceback"]

_OURS = str(Path(__file__).parents[1]) + os.sep
_LOOP: Any = asyncio.BaseEventLoop
_ROUND = _LOOP._run_once.__code__  # noqa: SLF001  # the frame that every callback runs in
_INSTALLED = ("site-packages", "dist-packages")


def users_traceback(error: BaseException) -> TracebackType | None:
    """Return the traceback of *error* from the user's code on; all of it without user code."""
    entry = error.__traceback__
    while entry is not None and not _is_users(entry.tb_frame):
        entry = entry.tb_next
    return entry or error.__traceback__


def place_of_error(error: BaseException) -> str:
    """Return the innermost place in the user's code that *error* passed; empty if there is none."""
    return _innermost((at.tb_frame, at.tb_lineno) for at in _entries(error.__traceback__))


def place_of_task(coroutine: object, thread: int = 0) -> str:
    """Return the innermost place in the user's code where something waits; empty if unknown.

    Args:
        coroutine: What a task runs.
        thread: The id of the thread that it waits for, if it waits for one.
    """
    if thread and (place := place_of_thread(thread)):
        return place
    return _innermost((frame, frame.f_lineno) for frame in _awaited_frames(coroutine))


def place_of_thread(thread: int, *, anywhere: bool = False) -> str:
    """Return the innermost place in the user's code where *thread* is; empty if there is none.

    The line that started an event loop does not count: the loop may be idle, or in our own code.

    Args:
        thread: Its id.
        anywhere: If it is not in the user's code, return the innermost place of all, such as our
            decoding of a large list.
    """
    found = list(_thread_frames(thread))
    rounds = [place for place, (frame, _) in enumerate(found) if frame.f_code is _ROUND]
    place = _innermost(iter(found[rounds[-1] :] if rounds else found))
    return place or (_described(*found[-1]) if anywhere and found else "")


def _innermost(frames: Iterator[tuple[FrameType, int]]) -> str:
    """Return the last of *frames*, outermost first, that is the user's."""
    place = ""
    for frame, line in frames:
        if _is_users(frame):
            place = _described(frame, line)
    return place


def _described(frame: FrameType, line: int) -> str:
    return f"{frame.f_code.co_filename}:{line} in {frame.f_code.co_name}"


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _awaited_frames(inner: Any) -> Iterator[FrameType]:
    while inner is not None:
        prefix = "ag" if inspect.isasyncgen(inner) else "gi" if inspect.isgenerator(inner) else "cr"
        frame = getattr(inner, f"{prefix}_frame", None)
        if frame is not None:
            yield frame
        awaited = "gi_yieldfrom" if prefix == "gi" else f"{prefix}_await"
        inner = getattr(inner, awaited, None)


def _thread_frames(thread: int) -> Iterator[tuple[FrameType, int]]:
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # there is no other way to look
    found: list[tuple[FrameType, int]] = []
    while frame is not None:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return reversed(found)


def _is_users(frame: FrameType) -> bool:
    return _is_users_file(frame.f_code.co_filename)


@cache
def _is_users_file(path: str) -> bool:
    if path.startswith((_OURS, "<frozen ")):
        return False
    # Python keeps installed packages in a folder of its own library, and operators are installed.
    library = f"{Path(os.__file__).parent}{os.sep}"
    return not path.startswith(library) or path[len(library) :].startswith(_INSTALLED)
