"""What webhook servers are measured at, and what is to be reached."""

from dataclasses import dataclass

OURS, GO, KOPF = "kubewright", "go", "kopf"
SERVERS = (OURS, GO, KOPF)
PEERS = (GO, KOPF)
SCENARIOS = ("default", "validate", "convert")
CLIENTS = (1, 32)

UNABLE = {("convert", KOPF)}
"""Kopf has no conversion."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How many reviews one measurement has."""

    admissions: int = 4_000
    conversions: int = 200

    def of(self, scenario: str) -> int:
        """Return how many a server gets of *scenario*."""
        return self.conversions if scenario == "convert" else self.admissions


QUICK = Amount(admissions=400, conversions=20)


@dataclass(frozen=True)
class Figure:
    """One row of the table; lower is better.

    Attributes:
        name: The name of its measurements.
        title: What the table calls it.
        goals: The most that ours may be of a peer's.
    """

    name: str
    title: str
    goals: tuple[tuple[str, float], ...]


_GOALS = {
    "default": ((GO, 1.0), (KOPF, 0.1)),
    "validate": ((GO, 1.0), (KOPF, 0.1)),
    "convert": ((GO, 1.5),),
}
FIGURES = tuple(
    Figure(f"{scenario}{clients}", f"{scenario} x{clients}, CPU us", _GOALS[scenario])
    for scenario in SCENARIOS
    for clients in CLIENTS
)
