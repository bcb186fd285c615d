"""Create: store a new object."""

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints import commit
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry import metadata, view
from kubewright.apiserver.registry.strategy import Obj, Write
from kubewright.apiserver.wire import bodies, output
from kubewright.apiserver.wire.options import WriteOptions, write_options
from kubewright.apiserver.wire.request import Response

GENERATED_TRIES: int = 8


async def create(call: Call) -> Response:
    """Store the object in the body."""
    options = write_options(call.query, "CreateOptions")
    obj = await call.run(
        lambda: into_work(call, bodies.read_object(call, options.field_validation))
    )
    return await store_new(call, obj, options)


def into_work(call: Call, obj: Obj) -> Obj:
    """Return *obj*, of the URL's version, in the version that the server works in."""
    return call.resource.to_hub(obj) if call.resource.to_hub else obj


async def store_new(
    call: Call, obj: Obj, options: WriteOptions, *, managed: bool = False
) -> Response:
    """Store *obj*, which is cut to its schema; *managed* if its managedFields are right already."""
    _check_place(call, obj, dry_run=options.dry_run)
    strategy, write = call.strategy, call.write(dry_run=options.dry_run)
    metadata.wipe(obj["metadata"])
    generated = _generate_name(obj["metadata"])
    if strategy.has_status:
        obj.pop("status", None)
    await call.run(lambda: _complete(call, obj, options, managed=managed))
    asked = commit.attributes(
        call, "CREATE", obj, None, dry_run=options.dry_run, options=options.json("CreateOptions")
    )
    before, obj = obj, await commit.admit(call, asked)
    if obj is not before:
        bodies.cut(obj, call.work)
        strategy.default(obj)
    _prepare(call, obj, write)
    wanted = obj
    errors = await call.judge(
        write, lambda write: metadata.validate(wanted, call.work) + strategy.validate(wanted, write)
    )
    commit.refuse(call, obj, errors)
    await commit.check_right_to_create(call)
    asked.object = obj
    await call.backend.admission.validate(asked)
    return await _finish(call, asked, write, generated=generated)


def _complete(call: Call, obj: Obj, options: WriteOptions, *, managed: bool) -> None:
    call.strategy.default(obj)
    commit.deduplicate_owners(call, obj)
    if not managed:
        commit.update_managed_fields(call, obj, None, options)


def _prepare(call: Call, obj: Obj, write: Write) -> None:
    """Set what neither clients nor mutating webhooks may set."""
    metadata.fill(obj["metadata"], write.now)
    if call.strategy.has_generation:
        obj["metadata"]["generation"] = 1
    call.strategy.prepare_create(obj, write)


def _check_place(call: Call, obj: Obj, *, dry_run: bool) -> None:
    """Refuse an object whose namespace is not that of the URL; fill it in if it is missing."""
    meta = obj["metadata"]
    if meta.get("resourceVersion") and not dry_run:  # the storage of Kubernetes refuses it
        text = "resourceVersion should not be set on objects to be created"
        raise status.StatusError(500, "", text)
    if not call.resource.namespaced:
        meta.pop("namespace", None)
        return
    if not call.namespace:
        raise status.bad_request("an empty namespace may not be set during creation")
    if meta.setdefault("namespace", call.namespace) != call.namespace:
        raise status.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def _generate_name(meta: Obj) -> bool:
    """Generate a name if only its prefix is given; return whether one was generated."""
    prefix = meta.get("generateName")
    if not prefix or meta.get("name"):
        return False
    meta["name"] = metadata.generated_name(prefix)
    return True


async def _finish(call: Call, asked: Attributes, write: Write, *, generated: bool) -> Response:
    store, obj = call.backend.store, asked.object
    assert obj is not None
    meta = obj["metadata"]
    tries = GENERATED_TRIES if generated else 1
    obj = view.ordered(obj, call.work)
    to_store = await call.work.write(obj) if call.work.write else obj
    for last in [False] * (tries - 1) + [True]:
        if store.find(call.storage, call.namespace, meta["name"]) is None:
            break
        if last:
            raise _taken(call, meta["name"])
        meta["name"] = to_store["metadata"]["name"] = metadata.generated_name(meta["generateName"])
    charged = call.backend.admission.charge(asked)
    if write.dry_run:
        shown = call.resource.from_hub(obj) if call.resource.from_hub else obj
        return output.object_response(call, shown, code=201)
    stored = commit.store(call, to_store, charged)
    call.strategy.after_create(obj, write)
    return await output.stored_response(call, stored, code=201)


def _taken(call: Call, name: str) -> status.StatusError:
    error = status.already_exists(call.group_resource, name)
    found = call.backend.store.find(call.storage, call.namespace, name)
    if found is not None and found.decode()["metadata"].get("deletionTimestamp"):
        error.message = f"object is being deleted: {error.message}"
    return error
