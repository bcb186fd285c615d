"""`ReleaseReconciler`: brings one release to where its custom object wants it."""

from contextlib import suppress
from typing import TYPE_CHECKING

from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.selectors import selector_from
from kubewright.api.times import parse_duration
from kubewright.api.unstructured import Unstructured
from kubewright.controller.request import Request, Result
from kubewright.controller.run import Run
from kubewright.errors import (
    APIError,
    ConfigError,
    DecodeError,
    ForbiddenError,
    KubewrightError,
    NotFoundError,
    RetryAfter,
    TerminalError,
)
from kubewright.helm.claims import FOREIGN_FOR, Claims, base_of, is_of
from kubewright.helm.dependents import Dependents
from kubewright.helm.failures import Failures
from kubewright.helm.hooks import HookRunner
from kubewright.helm.inventory import Inventory
from kubewright.helm.lifecycle import Lifecycle, StepError
from kubewright.helm.manifest import objects_in
from kubewright.helm.objects import Objects, Owner
from kubewright.helm.planning import PREFIX, Plan, Planner, is_true
from kubewright.helm.release import Release
from kubewright.helm.renderer import Renderer
from kubewright.helm.status import (
    DEPLOYED,
    IRRECONCILABLE,
    RELEASE_FAILED,
    ReleaseState,
    shortened,
)
from kubewright.helm.storage import LONGEST, Storage
from kubewright.helm.watches import Watch

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["FINALIZER", "ReleaseReconciler"]

FINALIZER: str = f"{PREFIX}uninstall-release"
_WAIT_AGAIN = 5.0


