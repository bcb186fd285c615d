"""Writes to the pods of a Job: create, delete, adopt, let go; with the Events that people read."""

from collections.abc import Awaitable, Iterable, Sequence

from kubewright.api.owners import owner_reference
from kubewright.client.client import Client
from kubewright.client.events import EventRecorder
from kubewright.embedded.controllers.batch import all_of, is_ending_namespace, said
from kubewright.embedded.controllers.job.pods import FINALIZER, is_tracked
from kubewright.errors import KubewrightError, NotFoundError
from kubewright.kinds.batch.v1 import Job
from kubewright.kinds.core.v1 import Pod

__all__ = ["PodControl"]


class PodControl:
    """Makes and deletes the pods of Jobs."""

    def __init__(self, client: Client, recorder: EventRecorder) -> None:
        self._client = client
        self._recorder = recorder

    async def create(self, job: Job, pods: Sequence[Pod]) -> None:
        """Create *pods*: first one, then twice as many each time.

        Where a quota or a webhook refuses them all, so only one request was in vain.

        Raises:
            KubewrightError: The server refused one; the others of its batch were tried.
        """
        done, size = 0, 1
        while done < len(pods):
            some = pods[done : done + size]
            await _wait_for(self._create(job, pod) for pod in some)
            done, size = done + len(some), size * 2

    async def _create(self, job: Job, pod: Pod) -> None:
        try:
            made = await self._client.create(pod)
        except KubewrightError as error:
            if not is_ending_namespace(error):
                self._warn(job, "FailedCreate", f"Error creating: {said(error)}")
            raise
        message = f"Created pod: {made.metadata.name}"
        self._recorder.event(job, reason="SuccessfulCreate", message=message)

    async def delete(self, job: Job, pods: Iterable[Pod], *, counted: bool) -> None:
        """Delete *pods*; unless *counted*, nobody takes that for a failure.

        Raises:
            KubewrightError: The server refused; the others were tried.
        """
        await _wait_for(self._delete(job, pod, counted=counted) for pod in pods)

    async def _delete(self, job: Job, pod: Pod, *, counted: bool) -> None:
        if not counted:
            await self._untrack(pod)
        try:
            await self._client.delete(pod, uid=pod.metadata.uid)
        except NotFoundError:
            return
        except KubewrightError as error:
            self._warn(job, "FailedDelete", f"Error deleting: {said(error)}")
            raise
        message = f"Deleted pod: {pod.metadata.name}"
        self._recorder.event(job, reason="SuccessfulDelete", message=message)

    async def untrack(self, pods: Iterable[Pod]) -> None:
        """Take the finalizer off *pods*, so that they can go.

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
        """Let *pod* go its own way: it no longer has the labels of *job*."""
        gone = {"$patch": "delete", "uid": job.metadata.uid}
        finalizers = {"$deleteFromPrimitiveList/finalizers": [FINALIZER]}
        await self._patch(pod, {"ownerReferences": [gone], **finalizers})

    async def _patch(self, pod: Pod, metadata: dict[str, object]) -> None:
        patch = {"metadata": {"uid": pod.metadata.uid, **metadata}}
        try:
            await self._client.patch(Pod, pod.key, patch, patch_type="strategic")
        except NotFoundError as error:
            if not error.is_about_object:
                raise

    def _warn(self, job: Job, reason: str, message: str) -> None:
        self._recorder.event(job, type="Warning", reason=reason, message=message)


async def _wait_for(works: Iterable[Awaitable[object]]) -> None:
    if failed := await all_of(works):
        raise failed
