"""What to do next with the containers of a pod: pure, from their records and the time."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from kubewright.embedded.node.pod.state import (
    ContainerRecord,
    Ended,
    Fresh,
    Role,
    roles,
    wait_before_restart,
)
from kubewright.kinds.core.v1 import Container, PodSpec

__all__ = ["Plan", "is_over", "is_over_for_good", "plan", "restart_policy"]

Records = Mapping[str, ContainerRecord]


class Plan(Struct, frozen=True):
    """What to do next.

    Attributes:
        start: The containers to start now, in this order.
        waiting: The containers that crashed and wait, each with the seconds that are left.
        stop_sidecars: Whether only sidecars are left, which end now.
    """

    start: tuple[str, ...] = ()
    waiting: tuple[tuple[str, float], ...] = ()
    stop_sidecars: bool = False

    @property
    def wake_after(self) -> float | None:
        """In how many seconds to plan again; ``None`` if only an event can change something."""
        return min((seconds for _, seconds in self.waiting), default=None)


def restart_policy(container: Container, role: Role, spec: PodSpec) -> str:
    """Return when a container is started again; an init container is done once it succeeded."""
    policy = container.restart_policy or spec.restart_policy or "Always"
    return "OnFailure" if role == "init" and policy == "Always" else policy


def is_over(container: Container, role: Role, record: ContainerRecord, spec: PodSpec) -> bool:
    """Return whether a container has ended and will not be started again."""
    if not isinstance(record.state, Ended):
        return False
    if _asks_for_restart(container, record.state.exit_code):
        return role == "init" and record.state.succeeded
    policy = restart_policy(container, role, spec)
    return policy == "Never" or (policy == "OnFailure" and record.state.succeeded)


def _asks_for_restart(container: Container, exit_code: int) -> bool:
    """Return whether a rule of the container itself wants it to be started again after this end."""
    for rule in container.restart_policy_rules if container.restart_policy else ():
        codes = rule.exit_codes
        if codes is not None and (exit_code in codes.values) == (codes.operator == "In"):
            return rule.action == "Restart"
    return False


def is_over_for_good(spec: PodSpec, records: Records) -> bool:
    """Return whether the work of a pod is done, well or badly; sidecars do not count."""
    work = [(one, role) for one, role in roles(spec) if role != "sidecar"]
    over = [is_over(one, role, records[one.name], spec) for one, role in work]
    failed = any(
        role == "init"
        and is_over(one, role, records[one.name], spec)
        and not _succeeded(one, records)
        for one, role in work
    )
    return failed or all(over)


def plan(spec: PodSpec, records: Records, now: datetime) -> Plan:
    """Return what to do next; an empty plan if there is nothing to do."""
    if is_over_for_good(spec, records):
        return Plan(stop_sidecars=True)
    start: list[str] = []
    waiting: list[tuple[str, float]] = []
    for container, role in roles(spec):
        record = records[container.name]
        if _should_start(container, role, record, spec):
            left = wait_before_restart(record, now)
            if left > 0:
                waiting.append((container.name, left))
            else:
                start.append(container.name)
        if _holds_up(container, role, record, starting=container.name in start):
            break
    return Plan(tuple(start), tuple(waiting))


def _should_start(container: Container, role: Role, record: ContainerRecord, spec: PodSpec) -> bool:
    if isinstance(record.state, Fresh):
        return True
    return isinstance(record.state, Ended) and not is_over(container, role, record, spec)


def _holds_up(container: Container, role: Role, record: ContainerRecord, *, starting: bool) -> bool:
    """Return whether those that come after a container must wait for it."""
    if role == "app":
        # Its postStart hook may prepare what the next one needs; the kubelet starts them in turn.
        has_hook = container.lifecycle is not None and container.lifecycle.post_start is not None
        return (starting and has_hook) or (record.is_running and not record.hooked)
    if role == "sidecar":
        return starting or not (record.is_running and record.started)
    return starting or not (isinstance(record.state, Ended) and record.state.succeeded)


def _succeeded(container: Container, records: Records) -> bool:
    state = records[container.name].state
    return isinstance(state, Ended) and state.succeeded
