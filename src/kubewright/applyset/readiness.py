"""Waits until workloads run as they were applied, and finds out why they do not."""

from collections.abc import Iterable
from typing import Any

import msgspec

from kubewright.api.meta import LabelSelector
from kubewright.api.unstructured import Unstructured
from kubewright.applyset.diagnosis import Trouble, trouble_of
from kubewright.applyset.listener import Listener
from kubewright.applyset.member import ObjectName
from kubewright.applyset.reach import each
from kubewright.applyset.rollout import Rollout, rollout_of
from kubewright.client import Client
from kubewright.errors import APIError, KubewrightError

__all__ = ["Unready", "find_unready"]

_EVERY = 1.0
_REVISION = "deployment.kubernetes.io/revision"
_LINES = 10  # of a log


class Unready(msgspec.Struct, frozen=True):
    """A workload that does not run as it was applied.

    Attributes:
        name: Which.
        text: How far it is.
        reasons: Why it is not ready, each in a line or more.
    """

    name: ObjectName
    text: str
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.name}: {self.text}", *(f"  {one}" for one in self.reasons)])


async def find_unready(
    client: Client,
    names: Iterable[ObjectName],
    *,
    timeout: float,
    listener: Listener | None = None,
) -> list[Unready]:
    """Wait until workloads run as they were applied; return those that do not get there.

    Deployments, StatefulSets and DaemonSets are waited for; others are ready when they are there.
    The wait ends early if a controller gives up.

    Args:
        client: Where they are.
        names: The workloads.
        timeout: Seconds to wait for all of them.
        listener: Hears how far each is, every second.
    """
    listener = listener or Listener()
    left = list(names)
    end = client.clock.monotonic() + timeout
    while True:
        looks = [(name, await _look(client, name)) for name in left]
        left = [name for name, look in looks if not look.is_done]
        waiting = [(name, look) for name, look in looks if not look.is_done]
        over = client.clock.monotonic() >= end or any(look.is_stuck for _, look in waiting)
        if over or not waiting:
            return [await _unready(client, name, look) for name, look in waiting]
        for name, look in waiting:
            found = await _troubles(client, name)
            why = look.problem or (str(found[0]) if found else "")
            listener.progress(name, f"{look.text}{f'; {why}' if why else ''}")
        await client.clock.sleep(_EVERY)


async def _look(client: Client, name: ObjectName) -> Rollout:
    found = await client.find(name.gvk, name.key)
    if found is None:
        return Rollout(is_done=False, text="it is gone", is_stuck=True)
    return rollout_of(found)


async def _unready(client: Client, name: ObjectName, look: Rollout) -> Unready:
    reasons = [look.problem] if look.problem else []
    if look.is_stuck:
        reasons.append("its controller has given up waiting")
    troubles, _ = await each(
        await _troubles(client, name), lambda one: _told(client, name, one), name_of=lambda _: name
    )
    return Unready(name, look.text, tuple(dict.fromkeys([*reasons, *troubles])))


async def _troubles(client: Client, name: ObjectName) -> list[Trouble]:
    """Return what is wrong with the pods of a workload, as far as we may look."""
    try:
        workload = await client.find(name.gvk, name.key)
        if workload is None:
            return []
        selector = msgspec.convert(workload.spec.get("selector") or {}, LabelSelector)
        pods = await client.list("pods", namespace=name.key.namespace, labels=selector)
        newest = await _newest_pods(client, workload, selector, list(pods))
        found = [trouble_of(pod, await _events(client, pod)) for pod in newest]
    except APIError:
        return []
    return [one for one in found if one is not None]


async def _newest_pods(
    client: Client, workload: Unstructured, selector: LabelSelector, pods: list[Unstructured]
) -> list[Unstructured]:
    """Return the pods of what was applied last: those of a Deployment from before are on their way.

    All pods, if it is not a Deployment.
    """
    revision = (workload.metadata.annotations or {}).get(_REVISION)
    if revision is None:
        return pods
    sets = await client.list("replicasets.apps", namespace=workload.namespace, labels=selector)
    newest = {
        one.metadata.uid for one in sets if one.metadata.annotations.get(_REVISION) == revision
    }
    return [
        pod for pod in pods if any(owner.uid in newest for owner in pod.metadata.owner_references)
    ]


async def _events(client: Client, pod: Unstructured) -> list[Unstructured]:
    if any(
        one.get("type") == "Ready" and one.get("status") == "True"
        for one in pod.status.get("conditions") or ()
    ):
        return []
    fields = {"involvedObject.kind": "Pod", "involvedObject.name": pod.name}
    found = await client.list("events", namespace=pod.namespace, fields=fields)
    return sorted(found, key=_when)


def _when(event: Unstructured) -> str:
    metadata: dict[str, Any] = event["metadata"]
    return str(
        event.get("lastTimestamp") or event.get("eventTime") or metadata.get("creationTimestamp")
    )


async def _told(client: Client, name: ObjectName, trouble: Trouble) -> str:
    """Return what is wrong, with the last lines of the log of the container."""
    if not trouble.container:
        return str(trouble)
    try:
        text = await client.logs(
            trouble.pod,
            namespace=name.key.namespace,
            container=trouble.container,
            previous=trouble.is_past,
            tail=_LINES,
        )
    except KubewrightError:
        return str(trouble)
    lines = [f"    {line}" for line in text.rstrip().splitlines()]
    return "\n".join([f"{trouble}; its log ends with:" if lines else str(trouble), *lines])
