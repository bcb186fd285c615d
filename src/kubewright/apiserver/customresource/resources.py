"""The resources that a CustomResourceDefinition adds to the server, one for each version."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from kubewright.apiserver.customresource.columns import columns_of
from kubewright.apiserver.customresource.conversion import CallError, Converter, set_version
from kubewright.apiserver.customresource.definition import has_condition, storage_version
from kubewright.apiserver.customresource.strategy import CustomResourceStrategy
from kubewright.apiserver.meta.names import api_version, version_rank
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.default import copy, default
from kubewright.apiserver.schema.prune import fit
from kubewright.apiserver.schema.tree import Schema

if TYPE_CHECKING:
    from kubewright.apiserver.admission.webhook_client import WebhookClient

VERBS: tuple[str, ...] = (
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
)
_VERBS_AT_THE_END = ("delete", "deletecollection", "get", "list", "watch")
_SUBRESOURCE_VERBS = ["get", "patch", "update"]


def served_resources(definition: Obj, client: "Callable[[], WebhookClient]") -> list[Resource]:
    """Return one resource for each version of an established definition, with conversion.

    Args:
        definition: A CustomResourceDefinition.
        client: Returns the webhook client; called only when a conversion needs it.
    """
    resources = resources_of(definition)
    shapes = {resource.version: resource.schema for resource in resources}

    async def ask(client_config: Obj, review: Obj, timeout: float) -> Obj:
        from kubewright.apiserver.admission.webhook_client import WebhookError

        try:
            answer: Obj = await client().call(client_config, review, timeout=timeout)
        except WebhookError as error:
            raise CallError(str(error)) from error
        return answer

    converter = Converter(definition, ask, lambda version: shapes[version]())
    for resource in resources:
        resource.to_hub = resource.from_hub = None
        resource.asks_webhook = converter.asks
        resource.read = _reader(resource, converter, shapes)
        resource.write = _writer(resource, converter, shapes[resource.hub])
    return resources


def _reader(
    resource: Resource, converter: Converter, shapes: dict[str, Callable[[], Schema]]
) -> Callable[[list[Obj]], Awaitable[list[Obj]]]:
    async def read(objects: list[Obj]) -> list[Obj]:
        several = len(objects) > 1
        for obj in objects:
            # Kubernetes applies the defaults of the stored version, not of the requested one.
            if stored := shapes.get(obj["apiVersion"].rpartition("/")[2]):
                fit(obj, stored())
                default(obj, stored())
        converted = await converter.convert(objects, resource.version, is_list=several)
        schema = resource.schema()
        for obj in converted:
            fit(obj, schema)
        return converted

    return read


def _writer(
    resource: Resource, converter: Converter, shape: Callable[[], Schema]
) -> Callable[[Obj], Awaitable[Obj]] | None:
    if resource.version == resource.hub:
        return None

    async def write(obj: Obj) -> Obj:
        (converted,) = await converter.convert([copy(obj)], resource.hub)
        # Reads apply these defaults, so the object may as well be stored with them.
        fit(converted, shape())
        default(converted, shape())
        return converted

    return write


def resources_of(crd: Obj) -> list[Resource]:
    """Return the resources of an established definition; versions not served have no verbs."""
    return [_resource(crd, version) for version in crd["spec"]["versions"]]


def _resource(crd: Obj, version: Obj) -> Resource:
    spec = crd["spec"]
    names = {**spec["names"], **((crd.get("status") or {}).get("acceptedNames") or {})}
    strategy = CustomResourceStrategy(crd, version)
    hub = storage_version(crd)
    resource = Resource(
        group=spec["group"],
        version=version["name"],
        plural=names["plural"],
        kind=names["kind"],
        namespaced=spec["scope"] == "Namespaced",
        hub=hub,
        schema=lambda: strategy.schema,
        make_strategy=lambda: strategy,
        singular=names.get("singular") or names["kind"].lower(),
        list_kind=names.get("listKind") or "",
        verbs=_verbs(crd, version),
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=_subresources(crd, version, names["kind"]),
        custom=True,
        columns=columns_of(version),
        scale_paths=strategy.scale,
        warning=_warning(spec, version),
    )
    if version["name"] != hub and spec["conversion"]["strategy"] == "None":
        target = api_version(spec["group"], hub)
        resource.to_hub = lambda obj: set_version(obj, target)
        resource.from_hub = lambda obj: set_version(obj, strategy.api_version)
    return resource


def _verbs(crd: Obj, version: Obj) -> tuple[str, ...]:
    if not version.get("served"):
        return ()
    return _VERBS_AT_THE_END if has_condition(crd, "Terminating") else VERBS


def _subresources(crd: Obj, version: Obj, kind: str) -> dict[str, Obj]:
    subresources = version.get("subresources") or {}
    own = {"group": crd["spec"]["group"], "version": version["name"], "kind": kind}
    found: dict[str, Obj] = {}
    if subresources.get("status") is not None:
        found["status"] = _subresource("status", own)
    if subresources.get("scale") is not None:
        scale = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
        found["scale"] = _subresource("scale", scale)
    return found


def _subresource(name: str, kind: Obj) -> Obj:
    return {"subresource": name, "responseKind": kind, "verbs": _SUBRESOURCE_VERBS}


def _warning(spec: Obj, version: Obj) -> str:
    """Return the warning about a deprecated version; empty for others."""
    if not version.get("deprecated"):
        return ""
    if version.get("deprecationWarning"):
        return str(version["deprecationWarning"])
    group, kind, name = spec["group"], spec["names"]["kind"], version["name"]
    text = f"{group}/{name} {kind} is deprecated"
    better = [
        each["name"]
        for each in spec["versions"]
        if each.get("served")
        and not each.get("deprecated")
        and version_rank(each["name"]) > version_rank(name)
    ]
    return f"{text}; use {group}/{max(better, key=version_rank)} {kind}" if better else text
