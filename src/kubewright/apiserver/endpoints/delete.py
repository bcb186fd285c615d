"""Delete: at once, after a grace period, or when the last finalizer is gone."""

import asyncio
from datetime import timedelta
from typing import Any

from kubewright.api.times import format_time
from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints import commit
from kubewright.apiserver.endpoints.update import is_finished
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.selection import Selection
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.conform import conform
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.wire import bodies, output
from kubewright.apiserver.wire.options import DeleteOptions, delete_options, list_options
from kubewright.apiserver.wire.request import Response

ORPHAN: str = "orphan"
FOREGROUND: str = "foregroundDeletion"
RETRIES: int = 5
# Deleting one of these answers with the object, deleting any other with a Status.
RETURNED: frozenset[GroupResource] = frozenset(
    GroupResource("", name)
    for name in (
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "podtemplates",
        "replicationcontrollers",
        "resourcequotas",
        "serviceaccounts",
        "services",
    )
)


async def delete(call: Call) -> Response:
    """Delete one object."""
    return await delete_with(call, _options(call))


async def delete_with(call: Call, options: DeleteOptions, *, admitted: bool = False) -> Response:
    """Delete the object that the URL names, with *options* from elsewhere than the body.

    Admission is asked unless *admitted* says that it has been, as for an eviction.
    """
    for _ in range(RETRIES + 1):
        stored = call.backend.store.find(call.storage, call.namespace, call.name)
        if stored is None:
            raise status.not_found(call.group_resource, call.name)
        done = await _delete(call, stored, options, admitted=admitted)
        if done is not None:
            return done
    raise status.stale(call.group_resource, call.name)


async def delete_collection(call: Call) -> Response:
    """Delete every object that matches; answers with what was there."""
    options = _options(call)
    selectors = list_options(call.query, watch=False)
    selection = await call.run(
        lambda: Selection(
            call.work, selectors.labels, selectors.fields, rename=call.resource.rename_field
        ),
        size=len(selectors.labels) + len(selectors.fields),
    )
    chosen = await selection.of(call.collection.list(call.namespace))
    if selectors.limit:
        chosen = chosen[: selectors.limit]
    for stored in chosen:
        current: Stored | None = stored
        namespace, _, name = stored.key.rpartition("/")
        while current is not None and await _delete(call, current, options) is None:
            current = call.backend.store.find(call.storage, namespace, name)
        await asyncio.sleep(0)  # there may be thousands, and others want to be served
    revision = str(call.backend.store.revision)
    return await output.list_response(call, chosen, {"resourceVersion": revision})


def _options(call: Call) -> DeleteOptions:
    body = bodies.read_document(call.request) if call.request.body.strip() else None
    if body is not None and not isinstance(body, dict):
        raise status.bad_request("the body of a deletion must be DeleteOptions")
    kind = (body or {}).get("kind", "DeleteOptions")
    if kind != "DeleteOptions":
        raise status.bad_request(
            f"the object provided is unrecognized (must be of type DeleteOptions): {kind}"
        )
    if body:
        body["kind"] = kind
        schema = definitions.find("", "v1", "DeleteOptions")
        assert schema is not None
        conform(body, schema)
    return delete_options(call.query, body)


async def _delete(
    call: Call, stored: Stored, options: DeleteOptions, *, admitted: bool = False
) -> Response | None:
    """Delete one object as far as it goes now; ``None`` if it has changed meanwhile."""
    store = call.backend.store
    obj = await view.load(call.work, stored)
    check_preconditions(call, obj, options)
    if not admitted:
        await _admit(call, obj, options)
    marked = _marked(call, obj, options)
    final = obj if marked is None else marked
    removes = marked is None or is_finished(final, call.strategy)
    to_store = final if removes else await _storable(call, final)
    # Admission and conversion may have taken a while: from here on, nothing waits.
    if store.find(call.storage, *_key(obj)) is not stored:
        return None
    if options.dry_run and marked is None:
        return await _gone(call, obj, stored)
    if marked is obj or options.dry_run:
        return output.object_response(call, _shown(call, final))
    if removes:
        last = store.remove(call.storage, stored.decode())  # watchers see what was stored
        call.strategy.after_delete(final, call.write())
        return await _gone(call, final, last)
    return await output.stored_response(call, store.put(call.storage, to_store))


