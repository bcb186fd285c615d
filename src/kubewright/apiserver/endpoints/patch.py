"""Patch: a change instead of a whole object, in four formats."""

from typing import Any

import msgspec

from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints import commit
from kubewright.apiserver.endpoints.create import into_work, store_new
from kubewright.apiserver.endpoints.update import UpdateMode, check_name, replace
from kubewright.apiserver.fieldmanager import manager as fieldmanager
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.patch import gotext, json_patch, merge, strategic
from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.duplicates import duplicate_fields, repeats, strict_problems
from kubewright.apiserver.storage import Stored
from kubewright.apiserver.wire import bodies
from kubewright.apiserver.wire.options import WriteOptions, write_options
from kubewright.apiserver.wire.request import Response

JSON: str = "application/json-patch+json"
MERGE: str = "application/merge-patch+json"
STRATEGIC: str = "application/strategic-merge-patch+json"
APPLY: str = "application/apply-patch+yaml"


async def patch(call: Call) -> Response:
    """Change an object, or its subresource; apply creates it if it is not there."""
    media = bodies.media_type(call.request)
    offered = (JSON, MERGE, APPLY) if call.resource.custom else (JSON, MERGE, STRATEGIC, APPLY)
    if media not in offered:
        raise status.unsupported_media_type(offered)
    options = write_options(call.query, "PatchOptions")
    if media == APPLY:
        return await _apply(call, options)
    if options.force:
        error = field.forbidden("force", "may not be specified for non-apply patch")
        raise status.invalid(GroupKind("meta.k8s.io", "PatchOptions"), "", [error])
    body = call.request.body
    change = json_patch.decode(body) if media == JSON else _parsed(body, media)
    in_patch = [] if options.field_validation == "Ignore" else _patch_problems(body, change, media)

    async def make(stored: Stored) -> Obj:
        base = await view.load(call.resource, stored)

        def work() -> Obj:
            result = _patched(call, media, base, change)
            return into_work(call, _checked(call, result, options, in_patch))

        return await call.run(work, size=stored.size)

    return await replace(call, make, options)


def _patch_problems(body: bytes, change: Any, media: str) -> list[str]:
    """Return what is wrong with the patch itself: unknown keys, and keys given twice."""
    repeated = repeats(body, change)
    if media != JSON:
        return [f'duplicate field "{path}"' for path in duplicate_fields(body)] if repeated else []
    unknown = json_patch.unknown_fields(change)
    if repeated:
        found = strict_problems(body, unknown, custom=False)
    else:
        found = [f'unknown field "{path}"' for path in unknown]
    return [f"json patch {text}" for text in found]


def _parsed(body: bytes, media: str) -> Any:
    try:
        return bodies.parse_json(body)
    except status.StatusError as error:
        problem = error.message.partition("json parse error: ")[2]
        raise _undecodable(problem, media) from None


def _undecodable(problem: str, media: str) -> status.StatusError:
    prefix = "" if media == STRATEGIC else "error decoding patch: "
    return status.bad_request(f"{prefix}{problem}")


def _patched(call: Call, media: str, base: Obj, change: Any) -> Any:
    if media == JSON:
        return json_patch.apply(base, change)
    if not isinstance(change, dict):
        sort = bodies.json_type(change)
        problem = f"json: cannot unmarshal {sort} into Go value of type map[string]interface {{}}"
        raise _undecodable(problem, media)
    if media == MERGE:
        return merge.apply(base, change)
    return strategic.apply(base, change, call.resource.schema())


def _checked(call: Call, result: Any, options: WriteOptions, in_patch: list[str]) -> Obj:
    """Return the patched object, cut to its schema, still of its kind, name and namespace."""
    resource = call.resource
    try:
        obj = bodies.typed(result, resource)
        unknown, _ = bodies.cut(obj, resource)
    except status.StatusError as error:
        if error.code != 400:  # noqa: PLR2004  # not an object at all
            raise
        why = error.message
        if resource.custom:
            why = why.partition(" cannot be handled as a ")[2].partition(": ")[2]
            if not why:
                raise
        raise _invalid_patch(call, result, why) from None
    check_name(call, obj)
    problems = in_patch + [f'unknown field "{path}"' for path in unknown]
    if problems and options.field_validation != "Ignore":
        if options.field_validation == "Strict":
            why = f"strict decoding error: {', '.join(problems)}"
            raise _invalid_patch(call, result, why)
        bodies.warn(call, problems)
    return obj


