"""Scale: the number of replicas of an object of any kind."""

from collections.abc import Awaitable, Callable
from typing import Any

from kubewright.apiserver.backend import Call
from kubewright.apiserver.builtin.autoscaling.scale import scale_of, validate_scale, with_scale
from kubewright.apiserver.endpoints.read import find
from kubewright.apiserver.endpoints.update import AdmittedForm, UpdateMode, replace
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.patch import json_patch, merge, strategic
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.conform import conform
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.wire import bodies, output
from kubewright.apiserver.wire.options import WriteOptions, write_options
from kubewright.apiserver.wire.request import Answer, Response

Endpoint = Callable[[Call], Awaitable[Answer]]

API_VERSION: str = "autoscaling/v1"


def _scale_of(call: Call, obj: Obj) -> Obj:
    if call.resource.custom:
        from kubewright.apiserver.customresource.scale import scale_of as custom

        return custom(obj, call.resource.scale_paths)

    return scale_of(obj)


def _scale_before(call: Call, obj: Obj) -> Obj:
    """Return the Scale that a change begins with; a custom object may have no replicas yet."""
    if not call.resource.custom:
        return _scale_of(call, obj)
    from kubewright.apiserver.customresource.scale import scale_for_update

    return scale_for_update(obj, call.resource.scale_paths)


def _scale_shown(call: Call, obj: Obj) -> Obj:
    """Return the Scale that admission sees, of the object before or after the change."""
    if not call.resource.custom:
        return _scale_of(call, obj)
    from kubewright.apiserver.customresource.scale import scale_for_admission

    return scale_for_admission(obj, call.resource.scale_paths)


def _check(call: Call, scale: Obj) -> None:
    """Refuse a Scale of a built-in kind that is wrong; custom ones are checked later."""
    if call.resource.custom:
        return

    if errors := validate_scale(scale):
        raise status.invalid(GroupKind("autoscaling", "Scale"), call.name, errors)


def _with_scale(call: Call, obj: Obj, scale: Obj) -> Obj:
    if call.resource.custom:
        from kubewright.apiserver.customresource.scale import with_scale as custom

        return custom(obj, scale, call.resource.scale_paths)

    return with_scale(obj, scale)


def _is_owned(call: Call) -> bool:
    from kubewright.apiserver.customresource.scale import is_owned

    return is_owned(find(call).decode(), call.resource.scale_paths)


async def get(call: Call) -> Response:
    """Answer with the scale of an object."""
    obj = await view.load(call.resource, find(call))
    return output.object_response(call, _scale_of(call, obj))


async def update(call: Call) -> Response:
    """Set the number of replicas."""
    options = write_options(call.query, "UpdateOptions")
    wanted = _checked(bodies.read_document(call.request))
    return await _set(call, lambda _: wanted, options)


async def patch(call: Call) -> Response:
    """Change the number of replicas."""
    options = write_options(call.query, "PatchOptions")
    media = bodies.media_type(call.request)
    change = bodies.parse_yaml(call.request.body)
    schema = definitions.find("autoscaling", "v1", "Scale")
    assert schema is not None

    def patched(scale: Obj) -> Obj:
        if media == "application/json-patch+json":
            return _checked(json_patch.apply(scale, change))
        if not isinstance(change, dict):
            sort = bodies.json_type(change)
            raise status.bad_request(
                f"json: cannot unmarshal {sort} into Go value of type map[string]interface {{}}"
            )
        if media == "application/strategic-merge-patch+json":
            return _checked(strategic.apply(scale, change, schema))
        if media in ("application/merge-patch+json", "application/apply-patch+yaml"):
            return _checked(merge.apply(scale, change))
        raise status.unsupported_media_type(
            ("application/json-patch+json", "application/merge-patch+json")
        )

    return await _set(call, patched, options)


def _checked(document: Any) -> Obj:
    schema = definitions.find("autoscaling", "v1", "Scale")
    assert schema is not None
    if not isinstance(document, dict) or document.get("kind", "Scale") != "Scale":
        raise status.bad_request("the body must be a Scale")
    document.setdefault("kind", "Scale")
    conform(document, schema)
    document.setdefault("metadata", {})
    return document


async def _set(call: Call, make: Callable[[Obj], Obj], options: WriteOptions) -> Response:
    answered: list[Obj] = []

    async def changed(stored: Stored) -> Obj:
        obj = await view.load(call.work, stored)
        scale = make(_scale_before(call, obj))
        version = scale.get("metadata", {}).get("resourceVersion")
        if version and version != obj["metadata"]["resourceVersion"]:
            raise status.stale(call.group_resource, call.name)
        _check(call, scale)
        new = _with_scale(call, obj, scale)
        answered[:] = [new]
        return new

    managed = call.resource.custom and not _is_owned(call)
    form = AdmittedForm(
        lambda obj: _scale_shown(call, obj), lambda obj, scale: _with_scale(call, obj, scale)
    )
    await replace(call, changed, options, UpdateMode(managed=managed, form=form))
    if options.dry_run:
        return output.object_response(call, _scale_of(call, answered[0]))
    return await get(call)


ENDPOINTS: dict[str, Endpoint] = {"get": get, "update": update, "patch": patch}