def _key(obj: Obj) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _shown(call: Call, obj: Obj) -> Obj:
    return call.resource.from_hub(obj) if call.resource.from_hub else obj


async def _storable(call: Call, obj: Obj) -> Obj:
    ordered = view.ordered(obj, call.work)
    return await call.work.write(ordered) if call.work.write else ordered


async def _gone(call: Call, obj: Obj, last: Stored) -> Response:
    if call.group_resource in RETURNED:
        return await output.stored_response(call, last)
    details = {**call.details(uid=obj["metadata"]["uid"]), "name": obj["metadata"]["name"]}
    content: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }
    return output.body(content)


def check_preconditions(call: Call, obj: Obj, options: DeleteOptions) -> None:
    """Refuse a deletion that is meant for another object, or another state of it."""
    meta = obj["metadata"]
    for word, wanted, found, end in (
        ("UID", options.uid, meta["uid"], "deleted and then recreated"),
        ("ResourceVersion", options.resource_version, meta["resourceVersion"], "modified"),
    ):
        if wanted is not None and wanted != found:
            why = (
                f"the {word} in the precondition ({wanted}) does not match the {word} in record"
                f" ({found}). The object might have been {end}"
            )
            kind = call.resource.group_kind
            raise status.conflict(GroupResource(kind.group, kind.kind), meta["name"], why)


async def _admit(call: Call, obj: Obj, options: DeleteOptions) -> None:
    source = {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", **options.source}
    asked = commit.attributes(call, "DELETE", None, obj, dry_run=options.dry_run, options=source)
    await call.backend.admission.admit(asked)
    await call.backend.admission.validate(asked)


def _marked(call: Call, obj: Obj, options: DeleteOptions) -> Obj | None:
    """Return the object as one that is being deleted, *obj* itself if nothing changes, or ``None``.

    ``None`` stands for: nothing holds it, remove it.
    """
    meta = obj["metadata"]
    strategy = call.strategy
    finalizers = _finalizers(meta.get("finalizers", []), options.propagation)
    finalizers += [name for name in strategy.deletion_finalizers if name not in finalizers]
    grace = strategy.grace_period(obj, options.grace) if strategy.grace else 0
    held = bool(finalizers or grace or strategy.holds(obj))
    if meta.get("deletionTimestamp"):
        return _marked_again(call, obj, finalizers, grace)
    if not held:
        return None
    return _deleting(call, obj, finalizers, grace)


def _finalizers(present: list[str], propagation: str) -> list[str]:
    """Return the finalizers with the one that the propagation policy asks for, as a new list."""
    if propagation == "":
        return [*present]
    others = [name for name in present if name not in (ORPHAN, FOREGROUND)]
    if propagation == "Orphan":
        return [*others, ORPHAN]
    if propagation == "Foreground":
        return [*others, FOREGROUND]
    return others


def _deleting(call: Call, obj: Obj, finalizers: list[str], grace: int) -> Obj:
    meta = dict(obj["metadata"])
    due = call.backend.clock.now() + timedelta(seconds=grace)
    meta["deletionTimestamp"] = format_time(due)
    meta["deletionGracePeriodSeconds"] = grace
    if meta.get("generation"):
        meta["generation"] += 1
    meta.pop("finalizers", None)
    if finalizers:
        meta["finalizers"] = finalizers
    marked = {**obj, "metadata": meta}
    call.strategy.prepare_delete(marked, call.write())
    return marked


def _marked_again(call: Call, obj: Obj, finalizers: list[str], grace: int) -> Obj | None:
    """Return the object when it is deleted for the second time: only sooner, never later."""
    meta = obj["metadata"]
    present = meta.get("deletionGracePeriodSeconds") or 0
    if grace < present:
        marked = _deleting(call, obj, finalizers, grace)
        if grace == 0 and not finalizers:
            return None
        if meta.get("generation"):
            marked["metadata"]["generation"] = meta["generation"]
        return marked
    if finalizers != meta.get("finalizers", []):
        if not (finalizers or grace or present or call.strategy.holds(obj)):
            return None  # remove it without storing first that nothing holds it
        kept = {key: value for key, value in meta.items() if key != "finalizers"}
        return {**obj, "metadata": {**kept, **({"finalizers": finalizers} if finalizers else {})}}
    return obj
