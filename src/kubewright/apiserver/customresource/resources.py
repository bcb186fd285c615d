"""What a definition adds to the server: one resource for each of its versions."""

from kubewright.apiserver.customresource.columns import columns_of
from kubewright.apiserver.customresource.conversion import set_version
from kubewright.apiserver.customresource.definition import has_condition, storage_version
from kubewright.apiserver.customresource.strategy import CustomResourceStrategy
from kubewright.apiserver.meta.names import api_version, version_rank
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj

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
    """Return the warning about a version that is on its way out."""
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
