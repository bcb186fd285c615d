"""Opens files in the folder of a pod without trusting them.

The processes of a pod run as our own user, and can put anything there: a pipe, whose opening waits
for another end and would block the whole cluster; a link, a device, or a file without end.
"""

import errno
import os
import stat
from pathlib import Path

__all__ = ["open_regular", "read_regular"]


def open_regular(path: Path, flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of the file at *path*, without ever waiting.

    Raises:
        OSError: There is none, or it is not a regular file.
    """
    found = os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OSError(errno.EINVAL, "it is not an ordinary file", str(path))
    return found


def read_regular(path: Path, limit: int) -> bytes:
    """Return up to *limit* bytes from the beginning of the file at *path*.

    Raises:
        OSError: There is none, or it is not a regular file.
    """
    with os.fdopen(open_regular(path), "rb", buffering=0) as file:
        return file.read(limit) or b""
