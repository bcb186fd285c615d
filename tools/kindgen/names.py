"""How definitions and properties are called in Python."""

import keyword
import re
from functools import cache

import msgspec
from tools.kindgen.facts import ALIASES, EXTENSIONS, SCALARS

# Names that annotations use: a field of that name would hide them from the fields below it.
RESERVED = {*SCALARS.values(), "bytes", "list", "dict"}

_WORDS = re.compile(
    r"[A-Z]{2,}s(?![a-z])"  # IPs, URLs, CIDRs
    r"|[A-Z]+(?=V[0-9])"  # the API of APIV3
    r"|[A-Z]+(?![a-z])[0-9]*"  # ID, PKCS10, V1
    r"|[A-Z]?[a-z0-9]+"
)


class InputError(Exception):
    """What was given cannot be turned into classes."""


@cache
def snake(wire: str) -> str:
    """Return what a Python person calls the property *wire*.

    Example:
        >>> snake("podIPs"), snake("openAPIV3Schema"), snake("from"), snake("$ref")
        ('pod_ips', 'open_api_v3_schema', 'from_', 'ref')
    """
    name = "_".join(word.lower() for word in _WORDS.findall(wire))
    if not name:
        raise InputError(f"cannot name the property {wire!r} in Python")
    return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else name


@cache
def camel(name: str) -> str:
    """Return the property that a `Model` makes of the field *name* by itself."""
    made = msgspec.defstruct("Named", [(name, int)], rename="camel")
    return made.__struct_encode_fields__[0]


def module_of(name: str) -> str:
    """Return the module of a definition within ``kubewright.kinds``.

    Example:
        >>> module_of("io.k8s.api.core.v1.Pod")
        'core.v1'
        >>> module_of("io.k8s.apimachinery.pkg.version.Info")
        'version'
    """
    if name in ALIASES and not name.startswith(EXTENSIONS):
        return "meta.v1"
    group, version = name.replace("-", "_").split(".")[-3:-1]
    return f"{group}.{version}" if re.match(r"v[0-9]", version) else version


def short(name: str) -> str:
    """Return the name of the class of a definition."""
    return name.rpartition(".")[2]
