"""What a Job says about failures and success: podFailurePolicy, successPolicy, backoff."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta

import msgspec

from kubewright.embedded.controllers.job.indexes import parse_indexes
from kubewright.kinds.batch.v1 import (
    Job,
    PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
    PodFailurePolicyRule,
    SuccessPolicyRule,
)
from kubewright.kinds.core.v1 import ContainerStatus, Pod

__all__ = ["FIRST_BACKOFF", "LONGEST_BACKOFF", "Backoff", "Verdict", "delay_after", "judge", "met"]

FIRST_BACKOFF: float = 10.0
LONGEST_BACKOFF: float = 600.0


class Verdict(msgspec.Struct, frozen=True):
    """What a failed pod means for its Job.

    Attributes:
        counts: Whether it counts against the backoff limit.
        fails_job: Why the whole Job fails; empty if it does not.
        fails_index: Whether its index is given up.
    """

    counts: bool = True
    fails_job: str = ""
    fails_index: bool = False


_COUNTED = Verdict()


def judge(job: Job, pod: Pod) -> Verdict:
    """Return what the first rule that fits says about a failed *pod*; without one it counts."""
    policy = job.spec.pod_failure_policy
    for number, rule in enumerate(policy.rules if policy else ()):
        found = _matched(rule, number, pod)
        if found is None:
            continue
        if rule.action == "Ignore":
            return Verdict(counts=False)
        if rule.action == "FailJob":
            return Verdict(fails_job=found)
        if rule.action == "FailIndex":
            if job.spec.backoff_limit_per_index is None:
                continue
            return Verdict(fails_index=True)
        return _COUNTED
    return _COUNTED


def _matched(rule: PodFailurePolicyRule, number: int, pod: Pod) -> str | None:
    """Return how *rule* fits, as the condition of the Job says it; ``None`` if it does not."""
    said = f"matching {rule.action} rule at index {number}"
    where = f"{pod.metadata.namespace}/{pod.metadata.name}"
    if rule.on_exit_codes is not None:
        found = _exited(pod, rule.on_exit_codes)
        if found is None:
            return None
        name, code = found
        return f"Container {name} for pod {where} failed with exit code {code} {said}"
    condition = _condition(pod, rule.on_pod_conditions)
    return None if condition is None else f"Pod {where} has condition {condition} {said}"


def _exited(pod: Pod, rule: PodFailurePolicyOnExitCodesRequirement) -> tuple[str, int] | None:
    statuses: list[ContainerStatus] = [
        *pod.status.container_statuses,
        *pod.status.init_container_statuses,
    ]
    for one in statuses:
        ended = one.state.terminated if one.state else None
        if ended is None or ended.exit_code == 0:
            continue
        if rule.container_name is not None and rule.container_name != one.name:
            continue
        if (ended.exit_code in rule.values) is (rule.operator == "In"):
            return one.name, ended.exit_code
    return None


def _condition(pod: Pod, patterns: Iterable[PodFailurePolicyOnPodConditionsPattern]) -> str | None:
    for pattern in patterns:
        for one in pod.status.conditions:
            if one.type == pattern.type and one.status == (pattern.status or "True"):
                return one.type
    return None


def met(job: Job, succeeded: AbstractSet[int]) -> str:
    """Return which rule of the success policy holds, as the condition says it; empty if none."""
    policy = job.spec.success_policy
    completions = job.spec.completions or 0
    for number, rule in enumerate(policy.rules if policy else ()):
        if _holds(rule, succeeded, completions):
            return f"Matched rules at index {number}"
    return ""


def _holds(rule: SuccessPolicyRule, succeeded: AbstractSet[int], completions: int) -> bool:
    if rule.succeeded_indexes is None:
        return rule.succeeded_count is not None and len(succeeded) >= rule.succeeded_count
    wanted = parse_indexes(rule.succeeded_indexes, completions)
    needed = len(wanted) if rule.succeeded_count is None else rule.succeeded_count
    return len(wanted & succeeded) >= needed


class Backoff(msgspec.Struct, frozen=True):
    """How often a Job has failed in a row, and when last."""

    failures: int = 0
    last: datetime | None = None

    def after(self, ends: Iterable[tuple[datetime, bool]]) -> "Backoff":
        """Return the backoff after pods have ended, each with its time and whether it succeeded."""
        failures, last = self.failures, self.last
        for time, succeeded in sorted(ends):
            failures, last = (0, None) if succeeded else (failures + 1, time)
        return Backoff(failures, last)

    def remaining(self, now: datetime) -> float:
        """Return how many seconds to wait before the next pod."""
        return delay_after(self.failures, self.last, now)


def delay_after(failures: int, last: datetime | None, now: datetime) -> float:
    """Return how many seconds are left to wait after so many failures, the last one at *last*."""
    if failures <= 0 or last is None:
        return 0.0
    delay = min(FIRST_BACKOFF * 2.0 ** min(failures - 1, 10), LONGEST_BACKOFF)
    return max(0.0, (last + timedelta(seconds=delay) - now).total_seconds())
