"""What the two servers are measured at, and what is to be reached."""

from dataclasses import dataclass

OURS, REAL, DURABLE = "kubewright", "real", "kubewright_data_dir"
"""``kubewright_data_dir`` is ours with --data-dir; only its writes are measured."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How much work one round is."""

    pods: int = 10_000
    single: int = 1_000  # requests of one client
    parallel: int = 3_000  # requests of 32 clients
    pages: int = 10  # lists of 500, each time
    lists: int = 5  # how often everything is listed
    watchers: int = 100
    changes: int = 1_000
    starts: int = 5


QUICK = Amount(
    pods=1_000, single=200, parallel=400, pages=3, lists=3, watchers=20, changes=100, starts=2
)


@dataclass(frozen=True)
class Figure:
    """One row of the table; lower is better unless `more_is_better`.

    Attributes:
        scenario: Where it is measured.
        metric: Which of the numbers of that.
        title: What the table calls it.
        goal: The most (or least, if more is better) that ours may be of the real server's.
        limit: The most that ours may be, whatever the real one needs.
    """

    scenario: str
    metric: str
    title: str
    goal: float | None = None
    limit: float | None = None
    more_is_better: bool = False


def _verb(scenario: str, title: str, *, goal: float | None) -> tuple[Figure, Figure]:
    return (
        Figure(scenario, "cpu_us", f"{title}, CPU us", goal=goal),
        Figure(scenario, "per_second", f"{title}, per second", more_is_better=True),
    )


FIGURES: tuple[Figure, ...] = (
    Figure("start", "start_ms", "start in process, ms", limit=100),
    Figure("start", "whole_ms", "start in process with imports, ms"),
    Figure("start", "process_cpu_ms", "start in process, whole process, CPU ms"),
    Figure("command", "ms", "start as a command, ms", limit=500),
    Figure("command", "cpu_ms", "start as a command, CPU ms"),
    *(
        figure
        for verb in ("create", "get", "patch", "update")
        for clients in (1, 32)
        for figure in _verb(f"{verb}{clients}", f"{verb} x{clients}", goal=1)
    ),
    *_verb("status32", "update status x32", goal=1),
    Figure("page", "cpu_us", "list 500, CPU us"),
    Figure("page", "ms", "list 500, ms", goal=1),
    Figure("list", "cpu_us", "list all, CPU us"),
    Figure("list", "ms", "list all, ms", goal=1),
    Figure("cached", "cpu_us", "list all from cache, CPU us"),
    Figure("cached", "ms", "list all from cache, ms", goal=1),
    Figure("watch", "cpu_us", "watch, CPU us per delivered event", goal=1),
    Figure("watch", "per_second", "watch, delivered events per second", more_is_better=True),
    Figure("memory", "created", "memory for the pods created, MB"),
    Figure("memory", "reported", "memory for the pods with status, MB", limit=100),
    Figure("memory", "total", "memory of the server, MB", goal=1),
)
