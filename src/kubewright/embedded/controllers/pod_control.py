"""`PodControl`: creates and deletes pods on behalf of their owners, with events."""

from collections.abc import Iterable, Sequence
from functools import partial

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.client import Client, EventRecorder
from kubewright.embedded.controllers.batch import is_ending_namespace, run_all, said, slow_start
from kubewright.errors import KubewrightError, NotFoundError
from kubewright.kinds.core.v1 import Pod

__all__ = ["PodControl"]


class PodControl:
    """Creates and deletes pods, each with the event that its owner shows."""

    def __init__(self, client: Client, recorder: EventRecorder) -> None:
        self._client = client
        self._recorder = recorder

    async def create(self, owner: Resource, pods: Sequence[Pod]) -> Exception | None:
        """Create *pods*, in batches that start small; return the first error."""
        return await slow_start([partial(self._create, owner, pod) for pod in pods])

    async def delete(
        self, owner: Resource, pods: Iterable[tuple[ObjectKey, str]]
    ) -> Exception | None:
        """Delete *pods*, by key and uid, all at once; return the first error."""
        return await run_all(self._delete(owner, key, uid) for key, uid in pods)

    async def _create(self, owner: Resource, pod: Pod) -> None:
        try:
            made = await self._client.create(pod)
        except KubewrightError as error:
            if not is_ending_namespace(error):
                self._warn(owner, "FailedCreate", f"Error creating: {said(error)}")
            raise
        text = f"Created pod: {made.metadata.name}"
        self._recorder.event(owner, reason="SuccessfulCreate", message=text)

    async def _delete(self, owner: Resource, key: ObjectKey, uid: str) -> None:
        try:
            await self._client.delete(Pod, key, uid=uid)
        except NotFoundError:
            return
        except KubewrightError as error:
            self._warn(owner, "FailedDelete", f"Error deleting: {said(error)}")
            raise
        text = f"Deleted pod: {key.name}"
        self._recorder.event(owner, reason="SuccessfulDelete", message=text)

    def _warn(self, owner: Resource, reason: str, message: str) -> None:
        self._recorder.event(owner, reason=reason, message=message, type="Warning")
