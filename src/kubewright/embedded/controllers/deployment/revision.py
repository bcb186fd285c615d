"""Which replica set belongs to the current template, and the numbers of revisions.

``kubectl rollout history`` and ``undo`` read these annotations.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.api.owners import owner_reference
from kubewright.embedded.controllers.deployment.scaling import annotate_size
from kubewright.embedded.controllers.pod_template import (
    HASH_LABEL,
    copied,
    is_same_template,
    safe_hash,
)
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet, ReplicaSetSpec

__all__ = ["REVISION", "annotate", "expendable", "find_new", "next_revision", "revision_of"]

REVISION: Final = "deployment.kubernetes.io/revision"
HISTORY: Final = "deployment.kubernetes.io/revision-history"
_LONGEST_HISTORY: Final = 2000
_NOT_COPIED: Final = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        HISTORY,
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    }
)
_FOR_EVER: Final = 2**31 - 1


def find_new(deployment: Deployment, sets: Iterable[ReplicaSet]) -> ReplicaSet | None:
    """Return the set that has the template of *deployment*; the oldest if there are several."""
    template = deployment.spec.template
    same = [one for one in sets if is_same_template(one.spec.template, template)]
    return min(same, key=age, default=None)


def age(one: ReplicaSet) -> tuple[float, str]:
    """Return a key that sorts sets from the oldest to the newest."""
    created = one.metadata.creation_timestamp
    return (created.timestamp() if created is not None else 0.0, one.metadata.name)


def revision_of(one: ReplicaSet | Deployment) -> int:
    """Return the revision number of an object; 0 if it has none."""
    text = one.metadata.annotations.get(REVISION, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def next_revision(old: Iterable[ReplicaSet]) -> int:
    """Return the revision of the new set, given the *old* ones."""
    return max(map(revision_of, old), default=0) + 1


def annotate(one: ReplicaSet, deployment: Deployment, revision: int) -> None:
    """Give *one* the annotations of *deployment*, and *revision* if that is a later one."""
    notes = one.metadata.annotations
    own = deployment.metadata.annotations.items()
    notes.update({key: value for key, value in own if key not in _NOT_COPIED})
    before = revision_of(one)
    if before >= revision:
        return
    if REVISION in notes:
        # A rollback: the old number of the set moves to its history.
        notes[HISTORY] = _joined(notes.get(HISTORY, ""), notes[REVISION])
    notes[REVISION] = str(revision)


def _joined(history: str, revision: str) -> str:
    known = [one for one in history.split(",") if one]
    while known and len(",".join([*known, revision])) > _LONGEST_HISTORY:
        known.pop(0)
    return ",".join([*known, revision])


def replica_set_for(deployment: Deployment, revision: int) -> ReplicaSet:
    """Return the set for the current template, not created yet and without pods."""
    spec = deployment.spec
    template = copied(spec.template)
    digest = safe_hash(template, deployment.status.collision_count)
    template.metadata.labels[HASH_LABEL] = digest
    selector = LabelSelector(
        match_labels={**spec.selector.match_labels, HASH_LABEL: digest},
        match_expressions=spec.selector.match_expressions,
    )
    made = ReplicaSet(
        metadata=ObjectMeta(
            name=f"{deployment.metadata.name}-{digest}",
            namespace=deployment.metadata.namespace,
            labels=dict(template.metadata.labels),
            owner_references=[owner_reference(deployment)],
        ),
        spec=ReplicaSetSpec(
            replicas=0,
            min_ready_seconds=spec.min_ready_seconds,
            selector=selector,
            template=template,
        ),
    )
    annotate(made, deployment, revision)
    annotate_size(made, deployment)
    return made


def expendable(deployment: Deployment, old: Sequence[ReplicaSet]) -> list[ReplicaSet]:
    """Return which *old* sets exceed the history limit: those of the lowest revisions."""
    limit = deployment.spec.revision_history_limit
    alive = [one for one in old if one.metadata.deletion_timestamp is None]
    if limit is None or limit == _FOR_EVER or len(alive) <= limit:
        return []
    first = sorted(alive, key=lambda one: (revision_of(one), age(one)))[: len(alive) - limit]
    return [one for one in first if _is_idle(one)]


def _is_idle(one: ReplicaSet) -> bool:
    observed = (one.status.observed_generation or 0) >= one.metadata.generation
    return not one.status.replicas and not one.spec.replicas and observed
