"""`RoleReconciler`: runs a role for an object, if there is a reason to."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from kubewright.ansible import conditions
from kubewright.ansible.annotations import Annotations
from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.instruments import Instruments
from kubewright.ansible.memory import Last, inputs_of
from kubewright.ansible.playbook import Stamp
from kubewright.ansible.progress import Progress
from kubewright.ansible.reading import changed_reading
from kubewright.ansible.statuses import StatusWriter
from kubewright.ansible.variables import extra_variables
from kubewright.ansible.watches import Watch
from kubewright.ansible.workshop import RoleError, Wanted, Workshop
from kubewright.api.kind_reference import Kind
from kubewright.api.selectors import selector_from
from kubewright.api.times import format_time
from kubewright.api.unstructured import Unstructured
from kubewright.controller.request import Request, Result
from kubewright.controller.run import Run
from kubewright.errors import NotFoundError, RetryAfter

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["RoleReconciler"]

_SOON = 0.01
_FOREIGN_FOR = 300.0


class RoleReconciler:
    """Reconciles the objects of one watch in one cluster.

    Args:
        watch: The kind and its role or playbook.
        cluster: Where the objects are.
        workshop: What makes runs.
        name: The name of the operator.
        primary: The cache of the objects.
    """

    def __init__(
        self,
        watch: Watch,
        cluster: "Cluster",
        workshop: Workshop,
        *,
        name: str,
        primary: "Informer[Unstructured]",
    ) -> None:
        self.dependents: Dependents = Dependents(watch, cluster)
        self._watch = watch
        self._selector = selector_from(watch.selector)
        self._cluster = cluster
        self._clock = cluster.clock
        self._workshop = workshop
        self._name = name
        self._primary = primary
        self._status = StatusWriter(cluster.live)
        self._instruments = Instruments(str(watch.kind))
        self._last: dict[Request, Last] = {}
        self._untold: dict[Request, Callable[[], Awaitable[None]]] = {}
        self._stamp = Stamp(watch.playbooks, cluster.clock)

    async def __call__(self, request: Request, run: Run) -> Result | None:
        """Reconcile the object that *request* names."""
        obj = self._primary.store.find(request.key)
        if obj is None:
            self._forget(request, run)
            return None
        self.dependents.is_namespaced = bool(obj.namespace)
        deleting = obj.metadata.deletion_timestamp is not None
        if deleting and not self._has_finalizer(obj):
            return None
        if not self._selector.matches(obj.metadata.labels):
            if not deleting:
                return None
            if left := self._left_to_others(obj, request):
                return Result(requeue_after=left)
        if not deleting:
            obj = await self._with_finalizer(obj, run)
        await self._tell(request)
        annotations = Annotations.of(obj, self._cluster.recorder(self._name))
        inputs = inputs_of(obj, self._watch, self._stamp.now())
        last = self._last.get(request)
        period = annotations.period(self._watch, self._workshop.settings)
        reason = await self._reason(last, inputs, period, request)
        if not reason:
            self._instruments.note_spared()
            return self._again(request, period)
        run.changed = True
        run.log.info("role runs", reasons=reason)
        return await self._run(obj, run, inputs, annotations)

    # --- Whether there is a reason ---

    async def _reason(  # noqa: PLR0911  # one for each reason
        self, last: Last | None, inputs: str, period: float | None, request: Request
    ) -> str:
        """Return why the role is to be run, in words; empty if there is no reason.

        Raises:
            RetryAfter: The same has failed a short time ago.
        """
        if last is None:
            return "it is the first run of this process"
        if last.inputs != inputs:
            return "the object or the role has changed"
        now = self._clock.monotonic()
        if last.failures:
            if (left := last.retry_at - now) > _SOON:
                raise RetryAfter(left, "the same has failed a short time ago")
            return "the run before has failed"
        if last.due is not None and now >= last.due - _SOON:
            return "the role has asked for it"
        if child := await last.children.changed():
            return f"{child} has changed"
        if period is not None and now >= last.ended + period - _SOON:
            return await self._reason_of_period(last, request)
        return ""

    async def _reason_of_period(self, last: Last, request: Request) -> str:
        watch, children = self._watch, last.children
        if watch.run_every_period or not watch.watch_dependent_resources:
            return "the period is over"
        if children.has_unwatched:
            return "the period is over, and not all that the role has looked at is watched"
        if path := await changed_reading(self._cluster.live, children):
            return f"the role would read something else at {path}"
        self._last[request] = replace(last, ended=self._clock.monotonic())
        return ""

    def _again(self, request: Request, period: float | None) -> Result | None:
        last = self._last.get(request)
        if last is None:
            return None
        times = [] if last.due is None else [last.due]
        if period is not None:
            times.append(last.ended + period)
        if not times:
            return None
        return Result(requeue_after=max(_SOON, min(times) - self._clock.monotonic()))

    # --- One run ---

    async def _run(
        self, obj: Unstructured, run: Run, inputs: str, annotations: Annotations
    ) -> Result | None:
        request, began = run.request, self._clock.monotonic()
        last = self._last.get(request)
        children = Children(self.dependents, last.children if last else None)
        await self._show(obj, conditions.running)
        try:
            wanted = self._wanted(obj, annotations)
            progress = await self._workshop.run(wanted, obj, run, children, self._cluster.live)
        except RoleError as error:
            failures = last.failures + 1 if last is not None and last.inputs == inputs else 1
            ended = self._clock.monotonic()
            failed = Last(inputs, ended, children, failures=failures)
            self._last[request] = failed
            self._instruments.note_run(ended - began, failed=True)
            self._untold[request] = partial(self._show_failure, obj, error)
            self._record_failure(obj, error)
            await self._tell(request)
            raise error from RetryAfter(failed.retry_at - ended, "it has failed")
        ended = self._clock.monotonic()
        self._instruments.note_run(ended - began, failed=False)
        due = None if progress.requeue_after is None else ended + progress.requeue_after
        self._last[request] = Last(inputs, ended, children, due)
        self._untold[request] = partial(self._finish, obj, progress)
        await self._tell(request)
        return self._again(request, annotations.period(self._watch, self._workshop.settings))

    async def _tell(self, request: Request) -> None:
        """Write how the last run has ended, unless that is done.

        Its outcome is no reason for another run, so what could not be written is written later.
        """
        if tell := self._untold.get(request):
            await tell()
            self._untold.pop(request, None)

    async def _finish(self, obj: Unstructured, progress: Progress) -> None:
        """Show that all went well; let *obj* go if that is what the run was for."""
        finalizer = self._watch.finalizer
        deleting = obj.metadata.deletion_timestamp is not None
        if deleting and finalizer is not None and progress.requeue_after is None:
            latest = await self._cluster.live.find(_kind_of(obj), obj.key)
            if latest is not None and latest.metadata.uid == obj.metadata.uid:
                kept = [one for one in latest.metadata.finalizers if one != finalizer.name]
                await self._write_finalizers(latest, kept)
            return
        result = progress.result or {}
        await self._show(obj, lambda found, now: conditions.done(found, now, result))

    def _wanted(self, obj: Unstructured, annotations: Annotations) -> Wanted:
        watch, settings = self._watch, self._workshop.settings
        playbook, variables = watch.playbook, watch.variables
        if obj.metadata.deletion_timestamp is not None and watch.finalizer is not None:
            playbook = watch.finalizer.playbook or playbook
            variables = {**variables, **watch.finalizer.variables}
        return Wanted(
            playbook=playbook,
            variables=extra_variables(
                obj,
                snake_case=watch.snake_case_parameters,
                mark_unsafe=watch.mark_unsafe,
                variables=variables,
            ),
            verbosity=annotations.verbosity(watch, settings),
            artifacts=annotations.artifacts(watch),
        )

    def _record_failure(self, obj: Unstructured, error: RoleError) -> None:
        self._cluster.recorder(self._name).event(
            obj, reason="RunFailed", message=str(error), type="Warning"
        )

    async def _show_failure(self, obj: Unstructured, error: RoleError) -> None:
        messages, result = str(error).splitlines(), error.result
        await self._show(obj, lambda found, now: conditions.failed(found, now, result, messages))

    async def _show(self, obj: Unstructured, change: Any) -> None:
        """Let *change* make the conditions of *obj*, unless somebody else does."""
        if self._watch.manage_status:
            now = format_time(self._clock.now())
            await self._status.change(obj, lambda found: change(found, now))

    # --- Small parts ---

    async def _with_finalizer(self, obj: Unstructured, run: Run) -> Unstructured:
        """Return *obj* with the finalizer of the watch, which is there before anything is made."""
        finalizer = self._watch.finalizer
        if finalizer is None or finalizer.name in obj.metadata.finalizers:
            return obj
        run.changed = True
        await self._write_finalizers(obj, [*obj.metadata.finalizers, finalizer.name])
        return self._primary.store.find(obj.key) or obj

    def _has_finalizer(self, obj: Unstructured) -> bool:
        finalizer = self._watch.finalizer
        return finalizer is not None and finalizer.name in obj.metadata.finalizers

    def _left_to_others(self, obj: Unstructured, request: Request) -> float:
        """Return for how long the removal of *obj*, which is not selected, is left to others."""
        since = obj.metadata.deletion_timestamp
        if since is None or request in self._last:
            return 0.0
        return max(0.0, _FOREIGN_FOR - (self._clock.now() - since).total_seconds())

    def _forget(self, request: Request, run: Run) -> None:
        # A change of a child asks for an owner that may be another object than its namesake.
        self._untold.pop(request, None)
        if self._last.pop(request, None) is not None:
            self._workshop.folder_of(self._watch.kind, run).remove()

    async def _write_finalizers(self, obj: Unstructured, finalizers: list[str]) -> None:
        version = obj.metadata.resource_version
        patch = {"metadata": {"finalizers": finalizers, "resourceVersion": version}}
        try:
            await self._cluster.client.patch(_kind_of(obj), obj.key, patch)
        except NotFoundError as error:
            if not error.is_about_object:
                raise


def _kind_of(obj: Unstructured) -> Kind:
    return Kind(obj.api_version, obj.kind)
