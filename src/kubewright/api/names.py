"""The rules for label keys, label values and DNS names, and explanations of bad ones.

Each ``check_…`` raises a ValueError that names the offending text and the rule it breaks. The
server has the same rules; checking here turns a 422 after a round trip into an error at the line
that built the name.
"""

import re

_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
_DNS_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN = rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*"

MAX_NAME_LENGTH = 63
MAX_SUBDOMAIN_LENGTH = 253

_NAME_RULE = (
    "letters, digits, '-', '_' and '.' are allowed, and it must begin and end with a letter or"
    " a digit"
)
_DNS_RULE = (
    "lower-case letters, digits and '-' are allowed, and it must begin and end with a letter or"
    " a digit"
)


def check_label_key(key: str) -> None:
    """Check a label key, annotation key or other qualified name: ``name`` or ``prefix/name``.

    Raises:
        ValueError: It breaks a rule.

    Example:
        >>> check_label_key("app.kubernetes.io/name")
        >>> check_label_key("-app")
        Traceback (most recent call last):
        ValueError: '-app' is not a valid key: letters, digits, ... begin and end with ...
    """
    prefix, slash, name = key.rpartition("/")
    if problem := _subdomain_problem(prefix) if slash else "":
        raise ValueError(f"{key!r} is not a valid key: the prefix before '/' is wrong: {problem}")
    if problem := _name_problem(name):
        raise ValueError(f"{key!r} is not a valid key: {problem}")


def check_label_value(value: str) -> None:
    """Check the value of a label; an empty one is fine.

    Raises:
        ValueError: It breaks a rule.
    """
    if value and (problem := _name_problem(value)):
        raise ValueError(f"{value!r} is not a valid label value: {problem}")


def check_dns_subdomain(name: str) -> None:
    """Check a name such as most objects and API groups have: ``web-0``, ``example.com``.

    Raises:
        ValueError: It breaks a rule.
    """
    if problem := _subdomain_problem(name):
        raise ValueError(f"{name!r} is not a valid name: {problem}")


def check_dns_label(name: str) -> None:
    """Check a name without dots, such as namespaces have.

    Raises:
        ValueError: It breaks a rule.
    """
    if problem := _problem(name, _DNS_LABEL, limit=MAX_NAME_LENGTH, rule=_DNS_RULE):
        raise ValueError(f"{name!r} is not a valid name: {problem}")


def _name_problem(name: str) -> str:
    return _problem(name, _NAME, limit=MAX_NAME_LENGTH, rule=_NAME_RULE)


def _subdomain_problem(name: str) -> str:
    rule = f"in each part between dots {_DNS_RULE}"
    return _problem(name, _DNS_SUBDOMAIN, limit=MAX_SUBDOMAIN_LENGTH, rule=rule)


def _problem(name: str, pattern: str, *, limit: int, rule: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > limit:
        return f"it has {len(name)} characters, and at most {limit} are allowed"
    return "" if re.fullmatch(pattern, name) else rule
