"""`ObjectReconciler`: calls the user's function for a request, and writes finalizer and status."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kubewright import _json
from kubewright.api.changes import original
from kubewright.api.finalizers import has_finalizer
from kubewright.api.kind_reference import kind_title
from kubewright.api.patches import apply_merge_patch, json_equal
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.controller.declaration import Declaration
from kubewright.controller.lines import described
from kubewright.controller.mapping import is_async
from kubewright.controller.request import Request, Result
from kubewright.controller.retry import causes, is_quiet
from kubewright.controller.run import Run
from kubewright.controller.sources import Source
from kubewright.errors import DecodeError, NotFoundError, TerminalError, TransportError
from kubewright.operator.apply import Memory
from kubewright.operator.context import Context, Means
from kubewright.operator.daemon import Daemons
from kubewright.operator.departed import Departed
from kubewright.operator.finalizer import add_finalizer, remove_finalizer
from kubewright.operator.indexes import HeldIndexes
from kubewright.operator.observed import Observer
from kubewright.operator.status import (
    Snapshot,
    learn_status,
    observe_generation,
    write_status,
)
from kubewright.operator.timer import Schedule
from kubewright.operator.unfit import readable_part

if TYPE_CHECKING:
    from kubewright.cache.entry import Entry
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

R = TypeVar("R", bound=Resource | Unstructured)

__all__ = ["FAILED", "ObjectReconciler"]

FAILED: str = "ReconcileFailed"
"""The reason of the event for a failed reconcile."""
LONGEST_MESSAGE: int = 256


class ObjectReconciler(Generic[R]):
    """Calls a declared function with a fresh object, and writes what it changed in the status.

    - An object that is gone is not reconciled.
    - An object that is being deleted is cleaned up if it has our finalizer, and not reconciled.
    - An object that does not fit its class is cleaned up with what can be read, and not reconciled.
    - With a clean-up, the object gets the finalizer before it is first reconciled.
    - A changed status is written once, after the function, even if that failed.

    Args:
        declaration: What was declared.
        means: What all runs share.
        informer: Where the objects come from.
        observer: Coordinates it with the other reconcilers of the kind.
    """

    def __init__(
        self,
        declaration: Declaration,
        means: Means,
        informer: "Informer[R]",
        observer: Observer,
    ) -> None:
        self._declaration = declaration
        self._means = means
        self._informer = informer
        self._observer = observer
        self.daemons: Daemons | None = None
        """Runs the function, if it is a daemon."""
        self.schedule: Schedule | None = None
        """Knows when to call the function, if it is a timer."""
        self.departed: Departed | None = None
        """The objects that are gone, if there is a ``gone`` function."""
        self.indexes: HeldIndexes | None = None
        """The indexes of its operator."""
        self._async = {id(one) for one in _functions(declaration) if is_async(one)}
        self._memories: dict[Request, Memory] = {}
        self._warned = False
        means.cluster.hold_recorder(means.name)

    @property
    def cluster(self) -> "Cluster":
        """Where its objects are."""
        return self._means.cluster

    @property
    def sources(self) -> list[Source]:
        """Its own sources, in addition to the declared ones."""
        return [] if self.departed is None else [self.departed]

    def release(self) -> None:
        """Release everything that it shares with others: its controller was removed.

        Its wishes stay: the others must not prune what it has made.
        """
        self._observer.leave()
        if self.indexes is not None:
            self.indexes.leave()
        self._means.cluster.release_recorder(self._means.name)

    async def __call__(self, request: Request, run: Run) -> Result | None:
        """Reconcile the object that *request* names."""
        if self.departed is not None:
            again = await self._call_gone_for_all(self.departed, run)
            if again is not None:
                return again
        entry = self._informer.store.find_entry(request.key)
        if self.daemons is not None and (entry is None or entry.deleting):
            await self.daemons.stop(request)
        if entry is None:
            self._forget(request)
            return None
        memory = self._memories.get(request) or Memory()
        try:
            try:
                obj = entry.object
            except DecodeError as error:
                return await self._clean_up_unfit(entry, error, run, memory)
            if obj.metadata.deletion_timestamp is not None:
                return await self._clean_up(obj, run, memory)
            if self._declaration.cleanup is None and self.schedule is None:
                return await self._reconcile(obj, run, memory)  # the usual case, without a detour
            held = await self._ensure_finalizer(obj, run)
            return None if held is None else await self._reconcile_when_due(held, run, memory)
        finally:
            if memory:  # most kinds have no children
                self._memories[request] = memory

    def _forget(self, request: Request) -> None:
        """Forget everything about an object that is gone."""
        self._memories.pop(request, None)
        self._observer.forget(request.key)
        self._means.wishes.forget(request.key)
        if self.schedule is not None:
            self.schedule.forget(request)

    def report(self, run: Run, error: Exception) -> None:
        """Record an event for a failed reconcile, except for conflicts and lost connections."""
        entry = self._informer.store.find_entry(run.request.key)
        if entry is None or is_quiet(error) or _is_lost(error):
            return
        message = described(error).strip() or type(error).__name__
        self._means.recorder.event(
            _reference(self._informer, entry),
            reason=FAILED,
            message=message.splitlines()[0][:LONGEST_MESSAGE],
            type="Warning",
        )

    async def _ensure_finalizer(self, obj: R, run: Run) -> R | None:
        """Add our finalizer to *obj* if there is a clean-up; return ``None`` if it is gone."""
        cleanup = self._declaration.cleanup
        if cleanup is None or has_finalizer(obj, cleanup.finalizer):
            return obj
        run.changed = True
        try:
            return await add_finalizer(self._means.cluster.client, obj, cleanup.finalizer)
        except NotFoundError as error:
            if not error.is_about_object:
                raise
            return None

    async def _reconcile_when_due(self, obj: R, run: Run, memory: Memory) -> Result | None:
        """Reconcile *obj*, unless it is a timer that is not due yet."""
        schedule, uid = self.schedule, obj.metadata.uid
        if schedule is None:
            return await self._reconcile(obj, run, memory)
        if left := schedule.take(run.request, uid):
            return Result(requeue_after=left)
        result = await self._reconcile(obj, run, memory)
        schedule.note(run.request, uid, result)
        return result

    async def _reconcile(self, obj: R, run: Run, memory: Memory) -> Result | None:
        if self.daemons is not None:
            await self.daemons.keep(obj, partial(self._run_daemon, run, memory), run)
            return None
        if isinstance(obj, Unstructured):
            await self._learn_status(obj)
        snapshot, observer = Snapshot(obj), self._observer
        context = Context(obj, self._means, run=run, memory=memory)
        observer.begin(obj)
        try:
            result = await self._call(self._declaration.function, obj, context, run)
        except Exception as error:
            await self._write_after(error, obj, snapshot, context, run)
            raise
        observed = observer.observed(obj)
        if observed is not None:
            observe_generation(obj, observed)
        written = await self._write(obj, snapshot, run)
        context.tell_events()
        observer.succeed(obj)
        late = observer.observed(obj)
        if written is not None and late is not None and late != observed:
            # Another one succeeded while we wrote, and each of us thought the other would be last.
            before = Snapshot(written)
            observe_generation(written, late)
            await self._write(written, before, run)
        context.settle_wishes()
        memory.trim(context.applied)
        return result

    async def _run_daemon(self, run: Run, memory: Memory) -> Result | None:
        """Call the daemon function with the current object, and wait until it returns."""
        entry = self._informer.store.find_entry(run.request.key)
        if entry is None or entry.deleting:
            return None
        obj = entry.object
        context = Context(obj, self._means, run=run, memory=memory)
        return await self._call(self._declaration.function, obj, context, run)

    async def _clean_up(self, obj: R, run: Run, memory: Memory) -> Result | None:
        cleanup = self._declaration.cleanup
        if cleanup is None or not has_finalizer(obj, cleanup.finalizer):
            return None
        if isinstance(obj, Unstructured):
            await self._learn_status(obj)
        snapshot = Snapshot(obj)
        context = Context(obj, self._means, run=run, memory=memory)
        try:
            result = await self._call(cleanup.function, obj, context, run)
        except Exception as error:
            await self._write_after(error, obj, snapshot, context, run)
            raise
        written = await self._write(obj, snapshot, run)
        context.tell_events()
        if _asks_again(result):
            return result
        if written is not None:
            await self._remove_finalizer(written, cleanup.finalizer, run)
        return None

    async def _clean_up_unfit(
        self, entry: "Entry[R]", error: DecodeError, run: Run, memory: Memory
    ) -> Result | None:
        """Clean up after an object that does not fit its class, if it is being deleted.

        Raises:
            TerminalError: It is not being deleted. Only a change of the object can help, and that
                queues it again.
        """
        kind: Any = self._declaration.kind
        cleanup = self._declaration.cleanup
        why = f"{kind_title(kind)} {str(entry.key)!r} does not fit its class: {error}"
        if not entry.deleting:
            raise TerminalError(why) from error
        if cleanup is None:
            return None
        obj: Any = readable_part(entry.raw, kind)
        if not has_finalizer(obj, cleanup.finalizer):
            return None
        run.log.warning("object does not fit its class, cleaned up by what can be read", error=why)
        context = Context(obj, self._means, run=run, memory=memory)
        try:
            result = await self._call(cleanup.function, obj, context, run)
        except AttributeError as lacks:
            raise RuntimeError(
                f"{lacks}, and the clean-up needs it. {why}. Mend the object with kubectl edit, or"
                " let the clean-up do without."
            ) from lacks
        context.tell_events()  # the status of such an object cannot be written
        if not _asks_again(result):
            await self._remove_finalizer(obj, cleanup.finalizer, run)
            return None
        return result

    async def _call_gone_for_all(self, departed: Departed, run: Run) -> Result | None:
        """Call the function for each object of that name that is gone, until it asks to wait."""
        for entry in departed.find(run.request):
            result = await self._call_gone(entry, departed, run)
            if _asks_again(result):
                return result
        return None

    async def _call_gone(self, entry: "Entry[R]", departed: Departed, run: Run) -> Result | None:
        """Call the function for an object that is gone, after asking the server."""
        function, request = self._declaration.gone, run.request
        assert function is not None
        live = await self._find_live(entry)
        result = None
        # An object that no longer matches the watched labels, namespaces or fields is not gone.
        if live is None or live.metadata.uid != entry.uid:
            obj = self._last_seen(entry)
            context = Context(obj, self._means, run=run, memory=Memory())
            result = await self._call(function, obj, context, run)
            context.tell_events()
        if not _asks_again(result):
            departed.forget(request, entry.uid)
        return result

    async def _find_live(self, entry: "Entry[R]") -> Unstructured | None:
        mapping = self._informer.selection.mapping
        try:
            return await self._means.cluster.client.live.find(mapping, entry.key)
        except NotFoundError:
            return None  # the server does not have the kind any more, so none of its objects

    def _last_seen(self, entry: "Entry[R]") -> R:
        """Return the last state of an object; if it does not fit its class, what can be read."""
        try:
            return entry.object
        except DecodeError:
            kind: Any = self._declaration.kind
            found: R = readable_part(entry.raw, kind)
            return found

    async def _remove_finalizer(self, obj: R, finalizer: str, run: Run) -> None:
        run.changed = True
        try:
            await remove_finalizer(self._means.cluster.client, obj, finalizer)
        except NotFoundError as error:
            if not error.is_about_object:
                raise

    async def _call(
        self, declared: Callable[..., Any] | None, obj: R, context: Context, run: Run
    ) -> Result | None:
        function: Any = declared
        answer: Any
        if id(function) in self._async:
            answer = await function(obj, context)
        else:
            from kubewright.operator.sync_context import SyncContext
            from kubewright.operator.threads import Bridge, run_in_thread

            bridge = Bridge(asyncio.get_running_loop())
            sync = SyncContext(context, bridge)
            work = partial(run.noting_thread, partial(function, obj, sync))
            answer = await run_in_thread(work, bridge, hold=run.hold)
        if answer is None or isinstance(answer, Result):
            return answer
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"{name} returned {answer!r:.60}: a reconciler returns None or a kw.Result")

    # --- Writes ---

    async def _learn_status(self, obj: Unstructured) -> None:
        """Find out where the status of an object without a class is written."""
        await learn_status(self._means.cluster.client, obj, self._informer.selection.mapping)

    async def _write(self, obj: R, snapshot: Snapshot, run: Run) -> R | None:
        """Write the status if it changed; return the updated object, ``None`` if it is gone."""
        changes = snapshot.changes(obj)
        if not self._declaration.primary.writes_status:
            changes = changes.without_status()
        if changes.others:
            self._warn(obj, changes.others, run)
        if changes.status == {} and not changes.first:
            return obj
        run.changed = True
        try:
            return await write_status(self._means.cluster.client, obj, changes)
        except NotFoundError as error:
            if error.is_about_object:
                return None
            raise self._no_status(obj, error) from error

    async def _write_after(
        self, failure: Exception, obj: R, snapshot: Snapshot, context: Context, run: Run
    ) -> None:
        """Write the status after a failed run; if that fails, too, only add a note."""
        try:
            await self._write(obj, snapshot, run)
        except Exception as error:  # noqa: BLE001  # including errors from encoding
            failure.add_note(f"the status could not be written either: {error}")
        else:
            context.tell_events()

    def _no_status(self, obj: R, error: NotFoundError) -> Exception:
        return TerminalError(
            f"cannot write the status of {obj.kind} {str(obj.key)!r}: {error.status.message}. Does"
            " its CRD declare the status subresource? `kubewright run --install-crds` installs one"
            " that does."
        )

    def _warn(self, obj: R, wanted: dict[str, Any], run: Run) -> None:
        """Warn once that changes outside of the status are lost, unless they were written."""
        entry = self._informer.store.find_entry(obj.key)
        if self._warned or entry is None or original(obj) is None:
            return
        live = _json.loads(entry.raw)
        if json_equal(apply_merge_patch(live, wanted), live):
            return  # the function has written them itself
        self._warned = True
        fields = ", ".join(sorted(wanted))
        if not self._declaration.primary.writes_status:
            run.log.warning(
                "nothing is written after a reconcile, since writes_status=False was declared",
                field=fields,
            )
            return
        run.log.warning(
            "only changes of the status are written after a reconcile; to write others, use"
            " ctx.client.patch(obj)",
            field=fields,
        )


def _functions(declaration: Declaration) -> list[Callable[..., Any]]:
    cleanup = None if declaration.cleanup is None else declaration.cleanup.function
    return [one for one in (declaration.function, cleanup, declaration.gone) if one is not None]


def _asks_again(result: Result | None) -> bool:
    """Say whether the function wants to be called again."""
    return result is not None and (result.requeue or result.delay is not None)


def _is_lost(error: Exception) -> bool:
    """Say whether only the connection failed, so that no event could be sent either."""
    return all(isinstance(one, TransportError) for one in causes(error))


def _reference(informer: "Informer[Any]", entry: "Entry[Any]") -> Unstructured:
    """Return just what an event needs of an object, which may not fit its class."""
    gvk, key = informer.selection.mapping.gvk, entry.key
    metadata = {"name": key.name, "uid": entry.uid, "resourceVersion": entry.resource_version}
    if key.namespace:
        metadata["namespace"] = key.namespace
    return Unstructured({"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": metadata})
