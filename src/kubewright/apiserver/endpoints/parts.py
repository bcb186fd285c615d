"""Subresources that are the object itself, of which only a part may be changed."""

from kubewright.apiserver.backend import Call
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write

PARTS: frozenset[str] = frozenset({"ephemeralcontainers", "resize", "finalize", "approval"})


def prepare(call: Call, new: Obj, old: Obj, write: Write) -> None:
    """Leave in *new* only what the subresource may change."""
    hook = getattr(call.strategy, f"prepare_{call.subresource}", None)
    if hook is not None:
        hook(new, old, write)


def validate(call: Call, new: Obj, old: Obj, write: Write) -> Errors:
    """Return what is wrong with the change."""
    from kubewright.apiserver.builtin.core.pod import subresources as pod_subresources

    if call.subresource == "ephemeralcontainers":
        return pod_subresources.set_ephemeral_containers(new, old)
    if call.subresource == "resize":
        return pod_subresources.resize(new, old)
    hook = getattr(call.strategy, f"validate_{call.subresource}")
    errors: Errors = hook(new, old, write)
    return errors
