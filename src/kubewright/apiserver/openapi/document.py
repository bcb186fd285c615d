"""Makes OpenAPI documents from resources."""

from collections.abc import Iterable, Iterator
from typing import Any

from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.schema import definitions

Json = dict[str, Any]

OBJECT_META: str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
LIST_META: str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"
DELETE_OPTIONS: str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
STRATEGIC: str = "application/strategic-merge-patch+json"
PATCHES: tuple[str, ...] = (
    "application/json-patch+json",
    "application/merge-patch+json",
    STRATEGIC,
    "application/apply-patch+yaml",
)
WRITE: tuple[str, ...] = ("pretty", "dryRun", "fieldManager", "fieldValidation")
LIST: tuple[str, ...] = (
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "pretty",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
)
REMOVE: tuple[str, ...] = ("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy")
TYPES: dict[str, str] = {
    "allowWatchBookmarks": "boolean",
    "force": "boolean",
    "gracePeriodSeconds": "integer",
    "limit": "integer",
    "orphanDependents": "boolean",
    "sendInitialEvents": "boolean",
    "timeoutSeconds": "integer",
    "watch": "boolean",
}
# HTTP method, verb, action, parameters; first for collections, then for objects.
COLLECTION: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("get", "list", "list", LIST),
    ("post", "create", "post", WRITE),
    ("delete", "deletecollection", "deletecollection", (*LIST[1:], *REMOVE)),
)
OBJECT: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("get", "get", "get", ("pretty",)),
    ("put", "update", "put", WRITE),
    ("patch", "patch", "patch", (*WRITE, "force")),
    ("delete", "delete", "delete", REMOVE),
)


def schema_name(resource: Resource) -> str:
    """Return the name of the definition of a kind."""
    if resource.custom:
        reverse = ".".join(reversed(resource.group.split(".")))
        return f"{reverse}.{resource.version}.{resource.kind}"
    return definitions.kinds()[resource.group, resource.version, resource.kind]


def version2(registry: Registry) -> Json:
    """Return the OpenAPI v2 document about everything."""
    known: Json = dict(definitions.document()["definitions"])
    paths: Json = {}
    for versions in registry.groups.values():
        for resources in versions.values():
            for resource in resources.values():
                if resource.custom:
                    known |= _custom(resource, old=True)
                paths |= _paths(resource, old=True)
    info = {"title": "Kubernetes", "version": "v1.37.0"}
    return {"swagger": "2.0", "info": info, "paths": paths, "definitions": known}


def version3(resources: Iterable[Resource]) -> Json:
    """Return the OpenAPI v3 document of one group and version."""
    found = list(resources)
    schemas: Json = {}
    paths: Json = {}
    for resource in found:
        if resource.custom:
            schemas |= _custom(resource)
            _collect(OBJECT_META, schemas)
            _collect(LIST_META, schemas)
        elif (name := _builtin_name(resource)) is not None:
            _collect(name, schemas)
        paths |= _paths(resource, old=False)
    _collect(DELETE_OPTIONS, schemas)
    info = {"title": "Kubernetes", "version": "v1.37.0"}
    components = {"schemas": {name: _converted(schemas[name]) for name in sorted(schemas)}}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": components}


def _builtin_name(resource: Resource) -> str | None:
    return definitions.kinds().get((resource.group, resource.version, resource.kind))


def _collect(name: str, into: Json) -> None:
    """Add a definition and all definitions that it refers to."""
    if name in into:
        return
    into[name] = found = definitions.document()["definitions"][name]
    for reference in _references(found):
        _collect(reference.removeprefix(definitions.PREFIX), into)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str):
            yield target
        for value in node.values():
            yield from _references(value)


def _converted(node: Any) -> Any:
    """Convert a v2 schema to v3: references, and the keywords beside them."""
    if isinstance(node, list):
        return [_converted(item) for item in node]
    if not isinstance(node, dict):
        return node
    target = node.get("$ref")
    if not isinstance(target, str):
        return {key: _converted(value) for key, value in node.items()}
    reference = {"$ref": target.replace(definitions.PREFIX, "#/components/schemas/")}
    rest = {key: value for key, value in node.items() if key != "$ref"}
    return {"allOf": [reference], **rest} if rest else reference


