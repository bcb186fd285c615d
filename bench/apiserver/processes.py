"""What the kernel knows about processes: their CPU time, memory and children."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time of processes, user and system, all threads."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * _TICK


def resident(pids: Iterable[int]) -> float:
    """Return the resident memory of processes, in MB."""
    return sum(_kib(Path(f"/proc/{pid}/status"), "VmRSS") for pid in pids) * 1024 / 1e6


def _kib(path: Path, name: str) -> int:
    lines = path.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def descendants(pid: int, *names: str) -> Iterator[int]:
    """Yield the processes below *pid* that are called so."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            if Path(f"/proc/{child}/comm").read_text().strip() in names:
                yield child
            yield from descendants(child, *names)
