"""The state of a container as values; each carries only what it needs."""

from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kubewright.kinds.core.v1 import Container, PodSpec

__all__ = [
    "CRASH_LOOP",
    "LOST",
    "LOST_CODE",
    "Blocked",
    "ContainerRecord",
    "Delay",
    "Ended",
    "Fresh",
    "Role",
    "Running",
    "State",
    "ended",
    "ended_for_replacement",
    "role_of",
    "roles",
    "started",
    "wait_before_restart",
]

FIRST_DELAY: float = 10.0
LONGEST_DELAY: float = 300.0
FORGET_AFTER: float = 2 * LONGEST_DELAY
"""A container that ran for longer than this starts with the first delay again."""

CRASH_LOOP: str = "CrashLoopBackOff"
LOST: str = "ContainerStatusUnknown"
"""The reason for a container whose end nobody has seen."""
LOST_CODE: int = 137

Role: TypeAlias = Literal["init", "sidecar", "app"]


class Fresh(Struct, frozen=True):
    """It has not run in this sandbox yet."""


class Running(Struct, frozen=True):
    """Its process runs."""

    since: datetime


class Ended(Struct, frozen=True):
    """Its process has ended, or could not be started.

    Attributes:
        exit_code: As in a shell: 128 plus the signal for one that was killed.
        reason: A word for programs, such as ``Completed``, ``Error`` or ``StartError``.
        started_at: When it began.
        finished_at: When it was over.
        container_id: Which process it was.
        message: Its termination message.
        signal: The signal that ended it; 0 for none.
    """

    exit_code: int
    reason: str
    started_at: datetime
    finished_at: datetime
    container_id: str = ""
    message: str = ""
    signal: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether it ended well."""
        return self.exit_code == 0


State: TypeAlias = Fresh | Running | Ended


class Blocked(Struct, frozen=True):
    """Why a container that should run is not started now, in the words of a waiting state."""

    reason: str
    message: str = ""


class Delay(Struct, frozen=True):
    """How long the next restart waits after an end, and when that was last increased."""

    seconds: float
    since: datetime


class ContainerRecord(Struct, frozen=True):
    """All that is known of one container of a pod.

    Attributes:
        name: Its name.
        state: Its present state.
        last: How its previous run ended.
        restarts: How often it was started again.
        container_id: Its present or last process.
        image_id: The id of its image.
        delay: How long a restart waits.
        blocked: Why it is not started now.
        hooked: Whether its postStart hook is done.
        started: Whether its startup probe has succeeded, or there is none.
        ready: Whether its readiness probe succeeds, or there is none.
    """

    name: str
    state: State = Fresh()
    last: Ended | None = None
    restarts: int = 0
    container_id: str = ""
    image_id: str = ""
    delay: Delay | None = None
    blocked: Blocked | None = None
    hooked: bool = True
    started: bool = False
    ready: bool = False

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return isinstance(self.state, Running)

    @property
    def has_run(self) -> bool:
        """Whether another start of it is a restart."""
        return self.last is not None or not isinstance(self.state, Fresh)


def wait_before_restart(record: ContainerRecord, now: datetime) -> float:
    """Return for how many seconds an ended container must not be started again."""
    end, delay = record.state, record.delay
    if not isinstance(end, Ended) or delay is None or _is_old(delay, end.finished_at):
        return 0.0
    return max(0.0, (end.finished_at - now).total_seconds() + delay.seconds)


def _is_old(delay: Delay, moment: datetime) -> bool:
    return moment - delay.since > timedelta(seconds=FORGET_AFTER)


def _next_delay(record: ContainerRecord, now: datetime) -> Delay | None:
    """Return how long the restart after this start will wait; none after the first start."""
    if not isinstance(record.state, Ended):
        return record.delay
    if record.delay is None or _is_old(record.delay, record.state.finished_at):
        return Delay(FIRST_DELAY, now)
    return Delay(min(record.delay.seconds * 2, LONGEST_DELAY), now)


def started(
    record: ContainerRecord,
    *,
    container: Container,
    container_id: str,
    image_id: str,
    now: datetime,
) -> ContainerRecord:
    """Return the record of a container whose process was just started."""
    hooked = container.lifecycle is None or container.lifecycle.post_start is None
    return replace(
        record,
        state=Running(now),
        last=record.state if isinstance(record.state, Ended) else record.last,
        restarts=record.restarts + record.has_run,
        container_id=container_id,
        image_id=image_id,
        delay=_next_delay(record, now),
        blocked=None,
        hooked=hooked,
        started=hooked and container.startup_probe is None,
        ready=container.readiness_probe is None,
    )


def ended(record: ContainerRecord, end: Ended) -> ContainerRecord:
    """Return the record of a container whose process is over."""
    return replace(record, state=end, blocked=None, started=False, ready=False, hooked=True)


def ended_for_replacement(record: ContainerRecord, end: Ended) -> ContainerRecord:
    """Return the record of a container that was stopped to be replaced by a new one."""
    return replace(ended(record, end), state=Fresh(), last=end, delay=None)


def role_of(container: Container, *, init: bool) -> Role:
    """Return the role of a container."""
    if not init:
        return "app"
    return "sidecar" if container.restart_policy == "Always" else "init"


def roles(spec: PodSpec) -> list[tuple[Container, Role]]:
    """Return the containers of a pod with their roles, in the order in which they start."""
    first = [(one, role_of(one, init=True)) for one in spec.init_containers]
    return first + [(one, role_of(one, init=False)) for one in spec.containers]