def _custom(resource: Resource, *, old: bool = False) -> Json:
    source = dict(resource.schema().source)
    if old and source.get("x-kubernetes-preserve-unknown-fields"):
        # In v2, kubectl takes a schema with properties to forbid all other fields.
        bare = {"type": "object", "x-kubernetes-group-version-kind": [_gvk(resource)]}
        return {**_custom(resource), schema_name(resource): bare}
    metadata = {"$ref": definitions.PREFIX + OBJECT_META}
    own = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": metadata}
    source["type"] = "object"
    source["properties"] = {**source.get("properties", {}), **own}
    source["x-kubernetes-group-version-kind"] = [_gvk(resource)]
    name = schema_name(resource)
    reference = {"$ref": definitions.PREFIX + name}
    listed = {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "items": {"type": "array", "items": reference},
            "kind": {"type": "string"},
            "metadata": {"$ref": definitions.PREFIX + LIST_META},
        },
        "x-kubernetes-group-version-kind": [{**_gvk(resource), "kind": resource.list_kind}],
    }
    return {name: source, f"{name}List": listed}


def _gvk(resource: Resource) -> Json:
    return {"group": resource.group, "version": resource.version, "kind": resource.kind}


def _paths(resource: Resource, *, old: bool) -> Json:
    root = f"/apis/{resource.group}" if resource.group else "/api"
    inside = "/namespaces/{namespace}" if resource.namespaced else ""
    collection = f"{root}/{resource.version}{inside}/{resource.plural}"
    found: Json = {}
    if methods := _methods(resource, COLLECTION, resource.verbs, old=old):
        found[collection] = _with_parameters(methods, resource, named=False, old=old)
    if methods := _methods(resource, OBJECT, resource.verbs, old=old):
        found[f"{collection}/{{name}}"] = _with_parameters(methods, resource, named=True, old=old)
    if resource.namespaced and "list" in resource.verbs:
        everywhere = f"{root}/{resource.version}/{resource.plural}"
        found[everywhere] = {"get": _operation(resource, "list", LIST, old=old)}
    for name, entry in resource.subresources.items():
        methods = _methods(resource, OBJECT, entry.get("verbs", ()), old=old)
        if methods:
            path = f"{collection}/{{name}}/{name}"
            found[path] = _with_parameters(methods, resource, named=True, old=old)
    return found


def _methods(resource: Resource, rows: tuple[Any, ...], verbs: Iterable[str], *, old: bool) -> Json:
    allowed = set(verbs)
    return {
        method: _operation(resource, action, parameters, old=old)
        for method, verb, action, parameters in rows
        if verb in allowed
    }


def _with_parameters(methods: Json, resource: Resource, *, named: bool, old: bool) -> Json:
    names = (["name"] if named else []) + (["namespace"] if resource.namespaced else [])
    shared = [_parameter(name, "path", old=old) for name in names]
    return {**methods, "parameters": shared} if shared else methods


def _operation(resource: Resource, action: str, parameters: tuple[str, ...], *, old: bool) -> Json:
    listed = [_parameter(name, "query", old=old) for name in parameters]
    group = resource.group.partition(".")[0].capitalize() or "Core"
    found: Json = {
        "operationId": f"{action}{group}{resource.version.capitalize()}{resource.kind}",
        "parameters": listed,
        "responses": {"200": {"description": "OK"}, "401": {"description": "Unauthorized"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _gvk(resource),
    }
    if action in ("post", "put", "patch"):
        _add_body(found, resource, action, old=old)
    if not old:
        _add_answer(found, resource, action)
    return found


def _schema(resource: Resource, *, listed: bool = False) -> Json:
    try:
        name = schema_name(resource)
    except KeyError:
        return {"type": "object"}
    suffix = "List" if listed else ""
    return {"$ref": f"#/components/schemas/{name}{suffix}"}


def _add_body(operation: Json, resource: Resource, action: str, *, old: bool) -> None:
    media: tuple[str, ...] = ("*/*",)
    if action == "patch":
        # kubectl picks from these types, and custom resources have no strategic merge patch.
        media = tuple(one for one in PATCHES if not (resource.custom and one == STRATEGIC))
    if old:
        operation["consumes"] = list(media)
        body = {"name": "body", "in": "body", "required": True, "schema": {"type": "object"}}
        operation["parameters"].append(body)
        return
    schema = {"type": "object"} if action == "patch" else _schema(resource)
    operation["requestBody"] = {"content": {one: {"schema": schema} for one in media}}


def _add_answer(operation: Json, resource: Resource, action: str) -> None:
    # Lists of built-in kinds are left out: no client needs them, and they double the document.
    schema: Json = {"type": "object"}
    if action == "list" and resource.custom:
        schema = _schema(resource, listed=True)
    elif action in ("get", "post", "put", "patch"):
        schema = _schema(resource)
    content = {"application/json": {"schema": schema}}
    operation["responses"]["200"] = {"description": "OK", "content": content}


def _parameter(name: str, place: str, *, old: bool) -> Json:
    kind = TYPES.get(name, "string")
    found: Json = (
        {"name": name, "in": place, "uniqueItems": True} if old else {"name": name, "in": place}
    )
    if place == "path":
        found["required"] = True
    return {**found, "type": kind} if old else {**found, "schema": {"type": kind}}
