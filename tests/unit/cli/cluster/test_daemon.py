"""The background process, as far as it can be called; as a process it runs in tests/cluster."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kubewright.cli.cluster.daemon import main
from kubewright.cli.cluster.order import Order, Report


@pytest.fixture(autouse=True)
def restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the folder and the log of the process as they were."""
    monkeypatch.chdir(tmp_path)  # and back again at the end
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers, root.level = handlers, level


def test_what_cannot_be_done_is_reported_and_the_log_stays(tmp_path: Path) -> None:
    """Who started it shows the reason, and the log if there is none."""
    (tmp_path / "file").touch()
    ours, theirs = os.pipe()
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    order = Order(str(tmp_path), lock, theirs, data_dir=str(tmp_path / "file"))

    status = main([msgspec.json.encode(order).decode()])

    with os.fdopen(ours, "rb") as answer:
        report = msgspec.json.decode(answer.read(), type=Report)
    os.close(lock)
    assert status == 2
    assert "it is a file. Name a folder." in report.error
    assert (tmp_path / "lock").exists()


def test_nobody_may_be_waiting_any_more(tmp_path: Path) -> None:
    """Ctrl-C during the start ends the command, and the process with it, not with a traceback."""
    (tmp_path / "file").touch()
    ours, theirs = os.pipe()
    os.close(ours)
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    order = Order(str(tmp_path), lock, theirs, data_dir=str(tmp_path / "file"))

    status = main([msgspec.json.encode(order).decode()])

    os.close(lock)
    assert status == 2
