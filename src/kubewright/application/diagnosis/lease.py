"""Who holds the Lease of the operator, and does the holder live?"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from datetime import datetime, timedelta

from kubewright.api.meta import OwnerReference
from kubewright.application.diagnosis.finding import Finding, fine, info, named, warning
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.patient import Patient
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Pod

__all__ = ["judge", "look"]

_DURATION = 15
_PATIENCE = timedelta(seconds=10)
"""Within this time, a replica that waits for a Lease takes it."""


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge the Lease of the operator; if it is not known which one, all of the namespace."""
    place = patient.installation
    if place is None or not place.exists:
        return
    where = place.value("leader-elect-namespace") or place.namespace
    name = place.value("leader-elect-name")
    if not name and patient.operator is not None:
        name = patient.operator.name
    leases = [one async for one in patient.client.list(Lease, namespace=where)]
    ours = [one for one in leases if one.metadata.name == name]
    pods = [one async for one in patient.client.list(Pod, namespace=place.namespace)]
    for lease in ours if name else leases:
        for finding in judge(lease, place, pods=pods, now=patient.now):
            yield finding
    if name and not ours and place.works and place.is_on("leader-elect"):
        yield warning(
            named("lease", name, where),
            "There is no such Lease, though the operator is started with --leader-elect.",
            why="No replica leads, so that none of them works.",
            mend=[f"kubectl logs {place.ref} --tail 20"],
        )


def judge(
    lease: Lease, place: Installation, *, pods: Sequence[Pod], now: datetime
) -> Iterator[Finding]:
    """Say who holds a Lease, and whether that is right.

    Args:
        lease: The Lease.
        place: How the operator is deployed.
        pods: All pods of its namespace.
        now: The time by the server's clock.
    """
    name, where = lease.metadata.name, lease.metadata.namespace or ""
    subject = named("lease", name, where)
    holder, spec = lease.spec.holder_identity or "", lease.spec
    ended = _ended(lease, now)
    if not holder:
        if place.works and place.is_on("leader-elect") and ended > _PATIENCE:
            yield warning(
                subject,
                "Nobody holds it, though the operator runs.",
                why="No replica leads, so that none of them works.",
                mend=[f"kubectl logs {place.ref} --tail 20"],
                causes=(place.subject,),
            )
        return
    since = f" since {spec.acquire_time:%Y-%m-%d %H:%M:%S} UTC" if spec.acquire_time else ""
    pod = next((one for one in pods if holder.split("_")[0] in _hosts_of(one)), None)
    if ended > _PATIENCE:
        yield _expired(subject, holder, ended, place=place, where=where, name=name)
    elif place.deployment is None:
        yield info(
            subject,
            f"{holder} holds it{since}, and there is no Deployment here that it could belong to.",
            why="It is probably an operator on somebody's machine. One that is deployed now waits.",
            mend=[f"kubectl get lease {name} --namespace {where} --output yaml"],
        )
    elif pod is None or not _is_of(pod, place):
        yield _foreign(subject, f"{holder}{since}", pod, where=where, name=name)
    else:
        yield fine(f"{subject} is held by {holder}{since}")


def _ended(lease: Lease, now: datetime) -> timedelta:
    """Return for how long a Lease has been over; less than nothing if it is not."""
    renewed = lease.spec.renew_time
    if renewed is None:
        return timedelta(0)
    return now - renewed - timedelta(seconds=lease.spec.lease_duration_seconds or _DURATION)


def _expired(  # the parts of a sentence
    subject: str, holder: str, ended: timedelta, *, place: Installation, where: str, name: str
) -> Finding:
    seconds = int(ended.total_seconds())
    return warning(
        subject,
        f"Its holder {holder} has not renewed it; it ended {seconds} seconds ago, and nobody has"
        " taken it.",
        why="No replica leads, so that none of them works.",
        mend=[
            "# A replica that runs takes it by itself. To see whether one does, and what it says:",
            f"kubectl get pods --namespace {place.namespace}",
            *([f"kubectl logs {place.ref} --tail 20"] if place.deployment is not None else ()),
            "# If its holder is gone for good:",
            f"kubectl delete lease {name} --namespace {where}",
        ],
        causes=(place.subject,),
    )


def _foreign(subject: str, holder: str, pod: Pod | None, *, where: str, name: str) -> Finding:
    owner = _owner(pod) if pod is not None else None
    whose = (
        f"That is a pod of {owner.kind} {owner.name}, another operator with the same Lease"
        if owner is not None
        else "That is not a pod of this Deployment"
    )
    return warning(
        subject,
        f"It is held by {holder}. {whose}.",
        why="The replicas of this Deployment wait, and do nothing. Two Deployments with one Lease,"
        " or an operator that somebody runs on their machine, are the usual reasons.",
        mend=[
            "# Stop the other one. If it is gone already, free the Lease:",
            f"kubectl delete lease {name} --namespace {where}",
        ],
    )


def _is_of(pod: Pod, place: Installation) -> bool:
    return any(one.metadata.uid == pod.metadata.uid for one in place.pods)


def _hosts_of(pod: Pod) -> set[str]:
    """Return what the processes of a pod take for the name of their machine."""
    node = pod.spec.node_name
    return {pod.metadata.name, node} if pod.spec.host_network and node else {pod.metadata.name}


def _owner(pod: Pod) -> OwnerReference | None:
    return next((one for one in pod.metadata.owner_references if one.controller), None)
