"""Kubernetes operators in Python: typed objects, a client for any API server, CRDs from classes.

    >>> import kubewright as kw
    >>> class ShopSpec(kw.Model):
    ...     size: int = 1

Names are loaded when they are first used, so that ``import kubewright`` costs next to nothing.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright._aio import (
        Clock,
    )
    from kubewright.api import (
        Column,
        Condition,
        Duration,
        FieldSelector,
        GroupVersionKind,
        IntOrString,
        Kind,
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
    from kubewright.application import (
        Application,
    )
    from kubewright.cache import (
        Cache,
        Event,
        Informer,
        Shard,
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
    from kubewright.cluster import (
        CachedClient,
        Cluster,
    )
    from kubewright.controller import (
        Channel,
        Controller,
        For,
        Interval,
        MapContext,
        Owns,
        Predicate,
        Reason,
        Request,
        Result,
        Retry,
        Run,
        Source,
        Watches,
        annotations_changed,
        content_changed,
        created,
        deleted,
        deletion_changed,
        finalizers_changed,
        generation_changed,
        labels_changed,
        matches,
        owners_changed,
        predicate,
        resource_version_changed,
        updated,
    )
    from kubewright.crd import (
        AtLeastOneOf,
        AtMostOneOf,
        Conditions,
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
        KubernetesVersion,
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
        NoDefault,
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
        AdmissionDeniedError,
        AlreadyExistsError,
        AlreadyOwnedError,
        APIError,
        BadRequestError,
        CacheNotSyncedError,
        ConfigError,
        ConflictError,
        ConversionError,
        DecodeError,
        ForbiddenError,
        GoneError,
        InvalidError,
        KubewrightError,
        LeaderElectionLostError,
        LifecycleError,
        NoMatchError,
        NotFoundError,
        NotLeadingError,
        RetryAfter,
        SchemaError,
        SchemeError,
        ServerError,
        StopTimeoutError,
        TerminalError,
        TooManyRequestsError,
        TransportError,
        TransportTimeoutError,
        UnauthorizedError,
    )
    from kubewright.manager import (
        LeaderElection,
        Manager,
    )
    from kubewright.operator import (
        Context,
        Operator,
        SyncClient,
        SyncContext,
    )
    from kubewright.runnable import (
        Problem,
        Runnable,
        Stage,
    )
    from kubewright.runs import (
        RunRecord,
        Runs,
    )
    from kubewright.webhook import (
        AdmissionContext,
        AdmissionRequest,
        AdmissionResponse,
        Conversion,
        WebhookServing,
    )
    from kubewright.workqueue import (
        LOW,
        QueueShutDown,
        WorkQueue,
    )

_PACKAGES = {
    "_aio": """
        Clock
    """,
    "api": """
        Column Condition Duration FieldSelector GroupVersionKind IntOrString Kind LabelSelector
        LabelSelectorRequirement Model ObjectKey ObjectMeta OwnerReference Quantity Resource Scale
        Scheme Selector Unstructured add_finalizer controller_of field find_condition has_finalizer
        is_condition_true owner_reference parse_quantity remove_finalizer set_condition
        set_controller_reference set_owner_reference
    """,
    # `kubewright.api` cannot export it: its module of the same name would be hidden.
    "api.resource": """
        resource
    """,
    "application": """
        Application
    """,
    "cache": """
        Cache Event Informer Shard
    """,
    "client": """
        Client Config EventRecorder LeaseLock Watch WatchEvent retry_on_conflict wait_for
    """,
    "cluster": """
        CachedClient Cluster
    """,
    "controller": """
        Channel Controller For Interval MapContext Owns Predicate Reason Request Result Retry Run
        Source Watches annotations_changed content_changed created deleted deletion_changed
        finalizers_changed generation_changed labels_changed matches owners_changed predicate
        resource_version_changed updated
    """,
    "crd": """
        AtLeastOneOf AtMostOneOf Conditions Default Description EmbeddedResource EnumValues
        ExactlyOneOf Example ExclusiveMaximum ExclusiveMinimum ExternalDocs Format Immutable
        Int32 Int64 Items KubernetesVersion ListMapKey ListType MapType MaxItems MaxLength
        MaxProperties Maximum MinItems MinLength MinProperties Minimum MultipleOf NoDefault
        Nullable Optional Pattern PreserveUnknownFields Required Rule Schema SchemaPatch
        Schemaless StructType Title Type UniqueItems XIntOrString rules
    """,
    "errors": """
        APIError AdmissionDeniedError AlreadyExistsError AlreadyOwnedError BadRequestError
        CacheNotSyncedError ConfigError ConflictError ConversionError DecodeError ForbiddenError
        GoneError InvalidError KubewrightError LeaderElectionLostError LifecycleError NoMatchError
        NotFoundError NotLeadingError RetryAfter SchemaError SchemeError ServerError
        StopTimeoutError TerminalError TooManyRequestsError TransportError TransportTimeoutError
        UnauthorizedError
    """,
    "manager": """
        LeaderElection Manager
    """,
    "operator": """
        Context Operator SyncClient SyncContext
    """,
    "runnable": """
        Problem Runnable Stage
    """,
    "runs": """
        RunRecord Runs
    """,
    "webhook": """
        AdmissionContext AdmissionRequest AdmissionResponse Conversion WebhookServing
    """,
    "workqueue": """
        LOW QueueShutDown WorkQueue
    """,
}
_WHERE = {name: package for package, names in _PACKAGES.items() for name in names.split()}

__all__ = [
    "LOW",
    "APIError",
    "AdmissionContext",
    "AdmissionDeniedError",
    "AdmissionRequest",
    "AdmissionResponse",
    "AlreadyExistsError",
    "AlreadyOwnedError",
    "Application",
    "AtLeastOneOf",
    "AtMostOneOf",
    "BadRequestError",
    "Cache",
    "CacheNotSyncedError",
    "CachedClient",
    "Channel",
    "Client",
    "Clock",
    "Cluster",
    "Column",
    "Condition",
    "Conditions",
    "Config",
    "ConfigError",
    "ConflictError",
    "Context",
    "Controller",
    "Conversion",
    "ConversionError",
    "DecodeError",
    "Default",
    "Description",
    "Duration",
    "EmbeddedResource",
    "EnumValues",
    "Event",
    "EventRecorder",
    "ExactlyOneOf",
    "Example",
    "ExclusiveMaximum",
    "ExclusiveMinimum",
    "ExternalDocs",
    "FieldSelector",
    "For",
    "ForbiddenError",
    "Format",
    "GoneError",
    "GroupVersionKind",
    "Immutable",
    "Informer",
    "Int32",
    "Int64",
    "IntOrString",
    "Interval",
    "InvalidError",
    "Items",
    "Kind",
    "KubernetesVersion",
    "KubewrightError",
    "LabelSelector",
    "LabelSelectorRequirement",
    "LeaderElection",
    "LeaderElectionLostError",
    "LeaseLock",
    "LifecycleError",
    "ListMapKey",
    "ListType",
    "Manager",
    "MapContext",
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
    "NoDefault",
    "NoMatchError",
    "NotFoundError",
    "NotLeadingError",
    "Nullable",
    "ObjectKey",
    "ObjectMeta",
    "Operator",
    "Optional",
    "OwnerReference",
    "Owns",
    "Pattern",
    "Predicate",
    "PreserveUnknownFields",
    "Problem",
    "Quantity",
    "QueueShutDown",
    "Reason",
    "Request",
    "Required",
    "Resource",
    "Result",
    "Retry",
    "RetryAfter",
    "Rule",
    "Run",
    "RunRecord",
    "Runnable",
    "Runs",
    "Scale",
    "Schema",
    "SchemaError",
    "SchemaPatch",
    "Schemaless",
    "Scheme",
    "SchemeError",
    "Selector",
    "ServerError",
    "Shard",
    "Source",
    "Stage",
    "StopTimeoutError",
    "StructType",
    "SyncClient",
    "SyncContext",
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
    "Watches",
    "WebhookServing",
    "WorkQueue",
    "XIntOrString",
    "add_finalizer",
    "annotations_changed",
    "content_changed",
    "controller_of",
    "created",
    "deleted",
    "deletion_changed",
    "field",
    "finalizers_changed",
    "find_condition",
    "generation_changed",
    "has_finalizer",
    "is_condition_true",
    "labels_changed",
    "matches",
    "owner_reference",
    "owners_changed",
    "parse_quantity",
    "predicate",
    "remove_finalizer",
    "resource",
    "resource_version_changed",
    "retry_on_conflict",
    "rules",
    "set_condition",
    "set_controller_reference",
    "set_owner_reference",
    "updated",
    "wait_for",
]


# Hidden from type checkers, which know the names from above: they would take it to mean that every
# name exists, and let a misspelt one pass.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
