"""`Lifecycle`: installs, upgrades, rolls back and removes one release, each step after the other.

Whatever is about to happen stands in a release Secret first. So a process that dies in the middle
leaves a pending revision behind, and whoever comes next goes on with it.
"""

from typing import Any

from msgspec.structs import replace

from kubewright.errors import (
    APIError,
    ConflictError,
    DecodeError,
    KubewrightError,
    ServerError,
    TerminalError,
    TooManyRequestsError,
    UnauthorizedError,
)
from kubewright.helm.hooks import HookError, HookRunner
from kubewright.helm.inventory import Inventory
from kubewright.helm.manifest import (
    hook_objects_in,
    objects_in,
    read_objects,
    readable_objects_in,
)
from kubewright.helm.objects import Objects, Owner
from kubewright.helm.order import install_order, removal_order
from kubewright.helm.release import Release
from kubewright.helm.storage import Record, Storage

__all__ = ["Lifecycle", "StepError"]

_PASSING = (ConflictError, ServerError, TooManyRequestsError, UnauthorizedError)


class StepError(KubewrightError):
    """An install, an upgrade or a removal has failed, and what was half done is undone.

    Attributes:
        reason: The reason for the condition, such as ``UpgradeError``.
        rolled_back: What is deployed after all, if something is.
    """

    def __init__(self, reason: str, text: str, rolled_back: Release | None = None) -> None:
        self.reason = reason
        self.rolled_back = rolled_back
        super().__init__(text)


