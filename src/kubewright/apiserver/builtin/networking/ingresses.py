"""Ingresses."""

import re

from kubewright.apiserver.builtin.core.service.validation import ingress_point
from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.builtin.fields.checks import needed, one_of, port, port_name, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

CLASS: str = "kubernetes.io/ingress.class"

_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_BAD_PARTS = ("//", "/./", "/../", "%2f", "%2F")
_BAD_ENDS = ("/..", "/.")
_LABELS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_WILDCARD = re.compile(rf"\*\.{_LABELS}").fullmatch
_BAD_WILDCARD = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which"
    " must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric"
    rf" character (e.g. '*.example.com', regex used for validation is '\*\.{_LABELS}')"
)


class IngressStrategy(Strategy):
    """Ingresses."""

    has_status = True
    has_generation = True

    def default(self, obj: Obj) -> None:
        """Include spec and status even if they are empty."""
        obj.setdefault("spec", {})
        obj.setdefault("status", {}).setdefault("loadBalancer", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {"loadBalancer": {}}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check rules, backends and hosts."""
        found = _spec(obj["spec"])
        note = (obj["metadata"].get("annotations") or {}).get(CLASS)
        name = obj["spec"].get("ingressClassName")
        if note is not None and name is None:
            write.warn(
                f"annotation \"{CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"
            )
        elif note is not None and note != name:
            why = "must match `ingressClassName` when both are specified"
            found.append(field.invalid(f"annotations.{CLASS}", note, why))
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check rules, backends and hosts."""
        return _spec(new["spec"])

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Fill in the parts that a status always shows."""
        new.setdefault("status", {}).setdefault("loadBalancer", {})

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the addresses of the load balancer."""
        found: Errors = []
        points = new["status"]["loadBalancer"].get("ingress") or ()
        for index, point in enumerate(points):
            found += ingress_point(point, f"status.loadBalancer.ingress[{index}]")
        return found


def _spec(spec: Obj) -> Errors:
    rules, backend = spec.get("rules") or [], spec.get("defaultBackend")
    found: Errors = []
    if not rules and backend is None:
        why = "either `defaultBackend` or `rules` must be specified"
        found.append(field.invalid("spec", None, why))
    if backend is not None:
        found += _backend(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        found += _rule(rule, f"spec.rules[{index}]")
    for index, tls in enumerate(spec.get("tls") or ()):
        for place, host in enumerate(tls.get("hosts") or ()):
            found += _host(host, f"spec.tls[{index}].hosts[{place}]")
        if tls.get("secretName"):
            path = f"spec.tls[{index}].secretName"
            found += problems(naming.dns_subdomain, tls["secretName"], path)
    if "ingressClassName" in spec:
        name = spec["ingressClassName"]
        found += problems(naming.dns_subdomain, name, "spec.ingressClassName")
    return found


def _host(host: str, path: str) -> Errors:
    return problems(_wildcard if "*" in host else naming.dns_subdomain, host, path)


def _wildcard(value: str) -> list[str]:
    found = []
    if len(value) > naming.SUBDOMAIN_LIMIT:
        found.append(f"must be no more than {naming.SUBDOMAIN_LIMIT} characters")
    return found if _WILDCARD(value) else [*found, _BAD_WILDCARD]


def _rule(rule: Obj, path: str) -> Errors:
    found: Errors = []
    if host := rule.get("host"):
        if addresses.parse(host) is not None:
            why = "must be a DNS name, not an IP address"
            found.append(field.invalid(f"{path}.host", host, why))
        found += _host(host, f"{path}.host")
    if (http := rule.get("http")) is not None:
        paths = http.get("paths") or []
        found += needed(paths, f"{path}.http.paths")
        for index, item in enumerate(paths):
            found += _path(item, f"{path}.http.paths[{index}]")
    return found


def _path(item: Obj, path: str) -> Errors:
    kind, where = item.get("pathType"), item.get("path") or ""
    if kind is None:
        return [field.required(f"{path}.pathType", "pathType must be specified")]
    found = one_of(kind, _PATH_TYPES, f"{path}.pathType")
    strict = kind in ("Exact", "Prefix")
    if not found and not where.startswith("/") and (strict or where):
        found.append(field.invalid(f"{path}.path", where, "must be an absolute path"))
    if strict:
        bad = [f"must not contain '{part}'" for part in _BAD_PARTS if part in where]
        bad += [f"cannot end with '{end}'" for end in _BAD_ENDS if where.endswith(end)]
        found += [field.invalid(f"{path}.path", where, why) for why in bad]
    return found + _backend(item.get("backend") or {}, f"{path}.backend")


def _backend(backend: Obj, path: str) -> Errors:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        return [field.invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return _resource(resource, f"{path}.resource")
    if service is None:
        return [field.invalid(path, "", "resource or service backend is required")]
    name, found = service.get("name"), needed(service.get("name"), f"{path}.service.name")
    if name:
        found += problems(naming.dns_label, name, f"{path}.service.name")
    label = (service.get("port") or {}).get("name")
    number = (service.get("port") or {}).get("number")
    if label and number:
        found.append(field.invalid(path, "", "cannot set both port name & port number"))
    elif label:
        found += problems(port_name, label, f"{path}.service.port.name")
    elif number:
        found += port(number, f"{path}.service.port.number")
    else:
        found.append(field.required(path, "port name or number is required"))
    return found


def _resource(reference: Obj, path: str) -> Errors:
    found: Errors = []
    if reference.get("apiGroup") is not None:
        found += problems(naming.dns_subdomain, reference["apiGroup"], f"{path}.apiGroup")
    for name in ("kind", "name"):
        value, where = reference.get(name), f"{path}.{name}"
        found += needed(value, where) or problems(naming.path_segment, value, where)
    return found
