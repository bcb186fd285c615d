"""APIServices: which server serves a group and version."""

from kubewright.apiserver.builtin.fields.checks import in_range, needed, one_of, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import NameRule, Obj, Strategy, Write

_MAX_GROUP_PRIORITY, _MAX_VERSION_PRIORITY = 20000, 1000


class APIServiceStrategy(Strategy):
    """APIServices."""

    name_rule: NameRule = staticmethod(naming.path_segment)
    has_status = True

    def default(self, obj: Obj) -> None:
        """Set the port of the service; include spec and status."""
        spec = obj.setdefault("spec", {})
        spec.setdefault("groupPriorityMinimum", 0)
        spec.setdefault("versionPriority", 0)
        if (service := spec.get("service")) is not None:
            service.setdefault("port", 443)
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start as available if this server serves the version itself."""
        obj["status"] = {}
        if obj["spec"].get("service") is None:
            condition = {
                "type": "Available",
                "status": "True",
                "lastTransitionTime": write.now,
                "reason": "Local",
                "message": "Local APIServices are always available",
            }
            obj["status"] = {"conditions": [condition]}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check name, group, version and service."""
        spec = obj["spec"]
        group, version = spec.get("group") or "", spec.get("version") or ""
        name, wanted = obj["metadata"].get("name", ""), f"{version}.{group}"
        found: Errors = []
        if name != wanted:
            why = f'must be `spec.version+"."+spec.group`: "{wanted}"'
            found.append(field.invalid("metadata.name", name, why))
        if not group and version != "v1":
            why = "only v1 may have an empty group and it better be legacy kube"
            found.append(field.required("spec.group", why))
        if group:
            found += problems(naming.dns_subdomain, group, "spec.group")
        found += problems(naming.dns_label_1035, version, "spec.version")
        found += _priority(spec, "groupPriorityMinimum", _MAX_GROUP_PRIORITY)
        found += _priority(spec, "versionPriority", _MAX_VERSION_PRIORITY)
        return found + _service(spec)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the conditions."""
        found: Errors = []
        for index, item in enumerate((new.get("status") or {}).get("conditions") or ()):
            path = f"status.conditions[{index}].status"
            found += one_of(item.get("status") or "", ("True", "False", "Unknown"), path)
        return found


def _priority(spec: Obj, name: str, most: int) -> Errors:
    if 0 < spec[name] <= most:
        return []
    return [field.invalid(f"spec.{name}", spec[name], f"must be positive and less than {most}")]


def _service(spec: Obj) -> Errors:
    bundle, insecure = spec.get("caBundle") or "", bool(spec.get("insecureSkipTLSVerify"))
    service, path = spec.get("service"), "spec.insecureSkipTLSVerify"
    found: Errors = []
    if service is None:
        if bundle:
            size = len(bundle) * 3 // 4 - bundle[-2:].count("=")
            why = "local APIServices may not have a caBundle"
            found.append(field.invalid("spec.caBundle", f"{size} bytes", why))
        if insecure:
            why = "local APIServices may not have insecureSkipTLSVerify"
            found.append(field.invalid(path, True, why))
        return found
    for name in ("namespace", "name"):
        found += needed(service.get(name), f"spec.service.{name}")
    for error in in_range(service["port"], 1, 65535, ""):
        why = error.text.partition(": ")[2].partition(": ")[2]
        text = f"port is not valid: {why}"
        found.append(field.invalid("spec.service.port", service["port"], text))
    if insecure and bundle:
        found.append(field.invalid(path, True, "may not be true if caBundle is present"))
    return found
