"""Computes field ownership after a change (structured merge), across versions of a kind."""

from collections.abc import Callable
from typing import Any

from kubewright.apiserver.fieldmanager import fieldset, lastapplied, prune, shape
from kubewright.apiserver.fieldmanager.compare import Comparison, compare, same
from kubewright.apiserver.fieldmanager.conflict import Conflict, ConflictsError
from kubewright.apiserver.fieldmanager.entries import Entry, Managed, Owner, owner
from kubewright.apiserver.fieldmanager.extract import fields_of
from kubewright.apiserver.fieldmanager.fieldset import LEAF, FieldSet
from kubewright.apiserver.fieldmanager.merge import merged
from kubewright.apiserver.fieldmanager.shape import Shape, untyped
from kubewright.apiserver.schema.tree import Schema

Obj = dict[str, Any]
Convert = Callable[[Obj, str], tuple[Obj, Schema] | None]

ANCIENT: str = "ancient-changes"
"""The manager that the oldest updaters are merged into when there are too many."""

MAX_UPDATERS: int = 10

UNOWNED: FieldSet = fieldset.of(
    ("apiVersion",),
    ("kind",),
    ("metadata",),
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "creationTimestamp"),
    ("metadata", "selfLink"),
    ("metadata", "uid"),
    ("metadata", "clusterName"),
    ("metadata", "generation"),
    ("metadata", "managedFields"),
    ("metadata", "resourceVersion"),
)
"""Fields that never have an owner."""


class Ownership:
    """Computes ownership for one version of a kind."""

    def __init__(
        self,
        schema: Schema,
        api_version: str,
        *,
        strip: FieldSet | None = None,
        convert: Convert | None = None,
    ) -> None:
        self._schema = schema
        # Stored objects have implied fields that no client set; applied configurations do not.
        self._stored: Shape = shape.root(schema)
        self._plain: Shape = shape.root(schema, implied=False)
        self._api_version = api_version
        self._strip = strip
        self._convert = convert

    def updated(self, old: Obj, new: Obj, managed: Managed, who: Owner, *, now: str) -> Managed:
        """Return the owners after *who* changed *old* to *new*."""
        managed = self._reconciled(old, managed)
        mine = self._stripped(compare(old, new, self._stored))
        managed = self._lost(managed, None, (old, new), mine)
        gained = fieldset.difference(mine.changed, UNOWNED)
        if not gained:
            return _capped(managed)
        before = managed.get(who)
        fields = fieldset.union(before.fields, gained) if before else gained
        managed[who] = Entry(fields, self._api_version, now or (before.time if before else ""))
        return _capped(managed)

    def applied(
        self, live: Obj, config: Obj, managed: Managed, who: Owner, *, force: bool, now: str
    ) -> tuple[Obj, Managed]:
        """Return *live* with *config* applied by *who*, and the new owners.

        Raises:
            ConflictsError: Others own fields that would change, and *force* is false.
        """
        managed = self._reconciled(live, managed)
        live = self._as_stored(live)
        last = managed.get(who)
        fields = fields_of(config, self._plain)
        if self._strip:
            fields = fieldset.recursive_difference(fields, self._strip)
        managed[who] = Entry(fields, self._api_version, last.time if last else "")
        new = merged(live, config, self._plain)
        if last is not None and fieldset.difference(last.fields, fields):
            new = prune.pruned(new, managed, who, last, self.at) or {}
        comparison = self._stripped(compare(live, new, self._plain))
        if not force:
            self._check(managed, who, (live, new), comparison)
        managed = self._lost(managed, who, (live, new), comparison)
        unchanged = new == live and (not self._plain.loose or same(new, live))
        return self._copy(new), self._own(managed, who, now="" if unchanged else now, last=last)

    def _as_stored(self, live: Obj) -> Obj:
        if self._stored is self._plain:
            return live
        full: Obj = shape.with_implied(live, self._stored)
        return full

    def _copy(self, new: Obj) -> Obj:
        """Return a copy: callers fill in defaults, and *new* shares parts with the live object."""
        copy: Obj
        if self._stored is self._plain:
            copy = shape.copied(new)
        else:
            copy = shape.without_nulls(new, self._plain)
        return copy

    def _own(self, managed: Managed, who: Owner, *, now: str, last: Entry | None) -> Managed:
        entry = managed.get(who)
        if entry is None:
            return managed
        fields = fieldset.difference(entry.fields, UNOWNED)
        if not fields:
            del managed[who]
        elif last and not now and fields == last.fields and entry.api_version == last.api_version:
            managed[who] = last
        else:
            managed[who] = Entry(fields, entry.api_version, now or entry.time)
        return managed

    def at(self, obj: Obj, api_version: str) -> tuple[Obj, Shape] | None:
        """Return an object and its shape in another version; ``None`` if that does not exist."""
        written = obj.get("apiVersion", self._api_version)
        if self._convert is None or api_version == self._api_version == written:
            return obj, self._plain
        found = self._convert(obj, api_version)
        return None if found is None else (found[0], shape.root(found[1]))

    def last_applied(self, live: Obj) -> FieldSet | None:
        """Return the fields that kubectl's annotation allows to take over; ``None`` if unknown."""
        full = self._as_stored(live)
        return lastapplied.allowed(full, self._plain, api_version=self._api_version)

    def outside(self, conflicts: list[Conflict], allowed: FieldSet) -> list[Conflict]:
        """Return the conflicts about fields that are not in *allowed*."""
        return [conflict for conflict in conflicts if not fieldset.has(allowed, conflict.path)]

    def _stripped(self, comparison: Comparison) -> Comparison:
        if not self._strip:
            return comparison
        return Comparison(
            fieldset.recursive_difference(comparison.changed, self._strip),
            fieldset.recursive_difference(comparison.removed, self._strip),
        )

    def _reconciled(self, live: Obj, managed: Managed) -> Managed:
        """Return the owners with their fields adapted to the current schema."""
        found: Managed = {}
        for who, entry in managed.items():
            if self._schema.name and entry.source and self._convert is None:
                found[who] = entry  # built-in types do not change
                continue
            seen = self._shape_of(live, entry.api_version)
            if seen is None:
                continue
            fields = reconciled(entry.fields, seen)
            same = fields is entry.fields
            found[who] = entry if same else Entry(fields, entry.api_version, entry.time)
        return found

    def _shape_of(self, live: Obj, api_version: str) -> Shape | None:
        if api_version == self._api_version or self._convert is None:
            return self._stored
        found = self._convert(live, api_version)
        return None if found is None else shape.root(found[1])

    def _comparison(
        self, api_version: str, pair: tuple[Obj, Obj], known: Comparison
    ) -> Comparison | None:
        """Return the difference of the two objects in another version."""
        if api_version == self._api_version or self._convert is None:
            return known
        old, new = self._convert(pair[0], api_version), self._convert(pair[1], api_version)
        if old is None or new is None:
            return None
        return self._stripped(compare(old[0], new[0], shape.root(new[1])))

    def _check(
        self, managed: Managed, who: Owner, pair: tuple[Obj, Obj], known: Comparison
    ) -> None:
        found: list[Conflict] = []
        for other in sorted(managed, key=lambda other: other.text):
            entry = managed[other]
            comparison = self._comparison(entry.api_version, pair, known)
            if other == who or comparison is None:
                continue
            taken = fieldset.intersection(entry.fields, comparison.changed)
            found += [Conflict(other, path) for path in fieldset.paths(taken)]
        if found:
            raise ConflictsError(found)

    def _lost(
        self, managed: Managed, who: Owner | None, pair: tuple[Obj, Obj], known: Comparison
    ) -> Managed:
        """Return the owners without the fields that they lost by the change."""
        left: Managed = {}
        for other, entry in managed.items():
            if other == who:
                left[other] = entry
                continue
            comparison = self._comparison(entry.api_version, pair, known)
            if comparison is None:
                continue
            fields = fieldset.difference(entry.fields, comparison.changed)
            fields = fieldset.difference(fields, comparison.removed)
            if fields is entry.fields:
                left[other] = entry
            elif fields:
                left[other] = Entry(fields, entry.api_version, entry.time)
        return left


