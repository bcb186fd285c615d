"""What is measured, by whom, and what is to be reached.

The goals are ratios, ours to a peer's in the same run: absolute figures do not carry over from one
machine to another.
"""

from dataclasses import dataclass, field

OURS = "kubewright"
DECODED = "kubewright_decoded"  # ours with every object of the list decoded; no goal counts for it
KOPF = "kopf"
PEERS = ("kubernetes", "informer", "lightkube", "kopf")
MODULES = {OURS: "ours", DECODED: "ours_decoded"} | {peer: f"peers.{peer}" for peer in PEERS}

# One event of these costs over a millisecond; a quarter of the events says as much.
SLOW = {"kubernetes", "informer", "kopf"}

IMPORTS = {
    "kubewright": "import kubewright",
    "kubernetes": "import kubernetes",
    "lightkube": "import lightkube",
    "kopf": "import kopf",
}
IMPORTS_WITH_PODS = {
    "kubewright": "from kubewright.client import Client; from kubewright.kinds.core.v1 import Pod",
    "kubernetes": "from kubernetes import client, config, watch; client.V1Pod",
    "lightkube": "from lightkube import AsyncClient; from lightkube.resources.core_v1 import Pod",
}


@dataclass(frozen=True)
class Scenario:
    """One thing that contenders do, each in a fresh process.

    Attributes:
        name: What it is called in results.
        group: What ``--only`` chooses by.
        contenders: Who takes part.
        function: What to call in the contender's module; none for an import.
        work: What differs from the usual amount of work.
        statements: For an import, what each contender executes.
    """

    name: str
    group: str
    contenders: tuple[str, ...]
    function: str = ""
    work: dict[str, int | str] = field(default_factory=dict)
    statements: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """One number of a scenario, and its goals; lower is better unless `more_is_better`.

    Attributes:
        scenario: The scenario that yields it.
        metric: Its name in the scenario's result.
        title: What the table calls it.
        best: The most that ours may be of the best peer's.
        kopf: The most that ours may be of Kopf's.
        limit: The most that ours may be, whatever the peers need.
        more_is_better: For rates; they have no goals of their own.
    """

    scenario: str
    metric: str
    title: str
    best: float | None = None
    kopf: float | None = None
    limit: float | None = None
    more_is_better: bool = False


def _requests(verb: str, concurrency: int) -> Scenario:
    return Scenario(
        name=f"{verb}{concurrency}",
        group="requests",
        contenders=(OURS, "kubernetes", "lightkube"),
        function="requests",
        work={"verb": verb, "concurrency": concurrency},
    )


SCENARIOS = (
    Scenario("list", "list", (OURS, *PEERS, DECODED), "list_pods"),
    Scenario("watch", "watch", (OURS, *PEERS, DECODED), "watch_pods"),
    *(_requests(verb, concurrency) for verb in ("get", "patch") for concurrency in (1, 32)),
    Scenario("import", "import", tuple(IMPORTS), statements=IMPORTS),
    Scenario("import_pods", "import", tuple(IMPORTS_WITH_PODS), statements=IMPORTS_WITH_PODS),
)
GROUPS = tuple(dict.fromkeys(scenario.group for scenario in SCENARIOS))

FIGURES = (
    Figure("list", "cpu", "list, CPU s", best=0.25, kopf=0.06),
    Figure("list", "wall", "list, wall s"),
    Figure("list", "peak", "list, peak MB", best=0.25, kopf=0.15),
    Figure("list", "net", "list, net MB", best=0.30),
    Figure("watch", "cpu_us", "watch, CPU us/event", best=0.20, kopf=0.05),
    Figure("watch", "per_second", "watch, events/s", more_is_better=True),
    Figure("get1", "cpu_us", "GET x1, CPU us", best=0.25),
    Figure("get32", "cpu_us", "GET x32, CPU us", best=0.08),
    Figure("patch1", "cpu_us", "PATCH x1, CPU us", best=0.25),
    Figure("patch32", "cpu_us", "PATCH x32, CPU us", best=0.08),
    Figure("import", "ms", "import, ms", limit=150),
    Figure("import", "rss", "import, MB", limit=30),
    Figure("import_pods", "ms", "import client and pods, ms"),
    Figure("import_pods", "rss", "import client and pods, MB"),
)
