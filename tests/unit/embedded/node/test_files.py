"""Files that a pod can put anything in the place of."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kubewright.embedded.node.files import open_regular, read_regular


def link(path: Path) -> None:
    path.with_name("secret").write_text("another's")
    path.symlink_to("secret")


@pytest.mark.parametrize(
    "make", [os.mkfifo, Path.mkdir, link, lambda path: path.symlink_to("/dev/zero")]
)
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY])
def test_what_is_no_ordinary_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], None], flags: int
) -> None:
    """To open a pipe waits for its other end, and with it the whole cluster would."""
    path = tmp_path / "file"
    make(path)

    with pytest.raises(OSError, match=r"file"):
        open_regular(path, flags)


def test_a_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    """One without end would fill the memory."""
    path = tmp_path / "file"
    path.write_bytes(b"abcdef")
    os.truncate(path, 1 << 40)

    assert read_regular(path, 8) == b"abcdef\0\0"
