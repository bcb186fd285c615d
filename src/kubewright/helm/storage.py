"""`Storage`: the revisions of a release, in the Secrets where Helm looks for them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.times import format_time
from kubewright.api.unstructured import Unstructured
from kubewright.errors import (
    AlreadyExistsError,
    APIError,
    DecodeError,
    NotFoundError,
    RetryAfter,
    TerminalError,
)
from kubewright.helm.holder import Holder, find_rival, holder_of, holder_said_by
from kubewright.helm.manifest import read_objects
from kubewright.helm.release import INPUTS, Release, ReleaseStatus, read_release, secret_for

if TYPE_CHECKING:
    from kubewright.cache.entry import Entry
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["SECRET", "Record", "Storage"]

SECRET: Kind = Kind("v1", "Secret")
LABELS: str = "owner=helm"
FOUND: str = "kubewright.dev/helm-found"
"""The annotation with the uids of objects that a revision has found, and not made."""
KEPT: int = 10
"""So many revisions of a release are kept, as by Helm."""
_TOO_LARGE, _TOO_LONG = 413, "data: Too long"
LONGEST: int = 53
"""So many letters may the name of a release have, as with Helm."""


class Record(msgspec.Struct, frozen=True):
    """What the labels of a Secret say of a revision.

    Attributes:
        key: The Secret.
        version: The revision.
        status: How far it is.
        inputs: What it was rendered from; empty for releases of others.
        resource_version: The version of the Secret.
        modified: When it was written, in seconds of Unix.
        holder: The custom object that it belongs to; ``None`` for releases of others.
        found: The uids of objects that were there before it, and that it must not undo; ``None`` if
            nobody has looked.
    """

    key: ObjectKey
    version: int
    status: str
    inputs: str
    resource_version: str
    modified: int
    holder: Holder | None = None
    found: frozenset[str] | None = None

    @property
    def is_pending(self) -> bool:
        """Whether somebody has begun something, and has not finished."""
        return self.status.startswith("pending-")

    @property
    def is_underway(self) -> bool:
        """Whether somebody has begun anything, the end of the release included."""
        return self.is_pending or self.status == "uninstalling"


class Storage:
    """Reads releases from the cache, and writes them.

    Args:
        cluster: Where the Secrets are.
        informer: The cache of the Secrets that belong to Helm.
    """

    def __init__(self, cluster: "Cluster", informer: "Informer[Unstructured]") -> None:
        self._cluster = cluster
        self._informer = informer
        self._records: dict[ObjectKey, Record] = {}
        self._read: dict[ObjectKey, tuple[str, Release]] = {}
        self._objects: dict[tuple[str, str], tuple[Release, list[dict[str, Any]]]] = {}

    def records(self, name: str, namespace: str) -> list[Record]:
        """Return what is known of each revision of a release, the oldest first."""
        if len(name) > LONGEST:
            return []  # and it may be no label
        entries = self._informer.store.list_entries(namespace, {"name": name})
        found = [self._record(one) for one in entries if _number(one.labels.get("version"))]
        return sorted(found, key=lambda record: record.version)

    def get(self, record: Record) -> Release:
        """Return the release of *record*; while it counts, it is decoded once for each version.

        Raises:
            DecodeError: It is not one.
        """
        version, release = self._read.get(record.key, ("", None))
        if release is None or version != record.resource_version:
            release = read_release(self._informer.store.get(record.key))
            # With its chart, it is large, and nobody asks for what has been replaced.
            if record.status != "superseded":
                self._read[record.key] = (record.resource_version, release)
        return release

    def readable(self, records: list[Record]) -> list[Record]:
        """Return those of *records* that hold a release."""
        return [one for one in records if self._is_readable(one)]

    def _is_readable(self, record: Record) -> bool:
        try:
            self.get(record)
        except DecodeError:
            return False
        return True

    async def objects(self, release: Release) -> list[dict[str, Any]]:
        """Return the objects of *release*, which `get` has returned; do not change them.

        A large manifest takes 20 ms to read, and each event of a child needs it.
        """
        known = self._objects.get((release.namespace, release.name))
        if known is None or known[0] is not release:
            known = (release, await read_objects(release.manifest))
            self._objects[release.namespace, release.name] = known
        return known[1]

    def _record(self, entry: "Entry[Unstructured]") -> Record:
        known = self._records.get(entry.key)
        if known is None or known.resource_version != entry.resource_version:
            known = Record(
                entry.key,
                _number(entry.labels.get("version")),
                entry.labels.get("status", "unknown"),
                str(entry.object.metadata.annotations.get(INPUTS) or ""),
                entry.resource_version,
                _number(entry.labels.get("modifiedAt")) or _number(entry.labels.get("createdAt")),
                holder_of(entry.object),
                _found_in(entry.object),
            )
            self._records[entry.key] = known
            self._read.pop(entry.key, None)
        return known

    def forget(self, name: str, namespace: str) -> None:
        """Forget what was decoded of a release that is gone."""
        prefix = f"sh.helm.release.v1.{name}.v"
        self._objects.pop((namespace, name), None)
        for key in [one for one in self._records if one.namespace == namespace]:
            if key.name.startswith(prefix):
                self._forget(key)

    async def create(
        self,
        release: Release,
        owner: dict[str, Any] | None,
        found: frozenset[str] | None = None,
    ) -> None:
        """Write a new revision.

        Args:
            release: The revision.
            owner: The custom object that it belongs to.
            found: The uids of objects that were there before it.

        Raises:
            RetryAfter: Another custom object has been faster.
        """
        secret = secret_for(release, self._cluster.clock.now())
        secret["metadata"]["labels"]["createdAt"] = secret["metadata"]["labels"]["modifiedAt"]
        noted = {} if found is None else {FOUND: " ".join(sorted(found))}
        secret["metadata"]["annotations"] |= noted
        if owner is not None:
            secret["metadata"]["ownerReferences"] = [owner]
        try:
            await self._cluster.client.create(secret)
        except AlreadyExistsError:
            # Ours, from a moment ago, and not in the cache yet; or the rest of one that is going.
            await self._check_holder(secret.key, owner)
            await self._write(release, owner, noted)
        except APIError as error:
            if error.status.code != _TOO_LARGE and _TOO_LONG not in str(error):
                raise
            raise TerminalError(
                f"the release does not fit into its Secret, which holds 1 MB: {error}\nTake files"
                " that no template needs out of the chart, by its .helmignore, or large values out"
                " of the object."
            ) from error

    async def update(
        self, release: Release, status: ReleaseStatus, description: str = ""
    ) -> Release:
        """Write *release* with another status, and return it."""
        changed = replace(release, status=status, description=description or release.description)
        await self._write(changed)
        return changed

    async def adopt(self, release: Release, inputs: str, owner: dict[str, Any] | None) -> Release:
        """Note what *release*, which somebody else has installed, is rendered from."""
        changed = replace(release, inputs=inputs)
        metadata: dict[str, Any] = {"annotations": {INPUTS: inputs}}
        if owner is not None:
            metadata["ownerReferences"] = [owner]
        key = secret_for(release, self._cluster.clock.now()).key
        await self._cluster.client.patch(SECRET, key, {"metadata": metadata})
        return changed

    async def trim(self, name: str, namespace: str) -> None:
        """Remove the oldest revisions, if there are too many."""
        records = self.records(name, namespace)
        spare = [one for one in records[:-1] if one.status != "deployed"]
        for record in spare[: max(0, len(records) - KEPT)]:
            await self._remove(record)

    async def remove_all(self, name: str, namespace: str) -> None:
        """Remove every revision of a release."""
        for record in self.records(name, namespace):
            await self._remove(record)
        self.forget(name, namespace)

    def now(self) -> str:
        """Return the current time as Helm writes it."""
        return format_time(self._cluster.clock.now())

    async def _check_holder(self, key: ObjectKey, owner: dict[str, Any] | None) -> None:
        live = await self._cluster.live.find(SECRET, key)
        if live is None or owner is None:
            return
        us = holder_said_by(owner)
        if rival := await find_rival(self._cluster, holder_of(live), us, key.namespace):
            raise RetryAfter(1.0, f"{rival} has begun this release a moment ago")

    async def _write(
        self,
        release: Release,
        owner: dict[str, Any] | None = None,
        noted: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        secret = secret_for(release, self._cluster.clock.now())
        metadata = {name: secret["metadata"][name] for name in ("labels", "annotations")}
        metadata["annotations"] = {**metadata["annotations"], **noted}
        if owner is not None:
            metadata["ownerReferences"] = [owner]
        patch = {"metadata": metadata, "data": secret["data"]}
        try:
            await self._cluster.client.patch(SECRET, secret.key, patch)
        except NotFoundError as error:
            if not error.is_about_object or release.status != "uninstalling":
                raise  # only at the end may somebody else have been faster

    def _forget(self, key: ObjectKey) -> None:
        self._records.pop(key, None)
        self._read.pop(key, None)

    async def _remove(self, record: Record) -> None:
        self._forget(record.key)
        try:
            await self._cluster.client.delete(SECRET, record.key)
        except NotFoundError as error:
            if not error.is_about_object:
                raise


def _number(text: str | None) -> int:
    """Return what a label says, 0 if it is no number: anybody may have written it."""
    return int(text) if text and text.isdecimal() else 0


def _found_in(secret: Unstructured) -> frozenset[str] | None:
    noted = secret.metadata.annotations.get(FOUND)
    return None if noted is None else frozenset(str(noted).split())