class ReleaseReconciler:
    """Reconciles the releases of one watch in one cluster.

    Args:
        watch: The kind and its chart.
        cluster: Where the objects are.
        renderer: Makes manifests.
        name: The name of the operator.
        primary: The cache of the custom objects.
        secrets: The cache of the release Secrets.
    """

    def __init__(  # what it works with
        self,
        watch: Watch,
        cluster: "Cluster",
        renderer: Renderer,
        *,
        name: str,
        primary: "Informer[Unstructured]",
        secrets: "Informer[Unstructured]",
    ) -> None:
        self.dependents: Dependents = Dependents(cluster, watching=watch.watch_dependent_resources)
        self._watch = watch
        self._selector = selector_from(watch.selector)
        self._cluster = cluster
        self._name = name
        self._primary = primary
        self._storage = Storage(cluster, secrets)
        self._objects = Objects(cluster, self.dependents, name)
        hooks = HookRunner(cluster, name, self._is_current)
        inventory = Inventory(cluster)
        self._lifecycle = Lifecycle(self._storage, self._objects, hooks, inventory)
        self._planner = Planner(watch, cluster, renderer, self._storage)
        self._claims = Claims(cluster, self._storage, inventory, watch.chart)
        self._failures = Failures(cluster.clock)
        self._inputs: dict[Request, str] = {}

    async def __call__(self, request: Request, run: Run) -> Result | None:
        """Reconcile the object that *request* names."""
        obj = self._primary.store.find(request.key)
        if obj is None:
            # A Secret does not say of which scope its object is, so both are asked for.
            if bool(request.namespace) == self.dependents.is_namespaced:
                self._forget(request)
            return None
        self.dependents.is_namespaced = bool(obj.namespace)
        owner = self._planner.owner_of(obj)
        state = ReleaseState(obj, self._cluster.clock.now())
        is_selected = self._selector.matches(obj.metadata.labels)
        if obj.metadata.deletion_timestamp is not None:
            if FINALIZER not in obj.metadata.finalizers:
                return None
            if not is_selected and (left := self._left_to_others(obj, request)):
                return Result(requeue_after=left)
            run.changed = True
            return await self._remove(obj, owner, state, request)
        if not is_selected or len(obj.name) > LONGEST:  # nothing that takes a finalizer
            run.changed = is_selected and await self._refuse_name(obj, state)
            return None
        if FINALIZER not in obj.metadata.finalizers:
            run.changed = True
            await self._write_finalizers(obj, [*obj.metadata.finalizers, FINALIZER])
        try:
            plan = await self._planner.plan(obj, owner)
            changed = await self._bring(plan, state, request, obj)
        except (TerminalError, ConfigError, DecodeError, StepError, ForbiddenError) as error:
            run.changed = True
            failure, again = await self._failed(obj, error, state, request)
            raise failure from again
        except APIError as error:
            # It is tried again by the queue; whoever looks at the object sees why it takes so long.
            state.set(IRRECONCILABLE, "ReconcileError", str(error))
            with suppress(KubewrightError):
                await state.write(self._cluster.client)
            raise
        written = await state.write(self._cluster.client)
        run.changed = run.changed or changed or written
        return self._again(obj)

    # --- Bringing a release up to date ---

    async def _bring(
        self, plan: Plan, state: ReleaseState, request: Request, obj: Unstructured
    ) -> bool:
        """Make the release as *plan* says; return whether anything was done."""
        records = self._storage.records(plan.owner.name, plan.owner.namespace)
        found = base_of(records)
        self._inputs[request] = ""  # a refusal ends with its cause, and not after a pause
        await self._claims.check(records, plan.owner)
        self._inputs[request] = plan.inputs
        is_last = found is not None and records[-1] is found and found.status == "deployed"
        before = None if found is None else self._storage.get(found)
        if before is not None and is_last and before.inputs == plan.inputs:
            if not is_of(records[-1], plan.owner):
                await self._storage.adopt(before, plan.inputs, plan.owner.reference)
            return await self._hold(before, plan, state, request)
        if wait := self._failures.wait(request, plan.inputs):
            if before is not None and is_last:
                await self._objects.ensure(await self._storage.objects(before), plan.owner)
            raise RetryAfter(wait, "the same has failed a short time ago")
        foreign = before is not None and is_last and not before.inputs
        if before is not None and foreign and await self._planner.is_same(plan, before):
            await self._adopt(before, plan)
            return await self._hold(before, plan, state, request)
        release = await self._planner.release(plan, records, before, state.deployed_manifest)
        if release.definitions and self._watch.chart.asks_apis:
            # As with Helm, what it asks for may be what it brings.
            await self._objects.create_definitions(release.definitions)
            self._planner.look_again()
            plan = await self._planner.plan(obj, plan.owner)
            self._inputs[request] = plan.inputs
            release = await self._planner.release(plan, records, before, state.deployed_manifest)
        if before is not None and is_last and _is_same(release, before):
            await self._storage.adopt(before, plan.inputs, plan.owner.reference)
            return await self._hold(before, plan, state, request)
        self._tell_overrides(obj)
        await state.write(self._cluster.client)  # hooks may take minutes
        done = await self._make(release, before, plan)
        self._failures.forget(request)
        state.show_deployed(done, "InstallSuccessful" if before is None else "UpgradeSuccessful")
        return True

    async def _make(self, release: Release, before: Release | None, plan: Plan) -> Release:
        if before is None:
            return await self._lifecycle.install(release, plan.owner)
        return await self._lifecycle.upgrade(
            release, before, plan.owner, force=plan.force, rollback_force=plan.rollback_force
        )

    async def _hold(
        self, release: Release, plan: Plan, state: ReleaseState, request: Request
    ) -> bool:
        """Mend what has drifted; nothing is rendered."""
        await self._lifecycle.supersede(release)
        changed = await self._objects.ensure(await self._storage.objects(release), plan.owner)
        self._failures.forget(request)
        state.show_deployed(release, "")
        return changed

    async def _adopt(self, before: Release, plan: Plan) -> None:
        """Take over a release that helm has installed."""
        await self._objects.take_over(objects_in(before.manifest), plan.owner)
        await self._storage.adopt(before, plan.inputs, plan.owner.reference)

    # --- Removing one ---

    async def _remove(
        self, obj: Unstructured, owner: Owner, state: ReleaseState, request: Request
    ) -> Result | None:
        wait = is_true(obj.metadata.annotations.get(f"{PREFIX}uninstall-wait"), default=False)
        known = self._storage.records(owner.name, owner.namespace)
        records = self._storage.readable(known)
        there: list[str] = []
        if not records and state.deployed_manifest:
            if await self._claims.rival_in(state.deployed_manifest, owner) is None:
                there = await self._lifecycle.remove_objects(state.deployed_manifest, owner)
        elif records and await self._claims.is_ours(known, owner):
            if left := self._failures.wait(request, "removal"):
                raise RetryAfter(left, "the same has failed a short time ago")
            self._inputs[request] = "removal"
            try:
                there = await self._lifecycle.remove(records, owner, wait=wait)
                if len(records) < len(known):  # what is deployed may stand in no other record
                    manifest = state.deployed_manifest
                    there += await self._lifecycle.remove_objects(manifest, owner)
            except (TerminalError, StepError) as error:
                failure, again = await self._failed(obj, error, state, request)
                raise failure from again
        if there and wait:
            state.set(DEPLOYED, "Uninstalling", f"waits for {', '.join(there)}", status=False)
            await state.write(self._cluster.client)
            return Result(requeue_after=_WAIT_AGAIN)
        state.clear(RELEASE_FAILED, IRRECONCILABLE)
        state.set(DEPLOYED, "UninstallSuccessful", status=False)
        state.show_release(None)
        await state.write(self._cluster.client)
        self._forget(request)
        latest = await self._cluster.live.find(Kind(obj.api_version, obj.kind), obj.key)
        if latest is not None and latest.metadata.uid == obj.metadata.uid:
            left_over = [one for one in latest.metadata.finalizers if one != FINALIZER]
            await self._write_finalizers(latest, left_over)
        return None

    # --- Small parts ---

    def _left_to_others(self, obj: Unstructured, request: Request) -> float:
        """Return for how long the removal of *obj*, which is not selected, is left to others.

        Most likely another operator selects it. But if its label was taken away, nobody does, and
        it would hang for ever. If we have worked on it, it was ours.
        """
        since = obj.metadata.deletion_timestamp
        if since is None or request in self._inputs:
            return 0.0
        gone_by = (self._cluster.clock.now() - since).total_seconds()
        return max(0.0, FOREIGN_FOR - gone_by)

    async def _refuse_name(self, obj: Unstructured, state: ReleaseState) -> bool:
        text = (
            f"its name has {len(obj.name)} letters, and that of a release of Helm may have"
            f" {LONGEST}: make another object with a shorter name"
        )
        state.set(RELEASE_FAILED, "InstallError", text)
        if not await state.write(self._cluster.client):
            return False
        self._cluster.recorder(self._name).event(
            obj, reason="InstallError", message=text, type="Warning"
        )
        return True

    def _is_current(self, owner: Owner) -> bool:
        """Say whether the object of *owner* is as it was when its reconcile began."""
        namespace = owner.namespace if owner.is_namespaced else ""
        entry = self._primary.store.find_entry(ObjectKey(namespace, owner.name))
        return entry is not None and not entry.deleting and entry.generation == owner.generation

    async def _failed(
        self, obj: Unstructured, error: Exception, state: ReleaseState, request: Request
    ) -> tuple[StepError, RetryAfter]:
        """Show *error* in the status, and return what to raise, and from what."""
        text = shortened(str(error))
        step = error if isinstance(error, StepError) else None
        if step is not None:
            reason = step.reason
        else:
            is_there = state.deployed_name or isinstance(error, DecodeError)
            reason = "ReconcileError" if is_there else "InstallError"
        condition = IRRECONCILABLE if reason == "ReconcileError" else RELEASE_FAILED
        state.set(condition, reason, text)
        if step is not None and step.rolled_back is not None:
            state.show_release(step.rolled_back)
        await state.write(self._cluster.client)
        self._cluster.recorder(self._name).event(obj, reason=reason, message=text, type="Warning")
        delay = self._failures.note(request, self._inputs.get(request, ""))
        return StepError(reason, text), RetryAfter(delay)

    def _tell_overrides(self, obj: Unstructured) -> None:
        for path in self._watch.override_values:  # their texts may be secrets
            self._cluster.recorder(self._name).event(
                obj, reason="OverrideValuesInUse", type="Warning",
                message=f"the operator's watches.yaml overrides the value {path!r}",
            )  # fmt: skip

    def _again(self, obj: Unstructured) -> Result | None:
        text = obj.metadata.annotations.get(f"{PREFIX}reconcile-period")
        period = self._watch.reconcile_period
        if text:
            try:
                period = parse_duration(text).total_seconds() or None
            except ValueError:
                self._cluster.recorder(self._name).event(
                    obj, reason="BadReconcilePeriod", type="Warning",
                    message=f"{text!r} is not a duration: write one such as 30s",
                )  # fmt: skip
        return None if period is None else Result(requeue_after=period)

    def _forget(self, request: Request) -> None:
        self._failures.forget(request)
        self._inputs.pop(request, None)
        namespace = request.namespace or self._cluster.client.namespace
        self._storage.forget(request.name, namespace)
        self._objects.forget(request.name, namespace)

    async def _write_finalizers(self, obj: Unstructured, finalizers: list[str]) -> None:
        version = obj.metadata.resource_version
        patch = {"metadata": {"finalizers": finalizers, "resourceVersion": version}}
        kind = Kind(obj.api_version, obj.kind)
        try:
            await self._cluster.client.patch(kind, obj.key, patch)
        except NotFoundError as error:
            if not error.is_about_object:
                raise


def _is_same(release: Release, before: Release) -> bool:
    """Say whether an upgrade would change nothing, such as when the cluster serves a kind more."""
    return bool(before.inputs) and all(
        getattr(release, name) == getattr(before, name)
        for name in ("manifest", "hooks", "notes", "config", "chart")
    )