def _invalid_patch(call: Call, result: Any, why: str) -> status.StatusError:
    """Return the refusal, which shows a strategic patch as Go does, and what the others made."""
    if call.resource.group_resource == field.SECRETS:
        shown = field.REDACTED  # it contains stored data that the user may not read
    elif bodies.media_type(call.request) == STRATEGIC:
        shown = gotext.shown(bodies.parse_json(call.request.body))
    else:
        shown = msgspec.json.encode(result).decode()
    return status.invalid(GroupKind("", ""), "", [field.invalid("patch", shown, why)])


async def _apply(call: Call, options: WriteOptions) -> Response:
    if not options.field_manager:
        error = field.required("fieldManager", "is required for apply patch")
        raise status.invalid(GroupKind("meta.k8s.io", "PatchOptions"), "", [error])
    config = await call.run(lambda: _configuration(call, options))
    found = call.backend.store.find(call.storage, call.namespace, call.name)
    if found is None:
        return await _apply_new(call, config, options)

    async def make(stored: Stored) -> Obj:
        live = await view.load(call.resource, stored)
        return await call.run(
            lambda: into_work(call, _applied(call, live, config, options)), size=stored.size
        )

    return await replace(call, make, options, UpdateMode(managed=True))


async def _apply_new(call: Call, config: Obj, options: WriteOptions) -> Response:
    if call.subresource:
        raise status.not_found(call.group_resource, call.name)
    if uid := config["metadata"].get("uid"):
        why = (
            f"uid mismatch: the provided object specified uid {uid}, and no existing object was"
            " found"
        )
        raise status.conflict(call.group_resource, call.name, why)
    if config["metadata"].get("resourceVersion"):
        raise status.not_found(call.group_resource, call.name)
    obj = await call.run(lambda: into_work(call, _applied(call, None, config, options)))
    return await store_new(call, obj, options, managed=True)


def _configuration(call: Call, options: WriteOptions) -> Obj:
    """Return the applied configuration; it must name its kind, and have the name of the URL."""
    repeated: list[str] | None = None if options.field_validation == "Ignore" else []
    document = bodies.parse_yaml(call.request.body, repeated)
    if repeated:
        problem = f"error converting YAML to JSON: {bodies.yaml_problem(repeated)}"
        if options.field_validation == "Strict":
            raise status.bad_request(f"error strict decoding YAML: {problem}")
        bodies.warn(call, [problem])
    if not isinstance(document, dict):
        raise status.bad_request(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot"
            f" unmarshal {bodies.json_type(document)} into Go value of type"
            " map[string]interface {}"
        )
    kind, version = document.get("kind") or "", document.get("apiVersion") or "/"
    if (kind, version) != (call.resource.kind, call.resource.api_version):
        raise status.bad_request(f"invalid object type: {version}, Kind={kind}")
    meta = document.setdefault("metadata", {})
    if not isinstance(meta, dict):
        raise status.bad_request("error decoding YAML: metadata is not an object")
    meta.setdefault("name", call.name)
    placed = "namespace" in meta
    check_name(call, document)
    if not placed:  # messages show what was sent, and a manager owns nothing else
        meta.pop("namespace", None)
    return document


def _applied(call: Call, live: Obj | None, config: Obj, options: WriteOptions) -> Obj:
    resource = call.resource
    merged = fieldmanager.applied(
        live,
        config,
        schema=resource.schema(),
        api_version=resource.api_version,
        kind=resource.kind,
        manager=options.field_manager,
        force=options.force,
        subresource=call.subresource,
        now=call.backend.now(),
        strip=commit.reset_fields(call),
        convert=commit.converter(call, resource),
    )
    bodies.cut(merged, resource)
    return merged
