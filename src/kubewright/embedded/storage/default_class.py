"""The storage class ``standard`` that a new cluster has, as one of kind or minikube has it."""

from contextlib import suppress

from kubewright.api.meta import ObjectMeta
from kubewright.client import Client
from kubewright.embedded.storage.annotations import PROVISIONER
from kubewright.embedded.storage.classes import DEFAULT_CLASS
from kubewright.errors import AlreadyExistsError
from kubewright.kinds.core.v1 import Namespace
from kubewright.kinds.storage.v1 import StorageClass

__all__ = ["ensure_default_class"]

NAME: str = "standard"
NOTE: str = "kubewright.dev/default-storage-class"
"""On the namespace kube-system: the class was created. Who deletes it does not get it back."""


async def ensure_default_class(client: Client) -> None:
    """Create the class, once in the life of a cluster."""
    system = await client.get(Namespace, "kube-system")
    if NOTE in system.metadata.annotations:
        return
    made = StorageClass(
        metadata=ObjectMeta(name=NAME, annotations={DEFAULT_CLASS: "true"}),
        provisioner=PROVISIONER,
        reclaim_policy="Delete",
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=True,
    )
    with suppress(AlreadyExistsError):  # the user's own, or ours from a start that was cut short
        await client.create(made)
    system.metadata.annotations[NOTE] = NAME
    await client.patch(system)
