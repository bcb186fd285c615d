"""The steps that every write shares, from a complete object to a stored one."""

from collections import Counter
from collections.abc import Callable
from functools import partial

from kubewright.apiserver.admission.attributes import (
    Attributes,
    GroupVersionKind,
    GroupVersionResource,
    Operation,
)
from kubewright.apiserver.admission.plugin import Charged
from kubewright.apiserver.authorization import attributes as authorization
from kubewright.apiserver.backend import Call
from kubewright.apiserver.fieldmanager import manager as fieldmanager
from kubewright.apiserver.fieldmanager.fieldset import FieldSet
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry import metadata
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.tree import Schema
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.webhook.asking import settle
from kubewright.apiserver.wire.options import WriteOptions

RBAC_GROUP: str = "rbac.authorization.k8s.io"

OWNERS_WARNING: str = (
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in"
    " 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate"
    " UID(s) observed: "
)


def deduplicate_owners(call: Call, obj: Obj) -> None:
    """Drop duplicate owner references, with a warning."""
    found = obj["metadata"].get("ownerReferences")
    if found and metadata.drop_duplicate_owners(obj["metadata"]):
        count = Counter(owner.get("uid", "") for owner in found)
        twice = sorted(uid for uid, times in count.items() if times > 1)
        call.warn(OWNERS_WARNING + ", ".join(twice))


def attributes(
    call: Call,
    operation: Operation,
    obj: Obj | None,
    old: Obj | None,
    *,
    dry_run: bool,
    options: Obj | None,
) -> Attributes:
    """Return the attributes of the write, as admission plugins see them."""
    named = (obj or old or {}).get("metadata", {})
    work = call.work
    return Attributes(
        operation=operation,
        kind=GroupVersionKind(*work.kind_of(call.subresource)),
        resource=GroupVersionResource(work.group, work.version, work.plural),
        user=call.user,
        object=obj,
        old_object=old,
        name=named.get("name", "") or call.name,
        namespace=named.get("namespace", "") or call.route.namespace,
        subresource=call.subresource,
        options=options,
        dry_run=dry_run,
        warn=call.warn,
    )


async def admit(call: Call, asked: Attributes) -> Obj:
    """Let the admission chain change the object; return the changed object."""
    backend = call.backend
    await backend.admission.admit(asked)
    assert asked.object is not None
    if backend.escalation is not None and call.resource.group == RBAC_GROUP:
        # Checked as it will be stored: webhooks change roles, too.
        check = partial(
            backend.escalation.check,
            call.group_resource,
            call.user,
            obj=asked.object,
            old=asked.old_object,
            namespace=call.namespace,
            name=call.name,
        )
        await settle(check)
    return asked.object


def store(call: Call, obj: Obj, charged: list[Charged]) -> Stored:
    """Store an object, and the quotas that `AdmissionChain.charge` has charged for it."""
    stored = call.backend.store.put(call.storage, obj)
    for resource, quota in charged:
        call.backend.store.put(resource, quota)
    return stored


def update_managed_fields(call: Call, new: Obj, old: Obj | None, options: WriteOptions) -> None:
    """Record in managedFields who has set which field."""
    resource = call.work
    fieldmanager.record_update(
        old,
        new,
        schema=resource.schema(),
        api_version=resource.api_version,
        manager=call.manager(options.field_manager),
        subresource=call.subresource,
        now="" if call.subresource == "scale" else call.backend.now(),
        strip=reset_fields(call),
        convert=converter(call, resource),
    )


def reset_fields(call: Call) -> FieldSet | None:
    """Return the fields that this request cannot change, and so cannot come to own."""
    resource = call.work
    return fieldmanager.reset_fields(
        resource.kind,
        call.subresource,
        has_status=resource.strategy.has_status,
        custom=resource.custom,
    )


async def check_right_to_create(call: Call) -> None:
    """Refuse an update or apply that makes an object, if the user may only change objects."""
    authorizer, route = call.backend.authorizer, call.route
    if authorizer is None or route.verb == "create":
        return
    asked = authorization.AccessAttributes(
        call.user,
        "create",
        route.group,
        route.version,
        route.resource,
        name=route.name,
        namespace=route.namespace,
    )
    decision = await settle(partial(authorizer.authorize, asked))
    if not decision.allowed and decision.error:
        raise status.internal_error(decision.error)
    if not decision.allowed:
        raise status.forbidden(call.group_resource, call.name, decision.reason)


Convert = Callable[[Obj, str], tuple[Obj, Schema] | None]


def converter(call: Call, resource: Resource) -> Convert | None:
    """Return what converts objects for field managers of other versions; ``None`` without any."""
    versions = {one.api_version: one for one in call.backend.registry.versions_of(resource.storage)}
    if len(versions) == 1 or resource.asks_webhook:  # a webhook takes too long for this
        return None

    def convert(obj: Obj, version: str) -> tuple[Obj, Schema] | None:
        target = versions.get(version)
        if target is None:
            return None
        if target.custom:
            return {**obj, "apiVersion": version}, target.schema()
        hub = resource.to_hub(obj) if resource.to_hub else obj
        return (target.from_hub(hub) if target.from_hub else hub), target.schema()

    return convert


def refuse(call: Call, obj: Obj, errors: Errors) -> None:
    """Raise an error if validation found any."""
    if errors:
        name = obj["metadata"].get("name") or obj["metadata"].get("generateName", "")
        raise status.invalid(call.work.group_kind, name, errors)
