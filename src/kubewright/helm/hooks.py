"""`HookRunner`: makes the hooks of a release at their moment, and waits until they are done."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.client.wait import wait_for
from kubewright.errors import (
    AlreadyExistsError,
    APIError,
    ForbiddenError,
    KubewrightError,
    NoMatchError,
)
from kubewright.helm.managed_fields import is_managed_by
from kubewright.helm.manifest import HOOK, Hook, RenderError, hook_objects_in, identity
from kubewright.helm.order import hooks_in_order
from kubewright.helm.ownership import (
    RELEASE_NAME,
    RELEASE_NAMESPACE,
    Owner,
    is_irreplaceable,
    is_kept,
    is_marked,
    is_owned,
    names_other,
)
from kubewright.helm.release import Release

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["HookError", "HookRunner"]

RUN: str = "kubewright.dev/helm-hook"
"""The annotation that says for which revision and event a hook was made."""
OF: str = "kubewright.dev/helm-hook-of"
"""The annotation that says of which release a hook is, as namespace/name."""
INSTANCE: str = "app.kubernetes.io/instance"
TIMEOUT: float = 300.0
"""Seconds that a hook may take, as with Helm."""
_LOOK = 5.0  # so often it is asked whether the hook is still wanted
_RUNNING = frozenset({"Job", "Pod"})
_UNDOING = frozenset({"pre-delete", "post-delete", "pre-rollback", "post-rollback"})
_TERMINATED = "is being terminated"
_BEFORE, _SUCCEEDED, _FAILED = "before-hook-creation", "hook-succeeded", "hook-failed"


class HookError(KubewrightError):
    """A hook has failed, or was not done in time."""


class HookRunner:
    """Runs hooks.

    Args:
        cluster: Where they run.
        field_owner: The owner of their fields.
        is_current: Says whether the custom object still wants what it wanted; if it does not, its
            hooks are not waited for any longer.
    """

    def __init__(
        self, cluster: "Cluster", field_owner: str, is_current: Callable[[Owner], bool]
    ) -> None:
        self._cluster = cluster
        self._field_owner = field_owner
        self._is_current = is_current

    async def run(self, release: Release, event: str, owner: Owner) -> None:
        """Run the hooks of *release* for *event*, one after the other.

        Raises:
            HookError: One has failed; the rest has not run.
        """
        chosen = hooks_in_order(release.hooks, event)
        run = f"v{release.version}/{event}"
        for hook in chosen:
            try:
                await self._run(hook, event, run, owner)
            except ForbiddenError as error:
                if event not in _UNDOING or _TERMINATED not in str(error):
                    raise _failure(hook, event, error) from error
                # Nothing can be made in a namespace that goes; waiting would keep it for ever.
            except NoMatchError as error:
                raise _failure(hook, event, error) from error
            except (KubewrightError, TimeoutError) as error:
                if _FAILED in hook.delete_policies:
                    await self._delete(hook, owner)
                if isinstance(error, APIError | HookError | TimeoutError | RenderError):
                    raise _failure(hook, event, error) from error
                raise
        # Only when all are done: a later one may need what an earlier one has made.
        for hook in chosen:
            if _SUCCEEDED in hook.delete_policies:
                await self._delete(hook, owner)

    async def _run(self, hook: Hook, event: str, run: str, owner: Owner) -> None:
        for body in await self._bodies(hook, owner):
            body.metadata.annotations[RUN] = run
            # Unless the chart says so, a volume and all that is in it is not made anew.
            policies = hook.delete_policies or ([] if is_irreplaceable(body) else [_BEFORE])
            if _BEFORE in policies:
                await self._delete_one(body, owner)
            made = await self._create(body, run, owner)
            if body.kind in _RUNNING:
                await self._wait_done(made, None if event in _UNDOING else owner)

    async def _create(self, body: Unstructured, run: str, owner: Owner) -> Unstructured:
        if not body.name:
            for one in await self._like(body, owner):
                if one.metadata.annotations.get(RUN) == run:
                    return one  # as below
        try:
            return await self._cluster.client.create(body, field_owner=self._field_owner)
        except AlreadyExistsError as error:
            there = await self._cluster.live.find(Kind(body.api_version, body.kind), body.key)
            if there is None:
                raise
            if not _is_ours(there, owner):
                raise HookError(_refusal(owner)) from error
            if there.metadata.annotations.get(RUN) == run:
                return there  # we have made it, and were interrupted: it is not made twice
            if not (_stays(there) or _stays(body) or is_irreplaceable(there)):
                raise
            return there

    async def _like(self, body: Unstructured, owner: Owner) -> list[Unstructured]:
        """Return what was made of *body*: under its name, or under names made of ``generateName``.

        Under such names is only what we have made; helm does not find its own again, either.
        """
        kind = Kind(body.api_version, body.kind)
        if body.name:
            found = await self._cluster.live.find(kind, body.key)
            return [] if found is None else [found]
        prefix = body["metadata"]["generateName"]
        there = await self._cluster.live.list(kind, namespace=body.namespace or None)
        return [
            one
            for one in there
            if one["metadata"].get("generateName") == prefix
            and one.metadata.annotations.get(OF) == _named(owner)
        ]

    async def _wait_done(self, body: Unstructured, wanted_by: Owner | None) -> None:
        verdict = _job_verdict if body.kind == "Job" else _pod_verdict
        kind = Kind(body.api_version, body.kind)
        seen: list[str] = [""]

        def done(live: Unstructured | None) -> bool:
            if live is None:
                seen[0] = "it was deleted"
                return True
            ended, seen[0] = verdict(live.get("status") or {})
            return ended

        clock = self._cluster.clock
        end = clock.monotonic() + TIMEOUT
        while (left := end - clock.monotonic()) > 0:
            if wanted_by is not None and not self._is_current(wanted_by):
                raise HookError("it is not waited for, since the object has changed meanwhile")
            with suppress(TimeoutError):
                await wait_for(self._cluster.live, kind, body.key, done, timeout=min(_LOOK, left))
                break
        else:
            raise HookError(f"it was not done within {TIMEOUT:g} seconds")
        if seen[0]:
            raise HookError(seen[0])

    async def _bodies(self, hook: Hook, owner: Owner) -> list[Unstructured]:
        return [await self._dressed(one, owner) for one in hook_objects_in(hook.manifest)]

    async def _dressed(self, obj: dict[str, Any], owner: Owner) -> Unstructured:
        gvk, key = identity(obj, owner.namespace)
        mapping = await self._cluster.client.mapper.mapping(gvk)
        metadata = {**obj["metadata"]}
        annotations = metadata.get("annotations") or {}
        metadata["annotations"] = {**annotations, OF: _named(owner)}
        if mapping.namespaced:
            metadata["namespace"] = key.namespace
            reachable = not owner.is_namespaced or key.namespace == owner.namespace
            if reachable and not is_kept(obj):
                # Helm leaves hooks behind for ever; like this they go with the custom object.
                metadata["ownerReferences"] = [owner.reference]
        return Unstructured({**obj, "metadata": metadata})

    async def _delete(self, hook: Hook, owner: Owner) -> None:
        for body in await self._bodies(hook, owner):
            await self._delete_one(body, owner)

    async def _delete_one(self, body: Unstructured, owner: Owner) -> None:
        """Delete the hook that was made of *body*; what is not ours stays."""
        for live in await self._like(body, owner):
            if not (_stays(live) or _stays(body)) and _is_ours(live, owner):
                await self._delete_live(live)

    async def _delete_live(self, live: Unstructured) -> None:
        kind, key, uid = Kind(live.api_version, live.kind), live.key, live.metadata.uid
        await self._cluster.client.delete(
            kind, key, uid=uid, propagation="Background", missing_ok=True
        )
        await wait_for(
            self._cluster.live, kind, key,
            lambda found: found is None or found.metadata.uid != uid, timeout=TIMEOUT,
        )  # fmt: skip


def _failure(hook: Hook, event: str, error: Exception) -> HookError:
    return HookError(f"the {event} hook {hook.kind} {hook.name or hook.path}: {error}")


def _named(owner: Owner) -> str:
    return f"{owner.namespace}/{owner.name}"


def _is_ours(live: Unstructured, owner: Owner) -> bool:
    """Say whether *live* is a hook of this release."""
    if names_other(live, owner):
        return False
    of = live.metadata.annotations.get(OF)
    if of is not None:
        return of == _named(owner)
    return is_owned(live, owner) or is_marked(live, owner) or _is_left_by_helm(live, owner)


def _is_left_by_helm(live: Unstructured, owner: Owner) -> bool:
    """Say whether helm has made *live* as a hook of a release of this name, which we have adopted.

    Helm does not write down of which release a hook is, and goes by the name; charts mostly do.
    """
    instance = live.metadata.labels.get(INSTANCE, owner.name)
    is_hook = HOOK in live.metadata.annotations and is_managed_by(live, "helm")
    return is_hook and instance == owner.name


def _stays(obj: Unstructured) -> bool:
    """Say whether no delete policy counts for *obj*: it is kept, or others hang on it.

    What only runs is not worth being kept, and has to run again.
    """
    return obj.kind == "CustomResourceDefinition" or (is_kept(obj) and obj.kind not in _RUNNING)


def _refusal(owner: Owner) -> str:
    return (
        "it is there already, and is not a hook of this release. Remove it, give the hook another"
        f" name, or hand it over, with the annotations {RELEASE_NAME}={owner.name} and"
        f" {RELEASE_NAMESPACE}={owner.namespace}"
    )


def _job_verdict(status: dict[str, Any]) -> tuple[bool, str]:
    for one in status.get("conditions") or ():
        if one.get("status") == "True" and one["type"] == "Complete":
            return True, ""
        if one.get("status") == "True" and one["type"] == "Failed":
            return True, f"it has failed: {one.get('reason', '')}: {one.get('message', '')}"
    return False, ""


def _pod_verdict(status: dict[str, Any]) -> tuple[bool, str]:
    phase = status.get("phase")
    if phase == "Failed":
        return True, f"it has failed: {status.get('reason', '')} {status.get('message', '')}"
    return phase == "Succeeded", ""
