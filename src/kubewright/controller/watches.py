"""`For`, `Owns` and `Watches`: which kinds a controller listens to, and what a change means."""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import msgspec

from kubewright.api.kind import RESTMapping
from kubewright.api.kind_reference import KindLike, kind_text, likely_mapping
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.cache.informer import Informer
from kubewright.cache.transform import Transform
from kubewright.client.target import Fields, Labels
from kubewright.cluster import Cluster
from kubewright.controller.mapping import MapFunction
from kubewright.controller.predicates import Filter, Predicate

__all__ = ["For", "KindWatch", "Owns", "Watches"]

R = TypeVar("R", bound=Resource | Unstructured)

WRITING: frozenset[str] = frozenset({"create", "delete", "deletecollection", "patch", "update"})
"""The verbs of RBAC that change an object."""


class _Kind(msgspec.Struct, Generic[R], frozen=True, eq=False):
    kind: KindLike[R]


class KindWatch(_Kind[R], frozen=True, eq=False, kw_only=True):
    """What `For`, `Owns` and `Watches` have in common.

    Attributes:
        kind: The class of the objects; or a `Kind`, if they have none.
        predicate: Which changes count. It spares reconciles, not memory.
        labels: Only objects with these labels are watched and kept.
        fields: Only objects with these fields are watched and kept.
        metadata_only: Keep no more than the metadata.
        transform: What is done to each object before it is kept.
        namespaces: Only objects in these; all that the cluster covers unless given.
        cluster: Where they are; the cluster of the controller unless given.
    """

    predicate: Predicate[R] | Filter[R] | None = None
    labels: Labels | None = None
    fields: Fields | None = None
    metadata_only: bool = False
    transform: Transform | None = None
    namespaces: Iterable[str] | None = None
    cluster: Cluster | None = None

    def __post_init__(self) -> None:
        likely_mapping(self.kind)  # raises for what is not a declared kind
        if self.predicate is not None and not callable(self.predicate):
            raise TypeError(
                f"the predicate of {self} must be a function of an event, not {self.predicate!r}"
            )

    @property
    def mapping(self) -> RESTMapping:
        """Where the kind lives on a server; of a `Kind`, where it most likely does."""
        return likely_mapping(self.kind)

    def informer(self, cluster: Cluster) -> Informer[R]:
        """Return the informer of this watch in *cluster*; all callers share it.

        Of the reconciled kind it has the shard of this process. Of other kinds it has all objects:
        a child has another uid than its parent, and so would be in any shard.
        """
        kind: Any = self.kind
        informer: Informer[R] = cluster.cache.informer(
            kind,
            labels=self.labels,
            fields=self.fields,
            metadata_only=self.metadata_only,
            transform=self.transform,
            namespaces=self.namespaces,
            sharded=isinstance(self, For),
            kept=False,
        )
        return informer

    def __str__(self) -> str:
        return f"{type(self).__name__}({kind_text(self.kind)})"


class For(KindWatch[R], frozen=True, eq=False, kw_only=True):
    """The kind that is reconciled: a change of an object is a request for it.

    Unless another predicate is given, changes of its status do not count.

    Attributes:
        writes_status: Whether the status is written after a reconcile, and the right to do so is
            needed. ``False`` suits kinds whose status belongs to others, such as pods.
    """

    writes_status: bool = True


class Owns(KindWatch[R], frozen=True, eq=False, kw_only=True):
    """A kind whose objects belong to the reconciled one: a change is a request for the owner.

    Attributes:
        every_owner: Whether all owners count, and not only the one that controls the object.
        verbs: What the reconciler does with these objects, besides reading them, in the words of
            RBAC. It needs the rights to do so, and no others: ``apply`` creates and patches,
            ``create`` creates, and ``prune`` deletes.
    """

    every_owner: bool = False
    verbs: Iterable[str] = ("create", "patch", "delete")

    def __post_init__(self) -> None:
        super().__post_init__()
        wrong = {self.verbs} if isinstance(self.verbs, str) else {*self.verbs} - WRITING
        if wrong:
            raise ValueError(
                f"verbs={self.verbs!r} of {self}: give a list of {', '.join(sorted(WRITING))};"
                " reading needs no mention"
            )


class Watches(KindWatch[R], frozen=True, eq=False):
    """Any other kind: *map* says what to reconcile when an object changes.

    It is asked about the state before the change, too. When it fails, it is asked again later, so
    that no change is lost.

    Attributes:
        map: Tells from an object what to reconcile; a name alone is in the object's namespace. With
            a second parameter it gets a `MapContext`, to ask the cache or the server.

    Example:
        Watches(Secret, map=lambda secret: [secret.metadata.labels["shop"]])
    """

    map: MapFunction[R]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.map):
            raise TypeError(
                f"{self} needs a function as map, from an object to what is to be reconciled, not"
                f" {self.map!r}"
            )
