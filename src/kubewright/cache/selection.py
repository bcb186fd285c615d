"""`Selection`: which objects an informer keeps."""

from collections.abc import Iterable

import msgspec

from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.selectors import Selector, selector_from
from kubewright.cache.shard import Shard
from kubewright.client.target import Fields, Labels

ALL: frozenset[str] = frozenset()
"""All namespaces; also for kinds that do not live in namespaces."""

KEY_FIELDS: frozenset[str] = frozenset({"metadata.name", "metadata.namespace"})
"""The selectable fields that objects of every kind have."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of a kind an informer keeps. Equal selections share an informer.

    Attributes:
        mapping: The kind, and where it lives.
        labels: The labels that they have; any by default.
        fields: The fields that they have; any by default.
        namespaces: Where they are; empty for everywhere. An informer starts with these, and may
            get others later.
        metadata_only: Whether only their metadata is requested.
        shard: The shard of this process, if the objects are divided.
    """

    mapping: RESTMapping
    labels: Selector = Selector.EVERYTHING
    fields: FieldSelector = FieldSelector()
    namespaces: frozenset[str] = ALL
    metadata_only: bool = False
    shard: Shard | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it selects all objects of the kind in its namespaces, with all their fields."""
        return (
            self.labels.selects_everything
            and self.fields.selects_everything
            and not self.metadata_only
            and self.shard is None
        )

    @property
    def fields_are_known(self) -> bool:
        """Whether `covers` can decide all of `fields`, because they are all part of the key."""
        return all(term.field in KEY_FIELDS for term in self.fields.terms)

    def covers(self, key: ObjectKey, uid: str) -> bool:
        """Say whether an object can be selected, by its key and uid, which never change.

        Namespaces are not checked: an informer may change them.
        """
        if self.shard is not None and not self.shard.owns(uid):
            return False
        return not self.fields.terms or key_fits(key, self.fields)

    def __str__(self) -> str:
        mapping = self.mapping
        parts = [f"{mapping.plural}.{mapping.group}" if mapping.group else mapping.plural]
        if not self.labels.selects_everything:
            parts.append(f"with labels {self.labels}")
        if not self.fields.selects_everything:
            parts.append(f"with fields {self.fields}")
        if self.metadata_only:
            parts.append("(metadata)")
        if self.shard is not None:
            parts.append(f"({self.shard})")
        return " ".join(parts)


def key_fits(key: ObjectKey, fields: FieldSelector) -> bool:
    """Say whether *fields* may select an object with that *key*."""
    known = {"metadata.name": key.name, "metadata.namespace": key.namespace}
    return all(
        (known[term.field] == term.value) is (term.operator == "=")
        for term in fields.terms
        if term.field in known
    )


def label_selector(labels: Labels | None) -> Selector:
    """Return *labels* as a selector; ``None`` selects everything.

    Raises:
        ValueError: It is not a label selector.
    """
    return Selector.EVERYTHING if labels is None else selector_from(labels)


def field_selector(fields: Fields | None) -> FieldSelector:
    """Return *fields* as a selector; ``None`` selects everything.

    Raises:
        ValueError: It is not a field selector.
    """
    if fields is None:
        return FieldSelector()
    if isinstance(fields, FieldSelector):
        return fields
    return FieldSelector.parse(fields) if isinstance(fields, str) else FieldSelector.of(fields)


def namespace_set(namespaces: Iterable[str] | None) -> frozenset[str]:
    """Return *namespaces* as a set; an empty set, also for ``None``, stands for all of them.

    Raises:
        TypeError: It is a string, and not several.
        ValueError: One of them is empty.
    """
    if isinstance(namespaces, str):
        raise TypeError(f"namespaces are several: write namespaces=[{namespaces!r}]")
    found = frozenset(namespaces or ())
    if "" in found:
        raise ValueError("a namespace has a name; leave namespaces out for all of them")
    return found