class Lifecycle:
    """Does what changes a release.

    Args:
        storage: Where revisions are kept.
        objects: Writes objects.
        hooks: Runs hooks.
        inventory: Recognizes objects.
    """

    def __init__(
        self, storage: Storage, objects: Objects, hooks: HookRunner, inventory: Inventory
    ) -> None:
        self._storage = storage
        self._objects = objects
        self._hooks = hooks
        self._inventory = inventory

    async def install(self, release: Release, owner: Owner) -> Release:
        """Install *release*, of which nothing is there, and return it as it is then.

        Raises:
            StepError: It did not work; what it has made is removed again, and nothing else.
        """
        wanted = install_order(await read_objects(release.manifest))
        leftovers = self._leftovers(release)
        await self._check_ownership(wanted, owner, "InstallError")
        found = await self._found(release, wanted)
        release = replace(release, status="pending-install", description="Initial install underway")
        await self._storage.create(release, owner.reference, found)
        try:
            await self._objects.create_definitions(release.definitions)
            await self._hooks.run(release, "pre-install", owner)
            await self._objects.apply(wanted, owner)
            await self._prune(leftovers, wanted, owner, found)
            await self._hooks.run(release, "post-install", owner)
        except (KubewrightError, TimeoutError) as error:
            if not _is_final(error):
                raise
            made = await self._inventory.spared(wanted, found, owner.namespace)
            await self._objects.delete(removal_order(made), owner)
            text = f"release {release.name} failed: {error}"
            await self._storage.update(release, "failed", text)
            raise StepError("InstallError", text) from error
        return await self._finish(release, "Install complete")

    async def upgrade(
        self, release: Release, before: Release, owner: Owner, *, force: bool, rollback_force: bool
    ) -> Release:
        """Replace the release *before* by *release*, and return it as it is then.

        Raises:
            StepError: It did not work, and the release before is back.
        """
        wanted = install_order(await read_objects(release.manifest))
        old = [*await read_objects(before.manifest), *self._leftovers(release)]
        new = await self._inventory.without(wanted, old, owner.namespace)
        await self._check_ownership(new, owner, "UpgradeError")
        known = await self._inventory.without(wanted, new, owner.namespace)
        await self._check_ownership(known, owner, "UpgradeError", before=True)
        found = await self._found(release, new)
        release = replace(release, status="pending-upgrade", description="Preparing upgrade")
        await self._storage.create(release, owner.reference, found)
        try:
            if not before.inputs:
                await self._objects.take_over(old, owner)
            await self._hooks.run(release, "pre-upgrade", owner)
            await self._objects.apply(wanted, owner, before=old, replace=force)
            await self._prune(old, wanted, owner, found)
            await self._hooks.run(release, "post-upgrade", owner)
        except (KubewrightError, TimeoutError) as error:
            if not _is_final(error):
                raise
            text = f"upgrade of {release.name} failed: {error}"
            await self._storage.update(release, "failed", text)
            back = await self._roll_back(release, before, owner, found, force=rollback_force)
            raise StepError(
                "UpgradeError", f"{text}\nRolled back to revision {before.version}.", back
            ) from error
        return await self._finish(release, "Upgrade complete")

    async def _roll_back(
        self,
        failed: Release,
        before: Release,
        owner: Owner,
        found: frozenset[str],
        *,
        force: bool,
    ) -> Release:
        back = replace(
            before,
            version=failed.version + 1,
            status="pending-rollback",
            description=f"Rollback to {before.version}",
            last_deployed=self._storage.now(),
        )
        wanted = install_order(await read_objects(before.manifest))
        new = await read_objects(failed.manifest)
        await self._storage.create(back, owner.reference)
        try:
            await self._hooks.run(back, "pre-rollback", owner)
            await self._objects.apply(wanted, owner, before=new, replace=force)
            await self._prune(new, wanted, owner, found)
            await self._hooks.run(back, "post-rollback", owner)
        except (KubewrightError, TimeoutError) as error:
            if not _is_final(error):
                raise
            text = f"rollback of {before.name} to revision {before.version} failed: {error}"
            await self._storage.update(back, "failed", text)
            raise StepError("RollbackError", f"{failed.description}\n{text}") from error
        return await self._finish(back, back.description)

    async def remove(self, records: list[Record], owner: Owner, *, wait: bool) -> list[str]:
        """Remove the release of which *records* are known; return what is still there, in words.

        Raises:
            StepError: A hook has failed, or an object cannot be deleted.
        """
        main = next(
            (one for one in records if one.status == "uninstalling"),
            next((one for one in reversed(records) if one.status == "deployed"), records[-1]),
        )
        release = self._storage.get(main)
        try:
            if release.status != "uninstalling":
                await self._hooks.run(release, "pre-delete", owner)
                release = await self._storage.update(
                    release, "uninstalling", "Deletion in progress (or silently failed)"
                )
            newer = [self._storage.get(one) for one in records if one.version > main.version]
            manifests = [release.manifest, *(one.manifest for one in newer)]
            there = [obj for manifest in manifests for obj in readable_objects_in(manifest)]
            left = await self._objects.delete(removal_order(there), owner)
            if left and wait:
                return left
            await self._hooks.run(release, "post-delete", owner)
            made = [hook.manifest for hook in release.hooks if not hook.is_test]
            hooks = [obj for manifest in made for obj in hook_objects_in(manifest)]
            hooks = [obj for obj in hooks if obj["metadata"].get("name")]
            await self._objects.release_kept(hooks, owner)
        except (KubewrightError, TimeoutError) as error:
            if not _is_final(error):
                raise
            raise StepError(
                "UninstallError", f"release {release.name} cannot be uninstalled: {error}"
            ) from error
        await self._storage.remove_all(release.name, release.namespace)
        return []

    async def remove_objects(self, manifest: str, owner: Owner) -> list[str]:
        """Remove what is in *manifest*, of a release whose Secrets are gone; return what is left.

        A namespace that goes takes its Secrets along first, and leaves what is cluster-wide.
        """
        return await self._objects.delete(removal_order(readable_objects_in(manifest)), owner)

    async def _finish(self, release: Release, description: str) -> Release:
        """Note that *release* is deployed now, and no other revision is."""
        done = await self._storage.update(release, "deployed", description)
        await self.supersede(done)
        await self._storage.trim(done.name, done.namespace)
        return done

    async def supersede(self, deployed: Release) -> None:
        """Note that revisions before *deployed* are not deployed any more."""
        for record in self._storage.records(deployed.name, deployed.namespace):
            if record.version < deployed.version and (
                record.status == "deployed" or record.is_pending
            ):
                await self._storage.update(self._storage.get(record), "superseded")

    async def _check_ownership(
        self, objects: list[dict[str, Any]], owner: Owner, reason: str, *, before: bool = False
    ) -> None:
        try:
            await self._objects.check_ownership(objects, owner, before=before)
        except TerminalError as error:
            raise StepError(reason, str(error)) from error

    async def _prune(
        self,
        old: list[dict[str, Any]],
        wanted: list[dict[str, Any]],
        owner: Owner,
        found: frozenset[str],
    ) -> None:
        """Delete what is in *old*, and neither in *wanted*, which is applied, nor was *found*."""
        gone = await self._inventory.without(old, wanted, owner.namespace)
        if gone:  # names may deceive, and uids do not
            applied = await self._inventory.uids(wanted, owner.namespace)
            gone = await self._inventory.spared(gone, found | applied, owner.namespace)
            await self._objects.delete(removal_order(gone), owner)

    async def _found(self, release: Release, new: list[dict[str, Any]]) -> frozenset[str]:
        """Return the uids of those of *new* that are there, and that we have not made.

        What an earlier try has found counts, and not what it has made itself.
        """
        begun = [one for one in self._unfinished(release) if one.found is not None]
        known = frozenset(uid for one in begun for uid in one.found or ())
        fresh = await self._inventory.without(new, self._objects_of(begun), release.namespace)
        return known | await self._inventory.uids(fresh, release.namespace)

    def _leftovers(self, release: Release) -> list[dict[str, Any]]:
        """Return the objects of revisions of ours that were never finished."""
        return self._objects_of(self._unfinished(release))

    def _unfinished(self, release: Release) -> list[Record]:
        records = self._storage.records(release.name, release.namespace)
        done = [one.version for one in records if one.status in {"deployed", "superseded"}]
        last = max(done, default=0)
        # Those of helm may be of another chart, and are its own to clean up.
        return [one for one in reversed(records) if one.version > last and one.inputs]

    def _objects_of(self, records: list[Record]) -> list[dict[str, Any]]:
        found = []
        for record in records:
            try:
                found += objects_in(self._storage.get(record).manifest)
            except (DecodeError, TerminalError):
                continue  # it has never got so far as to make one
        return found


def _is_final(error: BaseException) -> bool:
    """Say whether the same would fail again: the server has answered, or a hook has failed."""
    if isinstance(error, _PASSING):
        return False
    return isinstance(error, APIError | DecodeError | HookError | TerminalError | TimeoutError)
