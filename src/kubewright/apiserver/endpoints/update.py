"""Update: replaces an object that exists, or a part of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints import commit, parts
from kubewright.apiserver.endpoints.create import into_work, store_new
from kubewright.apiserver.fieldmanager import manager as fieldmanager
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.registry import metadata, view
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.storage.collection import key_of
from kubewright.apiserver.wire import bodies, output
from kubewright.apiserver.wire.options import WriteOptions, write_options
from kubewright.apiserver.wire.request import Response

RETRIES: int = 5
BINDING: str = "binding"

Make = Callable[[Stored], Awaitable[Obj]]
"""Makes the new object from the stored one, in the version of `Call.work`."""


@dataclass(frozen=True, slots=True)
class AdmittedForm:
    """What admission sees of an object that is written as one of another kind, such as a Scale.

    Attributes:
        show: Returns what admission sees.
        take: Returns the object with the changes of admission.
    """

    show: Callable[[Obj], Obj]
    take: Callable[[Obj, Obj], Obj]


@dataclass(frozen=True, slots=True)
class UpdateMode:
    """How an object is replaced.

    Attributes:
        conditional: Whether the kind decides if a resourceVersion may be missing.
        managed: Whether the managedFields are right already, as apply leaves them.
        admitted: Whether admission has been asked already, about a subresource.
        form: What admission sees; the object itself if it is ``None``.
    """

    conditional: bool = False
    managed: bool = False
    admitted: bool = False
    form: AdmittedForm | None = None


PLAIN: UpdateMode = UpdateMode()


async def update(call: Call) -> Response:
    """Replace an object, or its subresource, with the body."""
    options = write_options(call.query, "UpdateOptions")
    first = await call.run(
        lambda: into_work(call, bodies.read_object(call, options.field_validation))
    )
    check_name(call, first)
    if call.backend.store.find(call.storage, call.namespace, call.name) is None:
        return await _create_instead(call, first, options)
    ready: list[Obj] = [first]

    async def make(stored: Stored) -> Obj:
        # Each try needs a fresh copy, since a try changes it; the first is at hand.
        if ready:
            return ready.pop()
        again = await call.run(lambda: into_work(call, bodies.read_object(call, "Ignore")))
        check_name(call, again)
        return again

    return await replace(call, make, options, UpdateMode(conditional=True))


def check_name(call: Call, obj: Obj) -> None:
    """Refuse an object whose name or namespace is not that of the URL."""
    meta = obj["metadata"]
    name = meta.get("name")
    if not name:
        raise status.bad_request(
            f"the name of the object ({call.name} based on URL) was undeterminable: name must be"
            " provided"
        )
    if name != call.name:
        raise status.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.name})"
        )
    if not call.resource.namespaced:
        meta.pop("namespace", None)
        return
    if meta.setdefault("namespace", call.namespace) != call.namespace:
        raise status.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


async def _create_instead(call: Call, obj: Obj, options: WriteOptions) -> Response:
    if call.subresource or not call.strategy.allow_create_on_update:
        raise status.not_found(call.group_resource, call.name)
    meta = obj["metadata"]
    if uid := meta.get("uid"):
        raise status.conflict(call.group_resource, call.name, _other_uid(call, uid, ""))
    if _version_of(meta):
        raise status.not_found(call.group_resource, call.name)
    meta.pop("resourceVersion", None)
    return await store_new(call, obj, options)


def _version_of(meta: Obj) -> str:
    """Return the resourceVersion of an object; empty for none, and for zero as in Go."""
    version: str = meta.get("resourceVersion") or "0"
    if not version.isdecimal():
        why = f'strconv.ParseUint: parsing "{version}": invalid syntax'
        raise status.StatusError(500, "", why)
    return version if int(version) else ""


async def replace(
    call: Call, make: Make, options: WriteOptions, mode: UpdateMode = PLAIN
) -> Response:
    """Store what *make* returns for the stored object; try again if that changes meanwhile."""
    store = call.backend.store
    for _ in range(RETRIES + 1):
        stored = store.find(call.storage, call.namespace, call.name)
        if stored is None:
            raise status.not_found(call.group_resource, call.name)
        new = await make(stored)
        done = await _attempt(call, stored, new, options, mode)
        if done is not None:
            return done
    raise status.stale(call.group_resource, call.name)


async def _attempt(
    call: Call, stored: Stored, new: Obj, options: WriteOptions, mode: UpdateMode
) -> Response | None:
    """Store *new* in place of *stored*; return ``None`` if somebody else replaced it first."""
    old = await view.load(call.work, stored)
    write = call.write(dry_run=options.dry_run)
    _check_version(call, new, old, conditional=mode.conditional)
    _prepare(call, new, old, write)
    commit.deduplicate_owners(call, new)
    if not mode.managed:
        made = new
        await call.run(
            lambda: commit.update_managed_fields(call, made, old, options), size=stored.size
        )
    show = mode.form.show if mode.form else _itself
    asked = commit.attributes(
        call,
        "UPDATE",
        show(new),
        show(old),
        dry_run=options.dry_run,
        options=options.json("UpdateOptions"),
    )
    before = new
    if not mode.admitted:
        shown, changed = asked.object, await commit.admit(call, asked)
        if changed is not shown:
            new = mode.form.take(new, changed) if mode.form else changed
    if new is not before:
        bodies.cut(new, call.work)
        call.strategy.default(new)
    _count_generation(call, new, old)
    fieldmanager.keep_times(old, new)
    wanted = new
    errors = await call.judge(
        write, lambda write: _errors(call, wanted, old, write), size=stored.size
    )
    commit.refuse(call, new, errors)
    asked.object = show(new)
    if not mode.admitted:
        await call.backend.admission.validate(asked)
    return await _finish(call, stored, new, old, asked=asked)


def _itself(obj: Obj) -> Obj:
    return obj


def _check_version(call: Call, new: Obj, old: Obj, *, conditional: bool) -> None:
    new_meta, old_meta = new["metadata"], old["metadata"]
    uid = new_meta.get("uid")
    if conditional and uid and uid != old_meta["uid"]:
        raise status.conflict(
            call.group_resource, call.name, _other_uid(call, uid, old_meta["uid"])
        )
    version = _version_of(new_meta)
    if version and version != old_meta["resourceVersion"]:
        raise status.stale(call.group_resource, call.name)
    if not version:
        if conditional and not call.strategy.allow_unconditional_update:
            text = "must be specified for an update"
            error = field.invalid("metadata.resourceVersion", 0, text)
            # Kubernetes names the resource here, not the kind.
            kind = GroupKind(call.resource.group, call.resource.plural)
            raise status.invalid(kind, call.name, [error])
        new_meta["resourceVersion"] = old_meta["resourceVersion"]


def _other_uid(call: Call, wanted: str, found: str) -> str:
    key = key_of(call.namespace, call.name)
    root = f"/custom/{call.resource.group}" if call.resource.custom else "/registry"
    return (
        f"StorageError: invalid object, Code: 4, Key: {root}/{call.resource.plural}/{key},"
        " ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition:"
        f" {wanted}, UID in object meta: {found}"
    )


def _prepare(call: Call, new: Obj, old: Obj, write: Write) -> None:
    strategy = call.strategy
    if call.subresource == "status":
        _only_status(call, new, old)
        strategy.default(new)
        metadata.carry_over(new["metadata"], old["metadata"])
        strategy.prepare_status_update(new, old, write)
        return
    if call.subresource == BINDING:
        # A binding was checked when it was put into the pod; no other field can have changed.
        metadata.carry_over(new["metadata"], old["metadata"])
        return
    if call.subresource in parts.PARTS:
        metadata.carry_over(new["metadata"], old["metadata"])
        strategy.default(new)
        parts.prepare(call, new, old, write)
        return
    metadata.carry_over(new["metadata"], old["metadata"])
    if strategy.has_status:
        if "status" in old:
            new["status"] = old["status"]
        else:
            new.pop("status", None)
    strategy.default(new)
    strategy.prepare_update(new, old, write)


def _only_status(call: Call, new: Obj, old: Obj) -> None:
    """Take everything but the status from *old*."""
    for key in [key for key in new if key not in ("status", "metadata")]:
        del new[key]
    new |= {key: value for key, value in old.items() if key not in ("status", "metadata")}
    if not call.work.custom:
        labels = old["metadata"].get("labels")
        if call.work.group == "apps":
            new["metadata"].pop("labels", None)
            if labels:
                new["metadata"]["labels"] = labels
        return
    managed = new["metadata"].get("managedFields")
    version = new["metadata"]["resourceVersion"]
    new["metadata"] = {**old["metadata"], "resourceVersion": version}
    new["metadata"].pop("managedFields", None)
    if managed:
        new["metadata"]["managedFields"] = managed


def _count_generation(call: Call, new: Obj, old: Obj) -> None:
    strategy = call.strategy
    if not strategy.has_generation or call.subresource in ("status", "binding"):
        return
    if strategy.spec_changed(new, old):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def _errors(call: Call, new: Obj, old: Obj, write: Write) -> field.Errors:
    strategy = call.strategy
    errors = metadata.validate_update(new["metadata"], old["metadata"], call.work)
    if call.subresource == "status":
        return errors + strategy.validate_status_update(new, old, write)
    if call.subresource == BINDING:
        return errors
    if call.subresource in parts.PARTS:
        return errors + parts.validate(call, new, old, write)
    return errors + strategy.validate_update(new, old, write)


async def _finish(
    call: Call, stored: Stored, new: Obj, old: Obj, *, asked: Attributes
) -> Response | None:
    store = call.backend.store
    to_store, unchanged = new, new == old
    plain = view.is_plain(call.work, stored)
    if not (unchanged and plain):
        to_store = view.ordered(new, call.work)
        if call.work.write:
            to_store = await call.work.write(to_store)
    if store.find(call.storage, call.namespace, call.name) is not stored:
        return None
    charged = call.backend.admission.charge(asked)
    if asked.dry_run:
        shown = call.resource.from_hub(new) if call.resource.from_hub else new
        return output.object_response(call, shown)
    if is_finished(new, call.strategy):
        # Watchers see what was stored last; only the client sees what it would have become.
        store.remove(call.storage, stored.decode())
        call.strategy.after_delete(new, call.write())
        shown = view.ordered(new, call.work)
        return output.object_response(
            call, call.resource.from_hub(shown) if call.resource.from_hub else shown
        )
    if unchanged and (plain or to_store == stored.decode()):
        return await output.stored_response(call, stored)
    return await output.stored_response(call, commit.store(call, to_store, charged))


def is_finished(obj: Obj, strategy: Strategy) -> bool:
    """Whether nothing keeps a deleted object: no finalizer, grace period or rule of its kind."""
    meta = obj["metadata"]
    return bool(
        meta.get("deletionTimestamp")
        and not meta.get("finalizers")
        and not meta.get("deletionGracePeriodSeconds")
        and not strategy.holds(obj)
    )
