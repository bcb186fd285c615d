"""How a kind behaves when it is written: the part of the server that differs from kind to kind.

The pipeline calls a `Strategy` in this order. On create: `default`, mutating admission,
`prepare_create`, `validate`, validating admission. On update: `default`, `prepare_update`, mutating
admission, `validate_update`, validating admission. Every hook gets objects that were already cut to
their schema, and changes them in place.

What holds for all kinds (names, labels, annotations, owner references, uid, generation, managed
fields, deletion) is done by the pipeline and is not a strategy's business.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from kubewright.apiserver.effort import Effort
from kubewright.apiserver.meta import naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.network import DEFAULT, Network

Obj = dict[str, Any]
"""An object as JSON."""

NameRule = Callable[[str], list[str]]
"""Returns what is wrong with a name."""


class Reader(Protocol):
    """Reads what is stored. Objects are private copies."""

    def find_object(self, resource: GroupResource, namespace: str, name: str) -> Obj | None:
        """Return an object, or ``None``; the namespace is empty for cluster-wide kinds."""
        ...

    def list(self, resource: GroupResource, namespace: str = "") -> Iterable[Obj]:
        """Yield the objects of one namespace, or of all."""
        ...

    def revision_of(self, resource: GroupResource) -> int:
        """Return a number that grows whenever an object of this resource changes."""
        ...


@dataclass(slots=True)
class Write:
    """The circumstances of a write, for the few kinds that care.

    Attributes:
        reader: What else is stored.
        user: Who writes; see `apiserver.authentication.UserInfo` (name, uid, groups, extra).
        now: The time as objects carry it, such as ``2026-01-01T12:00:00Z``.
        dry_run: Whether nothing will be stored.
        warn: Adds a Warning header to the answer.
        network: Which addresses the server assigns and accepts.
        effort: How much work validation may do.
    """

    reader: Reader
    user: Any
    now: str
    dry_run: bool
    warn: Callable[[str], None]
    network: Network = DEFAULT
    effort: Effort = field(default_factory=Effort)


class Strategy:
    """The behaviour of a kind; this class is that of a kind without special rules.

    Attributes:
        name_rule: Returns what is wrong with a name; usually `naming.dns_subdomain`.
        has_generation: Whether ``metadata.generation`` counts the changes of the spec.
        has_status: Whether status is a part of its own, written through ``/status`` only.
        grace: Whether deletion is graceful (pods): `grace_period` is asked then.
        allow_unconditional_update: Whether an update without a resourceVersion is taken.
        deletion_finalizers: Finalizers that a deletion adds, for work that has to be done first.
        allow_create_on_update: Whether a PUT to a name that is not there creates it.
        is_pure: Whether validation looks at nothing but the objects, so that a thread may do it;
            not so for a kind whose validation reads or takes what is stored.
    """

    name_rule: NameRule = staticmethod(naming.dns_subdomain)
    has_generation: bool = False
    has_status: bool = False
    grace: bool = False
    deletion_finalizers: tuple[str, ...] = ()
    allow_unconditional_update: bool = True
    allow_create_on_update: bool = False
    is_pure: bool = True

    def default(self, obj: Obj) -> None:
        """Fill in what the user left out; must change nothing when it is called again."""

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Set or remove what users must not set; the status is removed already."""

    def prepare_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Carry over from *old* what users must not change."""

    def prepare_status_update(self, new: Obj, old: Obj, write: Write) -> None:
        """Leave only what ``/status`` may change; metadata and spec are already the old ones."""

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new object."""
        return []

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change: broken rules and immutable fields."""
        return self.validate(new, write)

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change of the status."""
        return []

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Whether the change counts as a new generation."""
        return bool(new.get("spec") != old.get("spec"))

    def grace_period(self, obj: Obj, asked: int | None) -> int:
        """Return how many seconds a deletion waits; 0 removes the object at once."""
        return 0

    def prepare_delete(self, obj: Obj, write: Write) -> None:
        """Change *obj*, which is being deleted; its metadata is marked already."""

    def holds(self, obj: Obj) -> bool:
        """Whether more than finalizers in the metadata and grace keep a deleted object."""
        return False

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the fields that a field selector may name, besides metadata.name/namespace."""
        return {}

    def allows_field(self, path: str) -> bool:
        """Whether a field selector may name *path*."""
        return path in self.field_names

    field_names: frozenset[str] = frozenset()
    """The keys of what `selectable_fields` returns."""

    def after_create(self, obj: Obj, write: Write) -> None:
        """Take or release what belongs to the object; called after it is stored."""

    def after_delete(self, obj: Obj, write: Write) -> None:
        """Release what belongs to the object; called after it is removed."""
