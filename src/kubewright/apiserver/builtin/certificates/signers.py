"""Names of signers, such as ``example.com/signer-name``."""

from collections.abc import Callable

from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors

_LEGACY = "kubernetes.io/legacy-unknown"


def signer_name(name: str, path: str) -> Errors:
    """Return what is wrong with the name of a signer."""
    if not name:
        return [field.required(path)]
    if name == _LEGACY:
        why = "the legacy signerName is not allowed via this API version"
        return [field.invalid(path, name, why)]
    domain, slash, rest = name.partition("/")
    if not slash or "/" in rest:
        why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        return [field.invalid(path, name, why)]
    found: Errors = []
    if len(domain) > naming.SUBDOMAIN_LIMIT:
        found.append(field.too_long(path, naming.SUBDOMAIN_LIMIT))
    found += _labels(domain, naming.dns_label, path)
    if "." not in domain:
        why = "should be a domain with at least two segments separated by dots"
        found.append(field.invalid(path, domain, why))
    return found + _labels(rest, naming.dns_subdomain, path)


def _labels(name: str, rule: Callable[[str], list[str]], path: str) -> Errors:
    for label in name.split("."):
        if problems := rule(label):
            why = f"validating label {field.quoted(label)}: "
            return [field.invalid(path, name, why + problem) for problem in problems]
    return []
