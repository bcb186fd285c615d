"""Writes to the pods of a Job, with the finalizer that keeps its counts right."""

from collections.abc import Awaitable, Iterable, Sequence

from kubewright.api.owners import owner_reference
from kubewright.client import Client, EventRecorder
from kubewright.embedded.controllers.batch import run_all
from kubewright.embedded.controllers.dependents import patch_metadata
from kubewright.embedded.controllers.job.pods import FINALIZER, is_tracked
from kubewright.embedded.controllers.pod_control import PodControl
from kubewright.kinds.batch.v1 import Job
from kubewright.kinds.core.v1 import Pod

__all__ = ["JobPodControl"]


class JobPodControl:
    """Creates, deletes, adopts and releases the pods of Jobs."""

    def __init__(self, client: Client, recorder: EventRecorder) -> None:
        self._client = client
        self._pods = PodControl(client, recorder)

    async def create(self, job: Job, pods: Sequence[Pod]) -> None:
        """Create *pods*, in batches that start small.

        Raises:
            KubewrightError: The server refused one; the others of its batch were tried.
        """
        if failed := await self._pods.create(job, pods):
            raise failed

    async def delete(self, job: Job, pods: Iterable[Pod], *, counted: bool) -> None:
        """Delete *pods*; unless *counted*, they do not count as failures.

        Raises:
            KubewrightError: The server refused; the others were tried.
        """
        await _wait_for(self._delete(job, pod, counted=counted) for pod in pods)

    async def _delete(self, job: Job, pod: Pod, *, counted: bool) -> None:
        if not counted:
            await self._untrack(pod)
        if failed := await self._pods.delete(job, [(pod.key, pod.metadata.uid)]):
            raise failed

    async def untrack(self, pods: Iterable[Pod]) -> None:
        """Remove the finalizer of *pods*, so that they can be deleted.

        Raises:
            KubewrightError: The server refused; the others were tried.
        """
        await _wait_for(self._untrack(pod) for pod in pods if is_tracked(pod))

    async def _untrack(self, pod: Pod) -> None:
        await self._patch(pod, {"$deleteFromPrimitiveList/finalizers": [FINALIZER]})

    async def adopt(self, job: Job, pod: Pod) -> None:
        """Make *job* the controller of *pod*, which has none."""
        owners = [owner_reference(job)]
        await self._patch(pod, {"ownerReferences": owners, "finalizers": [FINALIZER]})

    async def release(self, job: Job, pod: Pod) -> None:
        """Release *pod*, which no longer has the labels of *job*."""
        gone = {"$patch": "delete", "uid": job.metadata.uid}
        finalizers = {"$deleteFromPrimitiveList/finalizers": [FINALIZER]}
        await self._patch(pod, {"ownerReferences": [gone], **finalizers})

    async def _patch(self, pod: Pod, change: dict[str, object]) -> None:
        await patch_metadata(self._client, Pod, pod.key, uid=pod.metadata.uid, change=change)


async def _wait_for(works: Iterable[Awaitable[object]]) -> None:
    if failed := await run_all(works):
        raise failed
