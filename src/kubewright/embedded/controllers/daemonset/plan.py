"""What to do on which node: pure decisions from pods and nodes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from kubewright.api.intorstring import resolve_int_or_percent
from kubewright.embedded.controllers.daemonset.placement import (
    GENERATION_LABEL,
    HASH_LABEL,
    Fit,
    generation_of,
)
from kubewright.embedded.controllers.pod_state import PodState
from kubewright.kinds.apps.v1 import DaemonSet, DaemonSetStatus

__all__ = ["Situation", "Todo", "kept", "reported", "rolled"]


class Todo(NamedTuple):
    """What to do.

    Attributes:
        create: Names of nodes that get a pod.
        delete: Pods to delete.
    """

    create: list[str]
    delete: list[PodState]


class Situation(NamedTuple):
    """The facts that one reconcile decides on.

    Attributes:
        owner: The set.
        digest: The hash of its current template.
        fits: Whether each node takes its pods.
        pods: Its pods on each node, or on their way there.
        now: The time.
    """

    owner: DaemonSet
    digest: str
    fits: Mapping[str, Fit]
    pods: Mapping[str, Sequence[PodState]]
    now: datetime

    @property
    def desired(self) -> int:
        """How many nodes take a pod."""
        return sum(fit.runs for fit in self.fits.values())

    def is_available(self, pod: PodState) -> bool:
        """Return whether *pod* has been ready for long enough."""
        return pod.is_available(self.owner.spec.min_ready_seconds or 0, self.now)

    def is_new(self, pod: PodState) -> bool:
        """Return whether *pod* has the current template."""
        generation = generation_of(self.owner)
        same = bool(generation) and pod.labels.get(GENERATION_LABEL) == generation
        return same or pod.labels.get(HASH_LABEL) == self.digest

    def _bound(self, name: str) -> int:
        strategy = self.owner.spec.update_strategy
        rolling = strategy.rolling_update if strategy is not None else None
        value = getattr(rolling, name) if rolling is not None else None
        return resolve_int_or_percent(value or 0, self.desired, round_up=True)

    @property
    def max_surge(self) -> int:
        """How many nodes may have an old and a new pod at a time."""
        return self._bound("max_surge")

    @property
    def max_unavailable(self) -> int:
        """How many nodes may be without a pod at a time."""
        bound = self._bound("max_unavailable")
        return bound if bound or self.max_surge else min(1, self.desired)


def _oldest_first(pods: Iterable[PodState]) -> list[PodState]:
    def place(pod: PodState) -> tuple[bool, float, str]:
        created = pod.created.timestamp() if pod.created is not None else 0.0
        return (not pod.bound, created, pod.name)

    return sorted(pods, key=place)


def kept(at: Situation) -> Todo:
    """Return what to create and delete, so that each node that takes a pod has one.

    Pods that have ended are left to the controller, which waits longer after each failure.
    """
    todo = Todo([], [])
    for node, fit in at.fits.items():
        pods = at.pods.get(node, ())
        if fit.runs and not pods:
            todo.create.append(node)
        elif not fit.stays:
            todo.delete.extend(pod for pod in pods if not pod.deleting)
        else:
            running = _oldest_first(pod for pod in pods if pod.is_active)
            todo.delete.extend(_excess(at, running))
    gone = (pods for node, pods in at.pods.items() if node not in at.fits)
    todo.delete.extend(pod for pods in gone for pod in pods if not pod.bound and not pod.deleting)
    return todo


def _excess(at: Situation, running: Sequence[PodState]) -> Sequence[PodState]:
    if not at.max_surge:
        return running[1:]
    new = [pod for pod in running if at.is_new(pod)]
    old = [pod for pod in running if not at.is_new(pod)]
    excess = new[1:] + old[1:]
    if new and old and (not old[0].ready or at.is_available(new[0])):
        excess.append(old[0])
    return excess


def rolled(at: Situation) -> Todo:
    """Return the next step from old pods to new ones."""
    return _surged(at) if at.max_surge else _replaced(at)


def _pairs(at: Situation) -> Iterable[tuple[str, list[PodState], list[PodState]]]:
    """Yield each node with its new and its old pods, except for those being deleted."""
    for node, pods in sorted(at.pods.items()):
        staying = [pod for pod in pods if not pod.deleting]
        new = [pod for pod in staying if at.is_new(pod)]
        yield node, new, [pod for pod in staying if not at.is_new(pod)]


def _replaced(at: Situation) -> Todo:
    down = 0
    broken: list[PodState] = []
    candidates: list[PodState] = []
    for _, new, old in _pairs(at):
        if len(new) + len(old) != 1:
            down += 1  # on its way out, or one too many
        elif new:
            down += not at.is_available(new[0])
        elif at.is_available(old[0]):
            candidates.append(old[0])
        else:
            broken.append(old[0])
    return Todo([], broken + candidates[: max(0, at.max_unavailable - down)])


def _surged(at: Situation) -> Todo:
    surging = 0
    broken: list[str] = []
    candidates: list[str] = []
    done: list[PodState] = []
    for node, new, old in _pairs(at):
        if not old or len(new) > 1 or len(old) > 1:
            continue
        if not new:
            (candidates if at.is_available(old[0]) else broken).append(node)
        elif at.is_available(new[0]):
            done.append(old[0])
        else:
            surging += 1
    return Todo(broken + candidates[: max(0, at.max_surge - surging)], done)


def reported(at: Situation, *, collisions: int) -> DaemonSetStatus:
    """Return the status of the set with current counts."""
    wanted = [node for node, fit in at.fits.items() if fit.runs]
    first = [_oldest_first(at.pods[node])[0] for node in wanted if at.pods.get(node)]
    available = sum(at.is_available(pod) for pod in first)
    before = at.owner.status
    return DaemonSetStatus(
        conditions=before.conditions,
        collision_count=collisions or before.collision_count,
        observed_generation=at.owner.metadata.generation,
        desired_number_scheduled=len(wanted),
        current_number_scheduled=len(first),
        number_misscheduled=sum(
            bool(at.pods.get(node)) and not fit.runs for node, fit in at.fits.items()
        ),
        number_ready=sum(pod.ready for pod in first),
        updated_number_scheduled=sum(at.is_new(pod) for pod in first) or None,
        number_available=available or None,
        number_unavailable=(len(wanted) - available) or None,
    )
