"""The identity of a pod of a StatefulSet: its ordinal, name, labels and claims."""

import re
from collections.abc import Iterator
from typing import Final

from kubewright import _json
from kubewright.api.meta import ObjectMeta
from kubewright.embedded.controllers.pod_template import pod_from
from kubewright.kinds.apps.v1 import StatefulSet
from kubewright.kinds.core.v1 import (
    PersistentVolumeClaim,
    PersistentVolumeClaimVolumeSource,
    Pod,
    PodTemplateSpec,
    Volume,
)

__all__ = [
    "REVISION_LABEL",
    "claim_names",
    "claims_for",
    "first_ordinal",
    "is_member",
    "labels_for",
    "ordinal_of",
    "ordinals",
    "pod_for",
]

REVISION_LABEL: Final = "controller-revision-hash"
NAME_LABEL: Final = "statefulset.kubernetes.io/pod-name"
INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"
_NAME = re.compile(r"(.*)-([0-9]+)")


def ordinal_of(name: str) -> int:
    """Return the ordinal at the end of the name of a pod; -1 if there is none."""
    found = _NAME.fullmatch(name)
    return int(found[2]) if found else -1


def is_member(owner: StatefulSet, name: str) -> bool:
    """Return whether a pod called *name* can be one of *owner*."""
    found = _NAME.fullmatch(name)
    return found is not None and found[1] == owner.metadata.name


def first_ordinal(owner: StatefulSet) -> int:
    """Return the ordinal of the first pod."""
    ordinals = owner.spec.ordinals
    return (ordinals.start if ordinals is not None else None) or 0


def ordinals(owner: StatefulSet) -> range:
    """Return the ordinals of the pods that *owner* should have."""
    first = first_ordinal(owner)
    return range(first, first + (owner.spec.replicas or 0))


def labels_for(owner: StatefulSet, ordinal: int) -> dict[str, str]:
    """Return the labels that identify one pod of *owner*."""
    return {NAME_LABEL: f"{owner.metadata.name}-{ordinal}", INDEX_LABEL: str(ordinal)}


def pod_for(owner: StatefulSet, ordinal: int, template: PodTemplateSpec, revision: str) -> Pod:
    """Return the pod of *owner* with an ordinal, not created yet.

    Args:
        owner: The set.
        ordinal: Its number.
        template: The template of its revision, which may be an earlier one.
        revision: The name of that revision.
    """
    pod = pod_from(template, owner, name=f"{owner.metadata.name}-{ordinal}")
    pod.metadata.labels |= {REVISION_LABEL: revision, **labels_for(owner, ordinal)}
    pod.spec.hostname = pod.metadata.name
    pod.spec.subdomain = owner.spec.service_name or None
    claims = claim_names(owner, ordinal)
    volumes = [
        Volume(
            name=name, persistent_volume_claim=PersistentVolumeClaimVolumeSource(claim_name=claim)
        )
        for name, claim in claims.items()
    ]
    pod.spec.volumes = [*volumes, *(one for one in pod.spec.volumes if one.name not in claims)]
    return pod


def claim_names(owner: StatefulSet, ordinal: int) -> dict[str, str]:
    """Return the names of the claims of one pod, by the name of their template."""
    templates = [one.metadata.name for one in owner.spec.volume_claim_templates]
    return {name: f"{name}-{owner.metadata.name}-{ordinal}" for name in templates}


def claims_for(owner: StatefulSet, ordinal: int) -> Iterator[PersistentVolumeClaim]:
    """Yield the claims of one pod, not created yet."""
    names = claim_names(owner, ordinal)
    for template in owner.spec.volume_claim_templates:
        made = _json.decode(_json.encode(template), PersistentVolumeClaim)
        meta = made.metadata
        made.metadata = ObjectMeta(
            name=names[meta.name],
            namespace=owner.metadata.namespace,
            labels={**meta.labels, **owner.spec.selector.match_labels},
            annotations=meta.annotations,
        )
        yield PersistentVolumeClaim(metadata=made.metadata, spec=made.spec)
