"""Kubernetes operators in Python: typed objects, a client for any API server, CRDs from classes.

    >>> import kubewright as kw
    >>> class ShopSpec(kw.Model):
    ...     size: int = 1

Names are loaded when they are first used, so that ``import kubewright`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubewright.api import (
        Column,
        Condition,
        Duration,
        FieldSelector,
        GroupVersionKind,
        IntOrString,
        LabelSelector,
        LabelSelectorRequirement,
        Model,
        ObjectKey,
        ObjectMeta,
        OwnerReference,
        Quantity,
        Resource,
        Scale,
        Scheme,
        Selector,
        Unstructured,
        add_finalizer,
        controller_of,
        field,
        find_condition,
        has_finalizer,
        is_condition_true,
        owner_reference,
        parse_quantity,
        remove_finalizer,
        set_condition,
        set_controller_reference,
        set_owner_reference,
    )
    from kubewright.api.resource import (
        resource,
    )
    from kubewright.client import (
        Client,
        Config,
        EventRecorder,
        LeaseLock,
        Watch,
        WatchEvent,
        retry_on_conflict,
        wait_for,
    )
    from kubewright.crd import (
        AtLeastOneOf,
        AtMostOneOf,
        Default,
        Description,
        EmbeddedResource,
        EnumValues,
        ExactlyOneOf,
        Example,
        ExclusiveMaximum,
        ExclusiveMinimum,
        ExternalDocs,
        Format,
        Immutable,
        Int32,
        Int64,
        Items,
        ListMapKey,
        ListType,
        MapType,
        Maximum,
        MaxItems,
        MaxLength,
        MaxProperties,
        Minimum,
        MinItems,
        MinLength,
        MinProperties,
        MultipleOf,
        Nullable,
        Optional,
        Pattern,
        PreserveUnknownFields,
        Required,
        Rule,
        Schema,
        Schemaless,
        SchemaPatch,
        StructType,
        Title,
        Type,
        UniqueItems,
        XIntOrString,
        rules,
    )
    from kubewright.errors import (
        AlreadyExistsError,
        AlreadyOwnedError,
        APIError,
        BadRequestError,
        ConfigError,
        ConflictError,
        DecodeError,
        ForbiddenError,
        GoneError,
        InvalidError,
        KubewrightError,
        LifecycleError,
        NoMatchError,
        NotFoundError,
        SchemaError,
        SchemeError,
        ServerError,
        TerminalError,
        TooManyRequestsError,
        TransportError,
        TransportTimeoutError,
        UnauthorizedError,
    )

_PACKAGES = {
    "api": """
        Column Condition Duration FieldSelector GroupVersionKind IntOrString LabelSelector
        LabelSelectorRequirement Model ObjectKey ObjectMeta OwnerReference Quantity Resource
        Scale Scheme Selector Unstructured add_finalizer controller_of field find_condition
        has_finalizer is_condition_true owner_reference parse_quantity remove_finalizer
        set_condition set_controller_reference set_owner_reference
    """,
    # `kubewright.api` cannot export it: its module of the same name would be hidden.
    "api.resource": """
        resource
    """,
    "client": """
        Client Config EventRecorder LeaseLock Watch WatchEvent retry_on_conflict wait_for
    """,
    "crd": """
        AtLeastOneOf AtMostOneOf Default Description EmbeddedResource EnumValues ExactlyOneOf
        Example ExclusiveMaximum ExclusiveMinimum ExternalDocs Format Immutable Int32 Int64
        Items ListMapKey ListType MapType MaxItems MaxLength MaxProperties Maximum MinItems
        MinLength MinProperties Minimum MultipleOf Nullable Optional Pattern
        PreserveUnknownFields Required Rule Schema SchemaPatch Schemaless StructType Title Type
        UniqueItems XIntOrString rules
    """,
    "errors": """
        APIError AlreadyExistsError AlreadyOwnedError BadRequestError ConfigError ConflictError
        DecodeError ForbiddenError GoneError InvalidError KubewrightError LifecycleError
        NoMatchError NotFoundError SchemaError SchemeError ServerError TerminalError
        TooManyRequestsError TransportError TransportTimeoutError UnauthorizedError
    """,
}
_WHERE = {name: package for package, names in _PACKAGES.items() for name in names.split()}

__all__ = [
    "APIError",
    "AlreadyExistsError",
    "AlreadyOwnedError",
    "AtLeastOneOf",
    "AtMostOneOf",
    "BadRequestError",
    "Client",
    "Column",
    "Condition",
    "Config",
    "ConfigError",
    "ConflictError",
    "DecodeError",
    "Default",
    "Description",
    "Duration",
    "EmbeddedResource",
    "EnumValues",
    "EventRecorder",
    "ExactlyOneOf",
    "Example",
    "ExclusiveMaximum",
    "ExclusiveMinimum",
    "ExternalDocs",
    "FieldSelector",
    "ForbiddenError",
    "Format",
    "GoneError",
    "GroupVersionKind",
    "Immutable",
    "Int32",
    "Int64",
    "IntOrString",
    "InvalidError",
    "Items",
    "KubewrightError",
    "LabelSelector",
    "LabelSelectorRequirement",
    "LeaseLock",
    "LifecycleError",
    "ListMapKey",
    "ListType",
    "MapType",
    "MaxItems",
    "MaxLength",
    "MaxProperties",
    "Maximum",
    "MinItems",
    "MinLength",
    "MinProperties",
    "Minimum",
    "Model",
    "MultipleOf",
    "NoMatchError",
    "NotFoundError",
    "Nullable",
    "ObjectKey",
    "ObjectMeta",
    "Optional",
    "OwnerReference",
    "Pattern",
    "PreserveUnknownFields",
    "Quantity",
    "Required",
    "Resource",
    "Rule",
    "Scale",
    "Schema",
    "SchemaError",
    "SchemaPatch",
    "Schemaless",
    "Scheme",
    "SchemeError",
    "Selector",
    "ServerError",
    "StructType",
    "TerminalError",
    "Title",
    "TooManyRequestsError",
    "TransportError",
    "TransportTimeoutError",
    "Type",
    "UnauthorizedError",
    "UniqueItems",
    "Unstructured",
    "Watch",
    "WatchEvent",
    "XIntOrString",
    "add_finalizer",
    "controller_of",
    "field",
    "find_condition",
    "has_finalizer",
    "is_condition_true",
    "owner_reference",
    "parse_quantity",
    "remove_finalizer",
    "resource",
    "retry_on_conflict",
    "rules",
    "set_condition",
    "set_controller_reference",
    "set_owner_reference",
    "wait_for",
]


# Hidden from type checkers, which know the names from above: they would take it to mean that every
# name exists, and let a misspelt one pass.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        package = _WHERE.get(name)
        if package is None:
            raise AttributeError(f"module 'kubewright' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f"kubewright.{package}"), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
