"""What is measured of the runtime, by whom, and what is to be reached.

The goals are ratios, ours to a peer's in the same run.
"""

from dataclasses import dataclass, field
from typing import Literal

OURS = "kubewright"
PLAIN = "kubewright_plain"  # ours without compression
RECORDED = "kubewright_recorded"  # ours while every run is recorded
GO_JSON, GO_PROTO, GO_DYNAMIC = "go_json", "go_proto", "go_dynamic"
GO = (GO_JSON, GO_PROTO, GO_DYNAMIC)
KOPF = "kopf"
PYTHON = ("lightkube", "informer", KOPF)
PEERS = (*GO, *PYTHON)
SOCKET = "socket"  # bytes as they arrive, read by nobody: how fast the server is

# One event of these costs about a millisecond; a quarter of the events says as much.
SLOW = {"informer", KOPF}

How = Literal["alone", "replay", "latency", "operator", "idle"]


@dataclass(frozen=True)
class Scenario:
    """One thing that contenders do, each in a fresh process.

    Attributes:
        name: What it is called in results, and what ``--only`` chooses by.
        how: Which server it needs, and who does what; see `run.py`.
        function: What to call in the contender's module.
        contenders: Who takes part.
        work: What differs from the usual amount of work.
        repeats: How often in one round, where one measurement is quick and says little.
    """

    name: str
    how: How
    function: str
    contenders: tuple[str, ...]
    work: dict[str, int | str] = field(default_factory=dict)
    repeats: int = 1


@dataclass(frozen=True)
class Figure:
    """One number of a scenario, and its goals; lower is better unless `more_is_better`.

    Attributes:
        scenario: The scenario that yields it.
        metric: Its name in the scenario's result.
        title: What the table calls it.
        ours: Which of ours is judged.
        json: The most that ours may be of client-go's with JSON.
        proto: The most that ours may be of client-go's with protobuf.
        best: The most that ours may be of the best Python peer's.
        kopf: The most that ours may be of Kopf's.
        more_is_better: For rates. Their ratios are turned over, and so are their goals.
        shown_only: Whether it has no ratios: it is about zero.
    """

    scenario: str
    metric: str
    title: str
    ours: str = OURS
    json: float | None = None
    proto: float | None = None
    best: float | None = None
    kopf: float | None = None
    more_is_better: bool = False
    shown_only: bool = False


OPERATORS = (OURS, GO_DYNAMIC, "lightkube", KOPF)

SCENARIOS = (
    Scenario("informer", "replay", "list_pods", (OURS, PLAIN, *PEERS)),
    Scenario("watch", "replay", "watch_pods", (OURS, PLAIN, RECORDED, *PEERS)),
    Scenario("latency", "latency", "latency", (OURS, GO_JSON, GO_PROTO, "lightkube", KOPF, SOCKET)),
    Scenario("reconcile", "operator", "operate", (*OPERATORS, RECORDED)),
    Scenario("start", "operator", "operate", OPERATORS, work={"widgets": 1}, repeats=5),
    Scenario("idle", "idle", "operate", OPERATORS, work={"widgets": 1}),
    Scenario("queue", "alone", "queue", (OURS, GO_JSON)),
    *(
        Scenario(
            f"{verb}{number}",
            "replay",
            "requests",
            (OURS, GO_JSON),
            work={"verb": verb, "concurrency": number},
        )
        for verb in ("get", "patch")
        for number in (1, 32)
    ),
)
GROUPS = tuple(scenario.name for scenario in SCENARIOS)

FIGURES = (
    Figure("informer", "cpu", "informer, CPU s", json=0.40, proto=1.3, best=0.25, kopf=0.06),
    Figure("informer", "cpu", "informer without compression, CPU s", PLAIN),
    Figure("informer", "wall", "informer, wall s"),
    Figure("informer", "peak", "informer, peak MB", json=0.35, proto=0.35, best=0.25, kopf=0.15),
    Figure("informer", "net", "informer, net MB", json=0.20, proto=0.20, best=0.10),
    Figure(
        "informer",
        "net",
        "informer without compression, net MB",
        PLAIN,
        json=0.65,
        proto=0.65,
        best=0.30,
    ),
    Figure("watch", "cpu_us", "watch, CPU us/event", json=0.15, proto=0.65, best=0.20, kopf=0.05),
    Figure(
        "watch",
        "cpu_us",
        "watch without compression, CPU us/event",
        PLAIN,
        json=0.15,
        proto=0.65,
        best=0.20,
        kopf=0.05,
    ),
    Figure("watch", "cpu_us", "watch while recorded, CPU us/event", RECORDED),
    Figure("watch", "per_second", "watch, events/s", more_is_better=True),
    # Most of it is the server's, the same for all; so the Python peers are judged by the rest.
    Figure("latency", "p50", "write to reconcile, p50 ms", json=1.1, proto=1.2),
    Figure("latency", "p99", "write to reconcile, p99 ms", json=1.1, proto=1.2),
    Figure("latency", "after_p50", "after the answer to the write, p50 ms", shown_only=True),
    Figure("latency", "after_p99", "after the answer to the write, p99 ms", best=0.5, kopf=0.1),
    Figure(
        "reconcile",
        "per_second",
        "reconciles/s",
        json=1.0,
        best=5,
        kopf=5,
        more_is_better=True,
    ),
    Figure("reconcile", "cpu_us", "reconcile, CPU us"),
    Figure("reconcile", "cpu_us", "reconcile while recorded, CPU us", RECORDED),
    Figure("start", "first_ms", "start to first reconcile, ms", json=12, best=0.75, kopf=0.25),
    Figure("idle", "rss", "idle operator, MB", json=1.2, best=0.9, kopf=0.4),
    Figure("queue", "cpu_us", "queue cycle, CPU us", json=2.0),
    *(
        Figure(f"{verb}{number}", "cpu_us", f"{verb.upper()} x{number}, CPU us", json=goal)
        for verb in ("get", "patch")
        for number, goal in ((1, 0.6), (32, 0.5))
    ),
)
