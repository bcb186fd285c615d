"""Writes the status of pods: only what changed, and only what the node owns."""

from typing import Any

from kubewright import _json
from kubewright.client import Client
from kubewright.errors import InvalidError, NotFoundError
from kubewright.kinds.core.v1 import Pod, PodStatus

__all__ = ["StatusWriter", "difference"]

OWNED: tuple[str, ...] = (
    "phase", "reason", "message", "startTime", "hostIP", "hostIPs", "podIP", "podIPs",
    "initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses",
    "observedGeneration",
)  # fmt: skip

Document = dict[str, Any]


def difference(wanted: Document, found: Document) -> Document:
    """Return the strategic merge patch that makes a status say what is *wanted*.

    Conditions of others are left alone. It is empty if nothing has to change.
    """
    patch = {name: wanted.get(name) for name in OWNED if wanted.get(name) != found.get(name)}
    known = {condition["type"]: condition for condition in found.get("conditions", ())}
    conditions = []
    for condition in wanted.get("conditions", ()):
        old = known.get(condition["type"], {})
        if condition != old:
            conditions.append({**dict.fromkeys(old), **condition})
    if conditions:
        patch["conditions"] = conditions
    return patch


class StatusWriter:
    """Sends the status of a pod to the server when it says something new.

    Args:
        client: Where the pods are.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        # An old server drops fields that it does not know. Without remembering what it stored, we
        # would send them again and again.
        self._said: dict[str, tuple[Document, Document]] = {}

    async def write(self, pod: Pod, status: PodStatus) -> bool:
        """Write *status* if it says something new; return whether anything was sent."""
        uid = pod.metadata.uid or ""
        wanted, found = _document(status), _document(pod.status)
        patch = difference(wanted, found)
        if not patch or self._said.get(uid) == (wanted, found):
            return False
        body = {"metadata": {"uid": uid}, "status": patch}
        try:
            written = await self._client.status.patch(
                Pod, pod.key, body, patch_type="strategic", namespace=pod.metadata.namespace
            )
        except NotFoundError:
            return False  # the watch will show its end
        except InvalidError as error:
            if "metadata.uid" not in str(error):
                raise
            return False  # another pod has its name now, which the watch will show, too
        self._said[uid] = (wanted, _document(written.status))
        return True

    def forget(self, uid: str) -> None:
        """Forget a pod that is gone."""
        self._said.pop(uid, None)


def _document(status: PodStatus) -> Document:
    document: Document = _json.to_builtins(status)
    return document
