"""Rules for names, labels and the like, with the texts that Kubernetes answers."""

import re

from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?").fullmatch
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?").fullmatch
_SUBDOMAIN = re.compile(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
).fullmatch
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]").fullmatch
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?").fullmatch

LABEL_LIMIT: int = 63
SUBDOMAIN_LIMIT: int = 253
ANNOTATIONS_LIMIT: int = 256 * 1024

_BAD_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must"
    " start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for"
    " validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_BAD_LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
    " alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123',"
    " regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_BAD_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.',"
    " and must start and end with an alphanumeric character (e.g. 'example.com', regex used for"
    r" validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_BAD_QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end"
    " with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
    " validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_OPTIONAL_PREFIX = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
_BAD_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.',"
    " and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or"
    " '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def _too_long(limit: int, unit: str = "characters") -> str:
    return f"must be no more than {limit} {unit}"


def dns_label(value: str) -> list[str]:
    """Return what is wrong with an RFC 1123 label, such as a namespace's name."""
    found = [_too_long(LABEL_LIMIT)] if len(value) > LABEL_LIMIT else []
    if _LABEL(value):
        return found
    return [*found, "must not contain dots" if _SUBDOMAIN(value) else _BAD_LABEL]


def dns_label_1035(value: str) -> list[str]:
    """Return what is wrong with an RFC 1035 label, such as a service's name."""
    found = [_too_long(LABEL_LIMIT)] if len(value) > LABEL_LIMIT else []
    return found if _LABEL_1035(value) else [*found, _BAD_LABEL_1035]


def dns_subdomain(value: str) -> list[str]:
    """Return what is wrong with an RFC 1123 subdomain, as most names are."""
    found = [_too_long(SUBDOMAIN_LIMIT)] if len(value) > SUBDOMAIN_LIMIT else []
    return found if _SUBDOMAIN(value) else [*found, _BAD_SUBDOMAIN]


def path_segment(value: str) -> list[str]:
    """Return what is wrong with a name that only has to fit into a path, such as a role's."""
    if value in (".", ".."):
        return [f"may not be '{value}'"]
    return [f"may not contain '{bad}'" for bad in "/%" if bad in value]


def qualified_name(value: str) -> list[str]:
    """Return what is wrong with a label's key: ``[prefix/]name``."""
    prefix, slash, name = value.rpartition("/")
    if value.count("/") > 1:
        return [f"a qualified name {_BAD_QUALIFIED.removeprefix('name part ')}{_OPTIONAL_PREFIX}"]
    found = []
    if slash and not prefix:
        found.append("prefix part must be non-empty")
    elif slash:
        found += [f"prefix part {problem}" for problem in dns_subdomain(prefix)]
    if not name:
        found.append("name part must be non-empty")
    elif len(name) > LABEL_LIMIT:
        found.append(f"name part {_too_long(LABEL_LIMIT, 'bytes')}")
    return found if _QUALIFIED(name) else [*found, _BAD_QUALIFIED]


def label_value(value: str) -> list[str]:
    """Return what is wrong with a label's value."""
    found = [_too_long(LABEL_LIMIT, "bytes")] if len(value) > LABEL_LIMIT else []
    return found if _VALUE(value) else [*found, _BAD_VALUE]


def labels(found: dict[str, str], path: str) -> Errors:
    """Return what is wrong with a map of labels."""
    errors: Errors = []
    for key, value in found.items():
        errors += [field.invalid(path, key, problem) for problem in qualified_name(key)]
        errors += [field.invalid(path, value, problem) for problem in label_value(value)]
    return errors


def annotations(found: dict[str, str], path: str) -> Errors:
    """Return what is wrong with a map of annotations."""
    errors: Errors = []
    size = 0
    for key, value in found.items():
        errors += [field.invalid(path, key, problem) for problem in qualified_name(key.lower())]
        size += len(key.encode()) + len(value.encode())
    if size > ANNOTATIONS_LIMIT:
        errors.append(field.too_long(path, ANNOTATIONS_LIMIT))
    return errors
