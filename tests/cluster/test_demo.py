"""``kubewright demo``: what a newcomer sees first."""

import os
import pty
import signal
import subprocess
from pathlib import Path

from tests.cluster.command import PROGRAM, Commands, processes


def test_it_shows_every_phase_and_the_log_and_leaves_nothing(commands: Commands) -> None:
    """Without a terminal, one line for each thing that happens."""
    done = commands.run("demo")

    assert done.status == 0, done.err
    assert done.err == ""
    phases = [line.split()[3] for line in done.out.splitlines() if " s  example-at" in line]
    assert list(dict.fromkeys(phases)) == ["PENDING", "RUNNING", "DONE"]
    assert "$ kubectl logs example-at-pod\nYAY\n" in done.out
    assert not commands.state.exists()
    assert processes(str(commands.state)) == []


def test_ctrl_c_ends_it_cleanly(commands: Commands) -> None:
    """Not with a traceback."""
    with commands.running("demo") as demo:
        demo.wait_for("PENDING")
        status = demo.end(signal.SIGINT)
        demo.wait_for("stopped; everything is cleaned up")

    assert status == 130
    assert processes(str(commands.state)) == []


def test_in_a_terminal_the_table_is_alive(commands: Commands, tmp_path: Path) -> None:
    """And ends as the object does."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "demo"], env=commands.environment, stdout=theirs, stderr=theirs, stdin=theirs
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while data := os.read(ours, 65536):
                said += data
        except OSError:
            pass  # a terminal that nobody has open any more
        status = process.wait(15)
    os.close(ours)

    text = said.decode()
    assert status == 0, text
    assert text.index("PENDING") < text.index("RUNNING") < text.index("DONE")
    assert "YAY" in text
