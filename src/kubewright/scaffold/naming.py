"""Names of projects, groups, versions and kinds: what they may be, and what is made of them."""

import keyword
import re
import sys
import unicodedata
from difflib import get_close_matches

from kubewright.api.definition import plural_of
from kubewright.errors import ConfigError

__all__ = [
    "check_domain",
    "check_group",
    "check_kind",
    "check_plural",
    "check_project_name",
    "check_version",
    "module_name",
    "package_name",
    "suggestion_for",
]

LONGEST_NAME: int = 47
"""Services are called PROJECT-metrics-service, and may have 63 characters."""
_LONGEST_LABEL = 63
_LONGEST_DOMAIN = 200
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_VERSION = re.compile(r"v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_FOLDERS = {"bundle", "config", "dist", "grafana", "tests"}
_LIBRARIES = {
    "click", "cryptography", "httptools", "jinja2", "kubewright", "msgspec", "mypy",
    "prometheus_client", "pytest", "pytest_asyncio", "ruff", "test", "typer", "uvloop",
    "websockets", "yaml", "zstandard",
}  # fmt: skip


def module_name(text: str) -> str:
    """Return *text*, such as an API group, as the name of a module.

    Example:
        >>> module_name("rbac.authorization"), module_name("class")
        ('rbac_authorization', 'class_')
    """
    name = text.replace("-", "_").replace(".", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def package_name(project_name: str) -> str:
    """Return the name of the package of a project, which is a name that Python can import.

    Raises:
        ConfigError: The package would hide a module, or is not a name of Python.

    Example:
        >>> package_name("memcached-operator")
        'memcached_operator'
    """
    name = project_name.replace("-", "_")
    why = ""
    if keyword.iskeyword(name):
        why = "which is a word of Python's own"
    elif not name.isidentifier():
        why = "and names in Python begin with a letter"
    elif name in _FOLDERS:
        why = f"and the project has a folder {name} for something else"
    elif name in sys.stdlib_module_names or name in _LIBRARIES:
        why = "which would hide the module of that name"
    if why:
        raise ConfigError(
            f"a project {project_name!r} would have the Python package {name!r}, {why}. Choose"
            f" another name, such as --project-name {_better(project_name)}"
        )
    return name


def check_project_name(name: str) -> None:
    """Check that objects in a cluster can be called after a project *name*.

    Raises:
        ConfigError: They cannot.
    """
    better = _better(name)
    if not _LABEL.fullmatch(name):
        raise ConfigError(
            f"a project cannot be called {name!r}: objects in the cluster are called after it, so"
            " it has lower case letters, digits and dashes only, and a letter or digit at both"
            f" ends. Say --project-name {better}"
        )
    if len(name) > LONGEST_NAME:
        raise ConfigError(
            f"the project's name {name!r} has {len(name)} characters; Services are called after"
            f" it, so {LONGEST_NAME} is the most. Choose a shorter --project-name"
        )


def check_domain(domain: str) -> None:
    """Check that API groups can end with *domain*.

    Raises:
        ConfigError: They cannot.
    """
    parts = domain.split(".")
    if len(domain) > _LONGEST_DOMAIN or not all(_is_label(one) for one in parts):
        hint = domain.lower().replace("_", "-").removeprefix("https://").strip("./ ")
        good = hint if all(_is_label(one) for one in hint.split(".")) else "example.com"
        raise ConfigError(
            f"--domain: {domain!r} is not a domain: words of lower case letters, digits and dashes"
            f" with dots between them. Say, for instance, --domain {good}"
        )


def check_group(group: str, domain: str) -> None:
    """Check that *group* can be the first part of an API group in *domain*.

    Raises:
        ConfigError: It cannot.
    """
    if _is_label(group):
        return
    first, dot, rest = group.partition(".")
    if dot and _is_label(first):
        why = "the project's domain is added to it" if rest == domain else "it has a dot"
        raise ConfigError(
            f"--group: {group!r} is not the first word of an API group: {why}. Say"
            f" --group {first} for {first}.{domain}; for a kind of others, add"
            f" --external-api-domain {rest}"
        )
    raise ConfigError(
        f"--group: {group!r} cannot be part of an API group: it has lower case letters, digits and"
        f" dashes only, such as --group {_label_of(group) or 'shop'}"
    )


def check_version(version: str, option: str = "--version") -> None:
    """Check that *version*, which *option* has named, is one of an API, such as ``v1alpha1``.

    Raises:
        ConfigError: It is not.
    """
    if not _VERSION.fullmatch(version):
        digits = re.search(r"[1-9][0-9]*", version)
        near = f"v{digits[0]}" if digits else "v1"
        raise ConfigError(
            f"{option}: {version!r} is not a version of an API: those are v1, v2, v1alpha1 or"
            f" v1beta2. Say {option} {near}"
        )


def check_kind(kind: str) -> None:
    """Check that *kind* can be a kind, and a class.

    Raises:
        ConfigError: It cannot.
    """
    if not _KIND.fullmatch(kind):
        plain = unicodedata.normalize("NFKD", kind).encode("ascii", "ignore").decode()
        words = re.findall(r"[A-Za-z0-9]+", plain)
        near = "".join(word[0].upper() + word[1:] for word in words).lstrip("0123456789")
        raise ConfigError(
            f"--kind: {kind!r} is not in CamelCase, as kinds are: letters and digits, and the"
            f" first is upper case. Say --kind {near if _KIND.fullmatch(near) else 'Shop'}"
        )
    if keyword.iskeyword(kind):
        raise ConfigError(
            f"--kind: no class can be called {kind}, which is a word of Python's own. Choose"
            f" another kind, such as {kind}Check"
        )
    if len(kind) > _LONGEST_LABEL:
        raise ConfigError(f"--kind: {kind!r} has {len(kind)} characters; {_LONGEST_LABEL} at most")


def check_plural(plural: str, kind: str) -> None:
    """Check that *plural* can be the resource of *kind*.

    Raises:
        ConfigError: It cannot.
    """
    if not _is_label(plural) or plural[0].isdigit():
        raise ConfigError(
            f"--plural: {plural!r} is not a name of lower case letters and digits, such as"
            f" --plural {plural_of(kind)}"
        )


def suggestion_for(word: str, known: list[str]) -> str:
    """Return " Did you mean ...?" for the nearest of *known*, or nothing."""
    by_lower = {one.lower(): one for one in known}
    found = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=0.7)
    return f" Did you mean {by_lower[found[0]]}?" if found else ""


def _is_label(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text) is not None


def _label_of(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _better(name: str) -> str:
    """Return a name near *name* that a project can have."""
    label = _label_of(name).lstrip("0123456789-")[: LONGEST_NAME - len("-operator")].strip("-")
    return f"{label}-operator" if label else "my-operator"
