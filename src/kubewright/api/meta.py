"""What all kinds have in common: `ObjectMeta`, owner references, conditions, label selectors."""

from datetime import datetime
from typing import Any

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.model import Model, absent, field


class OwnerReference(Model):
    """Names an object that this one is deleted with."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ManagedFieldsEntry(Model):
    """Which fields one writer owns."""

    manager: str = absent("")
    operation: str = absent("")
    api_version: str = absent("")
    time: datetime | None = None
    fields_type: str = absent("")
    # Kept as JSON: on a busy object this is a third of the bytes, only a few tools read it, and as
    # dicts it would cost more than the rest of the object.
    fields_v1: msgspec.Raw = field(default=absent(msgspec.Raw(b"")), name="fieldsV1")
    subresource: str = absent("")

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as the nested sets that the server keeps: ``{"f:spec": {"f:size": {}}}``."""
        owned: dict[str, Any] | None = msgspec.json.decode(self.fields_v1 or b"null")
        return owned or {}


class ObjectMeta(Model):
    """Name, labels, owners and versions: what every object has.

    Names and versions are empty strings, not ``None``, while they are not set.
    """

    name: str = absent("")
    generate_name: str = absent("")
    namespace: str = absent("")
    self_link: str = absent("")
    uid: str = absent("")
    resource_version: str = absent("")
    generation: int = absent(0)
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []
    managed_fields: list[ManagedFieldsEntry] = []

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return ObjectKey(self.namespace, self.name)


class ShardInfo(Model):
    """Which part of a collection a list contains, if only a part was requested."""

    selector: str


class ListMeta(Model):
    """The metadata of a list: its version, and how to get the next page."""

    resource_version: str = absent("")
    continue_: str = field(default=absent(""), name="continue")
    remaining_item_count: int | None = None
    shard_info: ShardInfo | None = None
    self_link: str = absent("")


class Condition(Model):
    """One aspect of an object's state, as ``kubectl wait --for=condition=…`` reads it."""

    type: str
    status: str
    reason: str = absent("")
    message: str = ""
    last_transition_time: datetime | None = None
    observed_generation: int | None = None


class LabelSelectorRequirement(Model):
    """One term of a label selector: ``key operator values``."""

    key: str
    operator: str
    values: list[str] = []


class LabelSelector(Model):
    """Selects objects by their labels; an empty one selects all."""

    match_labels: dict[str, str] = {}
    match_expressions: list[LabelSelectorRequirement] = []
