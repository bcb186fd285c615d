"""IngressClasses: which controller serves the Ingresses of a class."""

import re

from kubewright.apiserver.builtin.fields.checks import immutable, needed_segment, one_of, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_CONTROLLER_LIMIT = 250
_URL_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


class IngressClassStrategy(Strategy):
    """IngressClasses."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Set the scope of the parameters."""
        parameters = obj.setdefault("spec", {}).get("parameters")
        if parameters is not None:
            parameters.setdefault("scope", "Cluster")

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the controller and the reference to its parameters."""
        spec = obj["spec"]
        controller = spec.get("controller") or ""
        found: Errors = []
        if len(controller) > _CONTROLLER_LIMIT:
            found.append(field.too_long("spec.controller", _CONTROLLER_LIMIT))
        found += _prefixed_path(controller, "spec.controller")
        return found + _parameters(spec.get("parameters"), "spec.parameters")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the controller did not change."""
        value, before = new["spec"].get("controller"), old["spec"].get("controller")
        return immutable(value, before, "spec.controller") + self.validate(new, write)


def _prefixed_path(value: str, path: str) -> Errors:
    if not value:
        return [field.required(path)]
    host, _, rest = value.partition("/")
    if not host or not rest:
        why = 'must be a domain-prefixed path (such as "acme.io/foo")'
        return [field.invalid(path, value, why)]
    found = problems(naming.dns_subdomain, host, path)
    if not re.fullmatch(_URL_PATH, rest):
        why = f"Invalid path (regex used for validation is '{_URL_PATH}')"
        found.append(field.invalid(path, rest, why))
    return found


def _parameters(reference: Obj | None, path: str) -> Errors:
    if reference is None:
        return []
    found: Errors = []
    if "apiGroup" in reference:
        found += problems(naming.dns_subdomain, reference["apiGroup"], f"{path}.apiGroup")
    for name in ("kind", "name"):
        found += needed_segment(reference.get(name), f"{path}.{name}")
    scope, namespace = reference.get("scope"), reference.get("namespace")
    found += one_of(scope, ("Cluster", "Namespace"), f"{path}.scope")
    where, why = f"{path}.namespace", f"`parameters.scope` is set to '{scope}'"
    if scope == "Namespace" and namespace is None:
        found.append(field.required(where, why))
    elif scope == "Namespace":
        found += problems(naming.dns_label, namespace, where)
    elif scope == "Cluster" and namespace is not None:
        found.append(field.forbidden(where, why))
    return found
