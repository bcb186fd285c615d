"""The ``dnsConfig`` of a pod."""

import re

from kubewright.apiserver.builtin.fields.addresses import address
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.naming import SUBDOMAIN_LIMIT
from kubewright.apiserver.registry.strategy import Obj

_MAX_SERVERS = 3
_MAX_SEARCHES = 32
_MAX_CHARACTERS = 2048
_FORM = r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*"
_DOMAIN = re.compile(_FORM).fullmatch
_BAD_DOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or"
    " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used"
    f" for validation is '{_FORM}')"
)


def validate_dns(config: Obj | None, policy: str, path: str) -> Errors:
    """Return what is wrong with a ``dnsConfig``; the *policy* ``None`` requires one."""
    servers = (config or {}).get("nameservers") or []
    if policy == "None" and config is None:
        return [field.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
    if policy == "None" and not servers:
        text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        return [field.required(f"{path}.nameservers", text)]
    if config is None:
        return []
    errors: Errors = []
    if len(servers) > _MAX_SERVERS:
        text = f"must not have more than {_MAX_SERVERS} nameservers"
        errors.append(field.invalid(f"{path}.nameservers", servers, text))
    for i, server in enumerate(servers):
        errors += address(server, f"{path}.nameservers[{i}]")
    errors += _searches(config.get("searches") or [], f"{path}.searches")
    return errors + [
        field.required(f"{path}.options[{i}]", "must not be empty")
        for i, option in enumerate(config.get("options") or ())
        if not option.get("name")
    ]


def _searches(searches: list[str], path: str) -> Errors:
    errors: Errors = []
    if len(searches) > _MAX_SEARCHES:
        text = f"must not have more than {_MAX_SEARCHES} search paths"
        errors.append(field.invalid(path, searches, text))
    if len(" ".join(searches)) > _MAX_CHARACTERS:
        text = f"must not have more than {_MAX_CHARACTERS} characters (including spaces)"
        text += " in the search list"
        errors.append(field.invalid(path, searches, text))
    for i, search in enumerate(searches):
        errors += _search(search.removesuffix("."), f"{path}[{i}]") if search != "." else []
    return errors


def _search(domain: str, path: str) -> Errors:
    errors: Errors = []
    if len(domain) > SUBDOMAIN_LIMIT:
        text = f"must be no more than {SUBDOMAIN_LIMIT} characters"
        errors.append(field.invalid(path, domain, text))
    return errors if _DOMAIN(domain) else [*errors, field.invalid(path, domain, _BAD_DOMAIN)]
