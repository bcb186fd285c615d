"""One look at a Job: what its pods mean for it, what to do, and what its status should say.

Every pod carries a finalizer until it is counted. A pod that has ended is first named in
``status.uncountedTerminatedPods``, then loses its finalizer, then counts: whatever is
interrupted in between, no pod is counted twice, and none is forgotten.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from kubewright.api.times import to_seconds
from kubewright.embedded.controllers.job.conditions import (
    CRITERIA_MET,
    FAILURE_TARGET,
    target_of,
    verdict,
)
from kubewright.embedded.controllers.job.indexes import format_indexes, index_of, parse_indexes
from kubewright.embedded.controllers.job.pods import (
    IGNORED_FAILURES,
    failures_of,
    finish_time,
    is_active,
    is_failed,
    is_ready,
    is_terminating,
    is_tracked,
    replaces_only_failed,
)
from kubewright.embedded.controllers.job.policy import Backoff, Verdict, judge, met
from kubewright.kinds.batch.v1 import Job, JobCondition, UncountedTerminatedPods
from kubewright.kinds.core.v1 import Pod

__all__ = ["Look", "count_ended"]

MOST_UNCOUNTED: int = 500
"""The most pods that the status names at a time: it must not grow without bound."""


class Look:
    """A Job and its pods at one moment; it only computes, and writes nothing.

    Args:
        job: The Job; its status is changed to what it should be.
        pods: Its pods.
        now: The time.
        backoff: How often it has failed before.
    """

    def __init__(self, job: Job, pods: Iterable[Pod], *, now: datetime, backoff: Backoff) -> None:
        self.job: Job = job
        self.now: datetime = now
        self.pods: list[Pod] = list(pods)
        self.active: list[Pod] = [pod for pod in self.pods if is_active(pod)]
        self.terminating: int = sum(map(is_terminating, self.pods))
        self.tracked: list[Pod] = [pod for pod in self.pods if is_tracked(pod)]
        status = job.status
        uncounted = status.uncounted_terminated_pods or UncountedTerminatedPods()
        self._named = {*uncounted.succeeded, *uncounted.failed}
        self.is_indexed: bool = job.spec.completion_mode == "Indexed"
        self.per_index: bool = self.is_indexed and job.spec.backoff_limit_per_index is not None
        completions = job.spec.completions or 0
        self.verdicts: dict[str, Verdict] = {
            pod.metadata.uid: judge(job, pod) for pod in self.tracked if is_failed(job, pod)
        }
        new = [pod for pod in self.tracked if pod.metadata.uid not in self._named]
        self.failed: int = (status.failed or 0) + len(uncounted.failed) + self._failures(new)
        succeeded = len(uncounted.succeeded) + sum(map(_succeeded, new))
        self.succeeded: int = (status.succeeded or 0) + succeeded
        self.done: set[int] = set()
        self.given_up: set[int] = set()
        if self.is_indexed:
            self.done = parse_indexes(status.completed_indexes, completions)
            self.done |= self._indexes(one for one in self.tracked if _succeeded(one))
            self.succeeded = len(self.done)
        if self.per_index:
            self.given_up = parse_indexes(status.failed_indexes, completions)
            self.given_up |= self._newly_given_up()
        self.delayed: dict[int, Pod] = self._delayed() if self.per_index else {}
        self.backoff: Backoff = backoff.after(self._ends(new))

    def _failures(self, pods: Iterable[Pod]) -> int:
        found = (self.verdicts.get(pod.metadata.uid) for pod in pods if self._is_valid(pod))
        return sum(said.counts for said in found if said is not None)

    def _is_valid(self, pod: Pod) -> bool:
        return not self.is_indexed or self._index(pod) is not None

    def _index(self, pod: Pod) -> int | None:
        index = index_of(pod)
        return index if index is not None and index < (self.job.spec.completions or 0) else None

    def _indexes(self, pods: Iterable[Pod]) -> set[int]:
        return {index for pod in pods if (index := self._index(pod)) is not None}

    def _ends(self, new: list[Pod]) -> list[tuple[datetime, bool]]:
        return [
            (finish_time(pod), _succeeded(pod))
            for pod in new
            if _succeeded(pod) or pod.metadata.uid in self.verdicts
        ]

    # --- Indexes ---

    def _newly_given_up(self) -> set[int]:
        limit = self.job.spec.backoff_limit_per_index or 0
        found: set[int] = set()
        for pod in self.tracked:
            said = self.verdicts.get(pod.metadata.uid)
            index = self._index(pod)
            if said is None or index is None or index in self.done:
                continue
            if said.fails_index or (said.counts and failures_of(pod) >= limit):
                found.add(index)
        return found

    def _delayed(self) -> dict[int, Pod]:
        """Return the failed pod of each index that waits for a new one."""
        busy = self._indexes(self.active) | self.done | self.given_up
        found: dict[int, Pod] = {}
        for pod in self.tracked:
            index = self._index(pod)
            if pod.metadata.uid not in self.verdicts or index is None or index in busy:
                continue
            if index not in found or all_failures(pod) >= all_failures(found[index]):
                found[index] = pod
        return found

    @property
    def busy(self) -> set[int]:
        """The indexes that need no new pod."""
        worked_on = self.active
        if replaces_only_failed(self.job):
            worked_on = [*worked_on, *(pod for pod in self.pods if is_terminating(pod))]
        return self.done | self.given_up | self._indexes(worked_on)

    # --- Decisions ---

    @property
    def deadline(self) -> float | None:
        """In how many seconds the Job fails for its age; ``None`` if it does not."""
        limit, started = self.job.spec.active_deadline_seconds, self.job.status.start_time
        if limit is None or started is None or self.job.spec.suspend:
            return None
        return (started + timedelta(seconds=limit) - self.now).total_seconds()

    def decide(self) -> JobCondition | None:
        """Return what is decided about the Job, now or before; ``None`` while it goes on."""
        return target_of(self.job) or self._failure() or self._criteria()

    def _failure(self) -> JobCondition | None:
        for said in self.verdicts.values():
            if said.fails_job:
                return self._fails("PodFailurePolicy", said.fails_job)
        deadline = self.deadline
        limit = self.job.spec.backoff_limit
        if (limit is not None and self.failed > limit) or self._restarts_too_often():
            text = "Job has reached the specified backoff limit"
            return self._fails("BackoffLimitExceeded", text)
        if deadline is not None and deadline <= 0:
            text = "Job was active longer than specified deadline"
            return self._fails("DeadlineExceeded", text)
        return self._failed_indexes() if self.per_index else None

    def _failed_indexes(self) -> JobCondition | None:
        most = self.job.spec.max_failed_indexes
        if most is not None and len(self.given_up) > most:
            text = "Job has exceeded the specified maximal number of failed indexes"
            return self._fails("MaxFailedIndexesExceeded", text)
        ended = len(self.given_up) + len(self.done)
        if self.given_up and ended >= (self.job.spec.completions or 0):
            return self._fails("FailedIndexes", "Job has failed indexes")
        return None

    def _restarts_too_often(self) -> bool:
        """Return whether containers that start again in place have failed too often."""
        if self.job.spec.template.spec.restart_policy != "OnFailure":
            return False
        running = [pod for pod in self.pods if pod.status.phase in {"Running", "Pending"}]
        restarts = sum(
            one.restart_count
            for pod in running
            for one in (*pod.status.init_container_statuses, *pod.status.container_statuses)
        )
        limit = self.job.spec.backoff_limit or 0
        return restarts > 0 if limit == 0 else restarts >= limit

    def _criteria(self) -> JobCondition | None:
        if not self.is_indexed:
            return None
        message = met(self.job, self.done)
        return verdict(CRITERIA_MET, "SuccessPolicy", message, self.now) if message else None

    def _fails(self, reason: str, message: str) -> JobCondition:
        return verdict(FAILURE_TARGET, reason, message, self.now)

    @property
    def is_complete(self) -> bool:
        """Whether enough pods have succeeded, and none is left."""
        wanted = self.job.spec.completions
        enough = self.succeeded > 0 if wanted is None else self.succeeded >= wanted
        return enough and not self.active

    def completed(self) -> JobCondition:
        """Return what is decided when enough pods have succeeded."""
        text = "Reached expected number of succeeded pods"
        return verdict(CRITERIA_MET, "CompletionsReached", text, self.now)

    @property
    def wanted(self) -> int:
        """How many pods should be active."""
        spec = self.job.spec
        parallelism = 1 if spec.parallelism is None else spec.parallelism
        if spec.completions is None:
            return len(self.active) if self.succeeded else parallelism
        return max(0, min(spec.completions - self.succeeded, parallelism))

    # --- What the status says ---

    def describe(self) -> None:
        """Write into the status what can be seen now."""
        status = self.job.status
        status.active = len(self.active) or None
        status.ready = sum(map(is_ready, self.active))
        status.terminating = self.terminating

    def settle(self, *, target: JobCondition | None) -> list[Pod]:
        """Name the ended pods in the status; return those whose finalizer can be removed.

        Args:
            target: What was decided about the Job: its other pods count as failed then.
        """
        status = self.job.status
        count_ended(self.job, self.tracked)
        uncounted = status.uncounted_terminated_pods or UncountedTerminatedPods()
        free: list[Pod] = []
        for pod in self.tracked:
            if len(uncounted.failed) + len(uncounted.succeeded) >= MOST_UNCOUNTED:
                break
            if not self._is_free(pod, target):
                continue
            free.append(pod)
            self._name(pod, uncounted, target)
        status.uncounted_terminated_pods = uncounted
        if self.is_indexed:
            self._describe_indexes()
        return free

    def _is_free(self, pod: Pod, target: JobCondition | None) -> bool:
        if self.job.metadata.deletion_timestamp or target is not None or _succeeded(pod):
            return True
        if not is_failed(self.job, pod):
            return False
        waiting = self.delayed.get(index_of(pod) or 0) if self.per_index else None
        return waiting is None or waiting.metadata.uid != pod.metadata.uid

    def _name(
        self, pod: Pod, uncounted: UncountedTerminatedPods, target: JobCondition | None
    ) -> None:
        uid = pod.metadata.uid
        if uid in self._named or not self._is_valid(pod):
            return
        if _succeeded(pod):
            if not self.is_indexed:  # an index cannot be counted twice anyway
                uncounted.succeeded.append(uid)
            return
        said = self.verdicts.get(uid)
        if said is None and target is not None and target.type == FAILURE_TARGET:
            said = judge(self.job, pod)  # it was still running when the Job failed
        if said is not None and said.counts:
            uncounted.failed.append(uid)

    def _describe_indexes(self) -> None:
        status = self.job.status
        status.completed_indexes = format_indexes(self.done) or None
        status.succeeded = len(self.done) or None
        if self.per_index:
            status.failed_indexes = format_indexes(self.given_up)


def _succeeded(pod: Pod) -> bool:
    return pod.status.phase == "Succeeded"


def all_failures(pod: Pod) -> int:
    """Return how often the index of *pod* had failed before, ignored failures included."""
    return failures_of(pod) + failures_of(pod, IGNORED_FAILURES)


def count_ended(job: Job, tracked: Iterable[Pod]) -> None:
    """Count the pods that the status names and that have lost their finalizer."""
    status = job.status
    uncounted = status.uncounted_terminated_pods
    if uncounted is None:
        return
    waiting = {pod.metadata.uid for pod in tracked}
    succeeded = [uid for uid in uncounted.succeeded if uid in waiting]
    failed = [uid for uid in uncounted.failed if uid in waiting]
    more = len(uncounted.succeeded) - len(succeeded), len(uncounted.failed) - len(failed)
    status.succeeded = (status.succeeded or 0) + more[0] or None
    status.failed = (status.failed or 0) + more[1] or None
    status.uncounted_terminated_pods = UncountedTerminatedPods(succeeded=succeeded, failed=failed)


def note_start(job: Job, now: datetime) -> None:
    """Set the start time of the Job, unless it has one or is suspended."""
    if job.status.start_time is None and not job.spec.suspend:
        job.status.start_time = to_seconds(now)
