"""What operators of charts are measured at, and what is to be reached."""

from dataclasses import dataclass

OURS, HELM = "kubewright", "helm"
CONTENDERS = (OURS, HELM)
SCENARIOS = ("idle", "change")


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How much one measurement has.

    Attributes:
        releases: How many there are.
        seconds: How long the operator is watched while nothing happens.
        changes: How many values are changed, and how often helm is run.
    """

    releases: int = 500
    seconds: float = 60.0
    changes: int = 20


QUICK = Amount(releases=20, seconds=10.0, changes=4)


@dataclass(frozen=True)
class Figure:
    """One row of the table; lower is better.

    Attributes:
        scenario: Where it is measured.
        metric: The name of its number.
        title: What the table calls it.
        goal: The most that ours may be of helm's, if there is a goal.
    """

    scenario: str
    metric: str
    title: str
    goal: float | None = None


FIGURES = (
    Figure("idle", "cpu_s", "releases at rest, CPU s per minute", 0.02),
    Figure("idle", "period_cpu_s", "the same, looked at each minute, CPU s", 0.02),
    Figure("idle", "rss_mb", "releases at rest, MB"),
    Figure("change", "ms", "a value to the child, ms", 1.0),
    Figure("change", "cpu_ms", "a value to the child, CPU ms", 1.0),
)
