"""What a resource class declares besides its fields: names, columns, subresources."""

from typing import Literal

import msgspec

from kubewright.api.kind import RESTMapping

ColumnType = Literal["string", "integer", "number", "boolean", "date"]


class Column(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A column that ``kubectl get`` prints.

    Example:
        >>> Column("Phase", ".status.phase").type
        'string'
    """

    name: str
    json_path: str = msgspec.field(name="jsonPath")
    type: ColumnType = msgspec.field(default_factory=lambda: "string")
    description: str | None = None
    format: str | None = None
    priority: int = 0


class Scale(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Where the ``scale`` subresource finds its numbers; ``kubectl scale`` then works."""

    spec_replicas_path: str = msgspec.field(default_factory=lambda: ".spec.replicas")
    status_replicas_path: str = msgspec.field(default_factory=lambda: ".status.replicas")
    label_selector_path: str | None = None


class Definition(msgspec.Struct, frozen=True):
    """The arguments of `resource` for a class; `kubewright.crd` turns them into a CRD."""

    mapping: RESTMapping
    singular: str = ""
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    scale: Scale | None = None
    status_subresource: bool | None = None
    storage: bool = True
    served: bool = True
    deprecated: bool = False
    deprecation_warning: str | None = None
    selectable_fields: tuple[str, ...] = ()
    annotations: dict[str, str] = {}
    labels: dict[str, str] = {}
    builtin: bool = False


def plural_of(kind: str) -> str:
    """Return the plural of *kind* as Kubernetes forms it.

    Example:
        >>> plural_of("NetworkPolicy"), plural_of("Ingress"), plural_of("Gateway")
        ('networkpolicies', 'ingresses', 'gateways')
    """
    word = kind.lower()
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    return word + "s"
