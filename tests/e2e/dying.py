"""Gives a project a folder for each API group, and gets a signal at each step of that in turn.

``python -m tests.e2e.dying FOLDER SIGNAL`` takes the project from FOLDER/before, and leaves in
FOLDER/1, FOLDER/2 and so on what is there after the signal. It prints how each process has ended.
"""

import itertools
import os
import shutil
import signal
import sys
from pathlib import Path

from kubewright.cli.project.edition import EditOptions, run

# What changes a folder. A process that is killed before such a step has done those before it.
STEPS = {"os.chmod", "os.mkdir", "os.remove", "os.rename", "tempfile.mkstemp"}


def signal_at(step: int, signum: int) -> None:
    """Send this process a signal just before it takes its step number *step*."""
    taken = itertools.count(1)

    def look(event: str, _: object) -> None:
        if event in STEPS and next(taken) == step:
            os.kill(os.getpid(), signum)

    sys.addaudithook(look)


def edit(folder: Path, step: int, signum: int) -> int:
    """Change the project in *folder* in a process of its own, and return how that ends."""
    child = os.fork()
    if not child:
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # shells ignore it for what is behind
        signal_at(step, signum)
        run(EditOptions(multigroup=True, manifests=False), folder)
        sys.stdout.flush()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    home, signum = Path(sys.argv[1]), int(signal.Signals[sys.argv[2]])
    for step in itertools.count(1):
        shutil.copytree(home / "before", home / str(step))
        status = edit(home / str(step), step, signum)
        print("step", step, "ended", status, flush=True)  # noqa: T201  # the result
        if status == 0:
            break
