"""Typed Kubernetes objects, their names, selectors and patches, without any I/O."""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.api.changes import (
        merge_patch,
        updated_document,
    )
    from kubewright.api.conditions import (
        find_condition,
        is_condition_false,
        is_condition_true,
        remove_condition,
        set_condition,
    )
    from kubewright.api.definition import (
        Column,
        Definition,
        Scale,
    )
    from kubewright.api.field_selectors import (
        FieldSelector,
    )
    from kubewright.api.finalizers import (
        add_finalizer,
        has_finalizer,
        remove_finalizer,
    )
    from kubewright.api.intorstring import (
        IntOrString,
        resolve_int_or_percent,
    )
    from kubewright.api.kind import (
        GroupKind,
        GroupVersion,
        GroupVersionKind,
        GroupVersionResource,
        ObjectKey,
        RESTMapping,
    )
    from kubewright.api.kind_reference import (
        Kind,
        KindLike,
    )
    from kubewright.api.lists import (
        ResourceList,
    )
    from kubewright.api.meta import (
        Condition,
        LabelSelector,
        LabelSelectorRequirement,
        ListMeta,
        ManagedFieldsEntry,
        ObjectMeta,
        OwnerReference,
    )
    from kubewright.api.model import (
        Model,
        field,
    )
    from kubewright.api.owners import (
        controller_of,
        is_controlled_by,
        is_owned_by,
        owner_reference,
        owner_references,
        remove_owner_reference,
        set_controller_reference,
        set_owner_reference,
    )
    from kubewright.api.partial import (
        PartialObjectMetadata,
    )
    from kubewright.api.patches import (
        apply_json_patch,
        apply_merge_patch,
        json_patch_between,
        merge_patch_between,
    )
    from kubewright.api.quantity import (
        ParsedQuantity,
        Quantity,
        compare_quantities,
        format_quantity,
        parse_quantity,
    )
    from kubewright.api.requests import (
        Request,
    )
    from kubewright.api.resource import (
        Resource,
        document,
        gvk_of,
        mapping_of,
        raw_of,
        read,
        to_json,
    )
    from kubewright.api.scheme import (
        Scheme,
    )
    from kubewright.api.selectors import (
        Selector,
        selector_from,
    )
    from kubewright.api.times import (
        Duration,
        MicroTime,
        format_duration,
        format_micro_time,
        format_time,
        parse_duration,
        parse_time,
    )
    from kubewright.api.unstructured import (
        Unstructured,
    )

__all__ = [
    "Column",
    "Condition",
    "Definition",
    "Duration",
    "FieldSelector",
    "GroupKind",
    "GroupVersion",
    "GroupVersionKind",
    "GroupVersionResource",
    "IntOrString",
    "Kind",
    "KindLike",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "MicroTime",
    "Model",
    "ObjectKey",
    "ObjectMeta",
    "OwnerReference",
    "ParsedQuantity",
    "PartialObjectMetadata",
    "Quantity",
    "RESTMapping",
    "Request",
    "Resource",
    "ResourceList",
    "Scale",
    "Scheme",
    "Selector",
    "Unstructured",
    "add_finalizer",
    "apply_json_patch",
    "apply_merge_patch",
    "compare_quantities",
    "controller_of",
    "document",
    "field",
    "find_condition",
    "format_duration",
    "format_micro_time",
    "format_quantity",
    "format_time",
    "gvk_of",
    "has_finalizer",
    "is_condition_false",
    "is_condition_true",
    "is_controlled_by",
    "is_owned_by",
    "json_patch_between",
    "mapping_of",
    "merge_patch",
    "merge_patch_between",
    "owner_reference",
    "owner_references",
    "parse_duration",
    "parse_quantity",
    "parse_time",
    "raw_of",
    "read",
    "remove_condition",
    "remove_finalizer",
    "remove_owner_reference",
    "resolve_int_or_percent",
    "selector_from",
    "set_condition",
    "set_controller_reference",
    "set_owner_reference",
    "to_json",
    "updated_document",
]

_NAMES = {
    "changes": "merge_patch updated_document",
    "conditions": """
        find_condition is_condition_false is_condition_true remove_condition set_condition
    """,
    "definition": "Column Definition Scale",
    "field_selectors": "FieldSelector",
    "finalizers": "add_finalizer has_finalizer remove_finalizer",
    "intorstring": "IntOrString resolve_int_or_percent",
    "kind": "GroupKind GroupVersion GroupVersionKind GroupVersionResource ObjectKey RESTMapping",
    "kind_reference": "Kind KindLike",
    "lists": "ResourceList",
    "meta": """
        Condition LabelSelector LabelSelectorRequirement ListMeta ManagedFieldsEntry
        ObjectMeta OwnerReference
    """,
    "model": "Model field",
    "owners": """
        controller_of is_controlled_by is_owned_by owner_reference owner_references
        remove_owner_reference set_controller_reference set_owner_reference
    """,
    "partial": "PartialObjectMetadata",
    "patches": "apply_json_patch apply_merge_patch json_patch_between merge_patch_between",
    "quantity": "ParsedQuantity Quantity compare_quantities format_quantity parse_quantity",
    "requests": "Request",
    "resource": "Resource document gvk_of mapping_of raw_of read to_json",
    "scheme": "Scheme",
    "selectors": "Selector selector_from",
    "times": """
        Duration MicroTime format_duration format_micro_time format_time parse_duration
        parse_time
    """,
    "unstructured": "Unstructured",
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}

# Loaded when first used: a server needs the format of a time, and no typed objects. Hidden from
# type checkers, which know the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