def _capped(managed: Managed) -> Managed:
    """Return the owners with the oldest updaters merged into one, if there are too many."""
    updaters = [who for who in managed if who.operation == "Update"]
    excess = len(updaters) - MAX_UPDATERS
    if excess <= 0:
        return managed
    updaters.sort(key=lambda who: (managed[who].time, who.text))
    first: dict[str, Owner] = {}
    parts: dict[Owner, list[FieldSet]] = {}
    for who in updaters:
        if excess <= 0:
            break
        entry = managed[who]
        version = entry.api_version
        if version not in first:
            first[version] = who
            continue
        bucket = owner(ANCIENT, "Update", version, "")
        if bucket not in managed:
            managed[bucket] = managed.pop(first[version])
        joined = parts.setdefault(bucket, [managed[bucket].fields])
        if who != bucket:
            joined.append(managed.pop(who).fields)
        managed[bucket] = Entry(managed[bucket].fields, version, entry.time)
        excess -= 1
    for bucket, joined in parts.items():
        entry = managed[bucket]
        managed[bucket] = Entry(fieldset.union_all(joined), entry.api_version, entry.time)
    return managed


def reconciled(fields: FieldSet, shape: Shape) -> FieldSet:
    """Return *fields* adapted to a schema in which some lists or maps have become atomic."""
    out = fields
    for step, node in fields.items():
        if not node:
            continue
        below = _below(step, shape)
        if below is None:
            continue
        fresh = _node(node, below)
        if fresh is not node:
            if out is fields:
                out = dict(fields)
            out[step] = fresh
    return out


def _node(node: FieldSet, shape: Shape) -> FieldSet:
    if shape.form == "map":
        if untyped(shape):
            return node
        return LEAF if shape.atomic_map else reconciled(node, shape)
    if shape.form == "list":
        return LEAF if shape.atomic_list else reconciled(node, shape)
    return node


def _below(step: str, shape: Shape) -> Shape | None:
    if shape.form == "list":
        return shape.item
    if not step.startswith("f:"):
        return shape.element
    known = shape.fields.get(step[2:])
    return known[1] if known else shape.element
