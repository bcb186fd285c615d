"""Python names for the names in a CRD: fields in snake_case, classes in CamelCase."""

import keyword
import re
from functools import cache

import msgspec

from kubewright.api.model import Model

# A field of one of these names would hide the type that later annotations in the class use; the
# last one looks like a digit, and linters refuse it.
_USED = re.compile(
    r"kw|Any|Annotated|Literal|datetime|bool|bytes|dict|float|int|list|str|\w+_v\d\w*|l"
)
_ENDS_IN_S = re.compile(r".*(ss|us|is|dns|tls|https?|alias|news|series)|.{1,3}", re.IGNORECASE)


def field_name(wire: str, owner: type[Model] = Model) -> str:
    """Return the Python name of the field *wire* for a subclass of *owner*.

    Example:
        >>> field_name("podIPs"), field_name("x-y"), field_name("class"), field_name("3d")
        ('pod_ips', 'x_y', 'class_', 'field_3d')
    """
    name = re.sub(r"([A-Z]{2,})s(?=[A-Z]|$)", lambda found: found[1].capitalize() + "s", wire)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not name or name[0].isdigit():
        name = f"field_{name}".rstrip("_")
    taken = keyword.iskeyword(name) or _USED.fullmatch(name) or hasattr(owner, name)
    return f"{name}_" if taken else name


@cache
def is_regular(name: str, wire: str) -> bool:
    """Tell whether the field *name* is called *wire* in JSON by default."""
    probe = msgspec.defstruct("Probe", [(name, int)], rename="camel")
    return probe.__struct_encode_fields__ == (wire,)


def class_name(*parts: str) -> str:
    """Return a class name made of *parts*.

    Example:
        >>> class_name("Shop", "spec", "podIPs"), class_name("3d", "x-y")
        ('ShopSpecPodIPs', 'K3dXY')
    """
    words = [word for part in parts for word in re.split(r"[^A-Za-z0-9]+", part) if word]
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"K{name}"


def item_name(owner: str) -> str:
    """Return the name of the items of the list *owner*: in the singular, as far as English is easy.

    Example:
        >>> [item_name(one) for one in ("ShopPorts", "ShopAddresses", "ShopPolicies", "ShopTls")]
        ['ShopPort', 'ShopAddress', 'ShopPolicy', 'ShopTlsItem']
    """
    word = re.split(r"(?=[A-Z])", owner)[-1]
    if _ENDS_IN_S.fullmatch(word) or not word.endswith("s"):
        return f"{owner}Item"
    if word.endswith("ies"):
        return f"{owner[:-3]}y"
    return owner[:-2] if re.search(r"(ss|x|sh|tch|nch|rch|tus|ias)es$", word) else owner[:-1]


class Names:
    """Gives out names, each only once."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def taken(self) -> frozenset[str]:
        """Return the names that were given out."""
        return frozenset(self._taken)

    def take(self, name: str) -> str:
        """Return *name*, with a number if it was given out before."""
        free, number = name, 2
        while free in self._taken:
            free, number = f"{name}{number}", number + 1
        self._taken.add(free)
        return free
