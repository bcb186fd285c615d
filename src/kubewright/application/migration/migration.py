"""`migrate_storage`: all objects of a custom kind, stored anew in its storage version."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kubewright import _json
from kubewright.api import requests
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Place, WriteOptions
from kubewright.application.migration.collection import FIELD_OWNER, PAGE_SIZE, Collection
from kubewright.application.migration.definition import (
    CRDS,
    Definition,
    find_definition,
    get_definition,
)
from kubewright.application.migration.progress import Progress, ProgressFile
from kubewright.client import Client
from kubewright.errors import (
    APIError,
    ConflictError,
    KubewrightError,
    NotFoundError,
    TooManyRequestsError,
    TransportError,
    UnauthorizedError,
)

__all__ = ["WORKERS", "StorageMigration", "migrate_storage"]

WORKERS = 8
MOST_FAILURES = 100
"""After so many, something is wrong with all of them; the rest is left alone."""
_PASSES = 3
_LOOKS, _LOOK_EVERY = 20, 0.5  # for ten seconds in all

OnProgress = Callable[[int, int | None], object]
"""Called with the number of objects that are done, and about how many there are, if known."""


@dataclass(frozen=True, slots=True)
class StorageMigration:
    """What `migrate_storage` did, or would do.

    Attributes:
        crd: The full name of the CustomResourceDefinition.
        version: The storage version.
        stored_versions: The ``status.storedVersions`` of the CRD before.
        objects: How many objects are stored in that version now; in a dry run, how many there are.
        failed: The objects that could not be written, as ``namespace/name``, and why.
        trimmed: Whether ``storedVersions`` has only the storage version now.
        problem: Why it was not trimmed, and what to do; empty otherwise and in a dry run.
    """

    crd: str
    version: str
    stored_versions: tuple[str, ...]
    objects: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    trimmed: bool = False
    problem: str = ""


async def migrate_storage(  # noqa: PLR0913  # all but two are for a special need
    client: Client,
    kind: str,
    *,
    page_size: int = PAGE_SIZE,
    workers: int = WORKERS,
    state: Path | None = None,
    restart: bool = False,
    dry_run: bool = False,
    on_progress: OnProgress = lambda done, total: None,
) -> StorageMigration:
    """Store all objects of a custom kind in its storage version, and note in the CRD that they are.

    After that, ``status.storedVersions`` has only the storage version, and older versions can be
    removed from the CRD. It is trimmed only if every object was written, and if the storage
    version has been the same all the time. It may be cancelled, and called again, at any time.

    Args:
        client: Where the objects are.
        kind: What kubectl calls it: a plural, a kind, a short name, or ``shops.example.com``.
        page_size: How many objects to list at once.
        workers: How many objects to write at the same time.
        state: A folder to keep the progress in, so that the next call goes on where this one
            stopped; by default it begins with the first object.
        restart: Ignore the progress of earlier calls.
        dry_run: Only count what would be done.
        on_progress: Called with the number of objects that are done, and about how many there are,
            or ``None`` if the server does not say.

    Raises:
        NoMatchError: No CRD goes by that name.
        ConfigError: Its objects cannot be written, or the progress cannot be kept.
        ValueError: A number is below 1.
        KubewrightError: The server refuses everything, or cannot be reached.

    Example:
        >>> done = await migrate_storage(client, "shops.example.com")  # doctest: +SKIP
        >>> done.trimmed  # doctest: +SKIP
        True
    """
    for name, value in (("page_size", page_size), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{name}={value} is too few: it must be at least 1")
    definition = await find_definition(client, kind)
    if definition.is_migrated:
        return StorageMigration(
            definition.name, definition.storage_version, definition.stored_versions, trimmed=True
        )
    if dry_run:
        objects = Collection(client, definition.mapping(), page_size=page_size)
        return StorageMigration(
            definition.name,
            definition.storage_version,
            definition.stored_versions,
            await objects.count(),
        )
    file = ProgressFile(state, client.config.url, definition)
    run = _Run(client, definition, file, page_size, workers, on_progress)
    return await run.run(restart=restart)


class _Run:
    """One migration of one kind."""

    def __init__(
        self,
        client: Client,
        definition: Definition,
        file: ProgressFile,
        page_size: int,
        workers: int,
        on_progress: OnProgress,
    ) -> None:
        self._client = client
        self._definition = definition
        self._file = file
        self._page_size = page_size
        self._workers = workers
        self._on_progress = on_progress
        self._progress = Progress(definition.metadata.generation)

    async def run(self, *, restart: bool) -> StorageMigration:
        """Write all objects, look at the CRD once more, and trim it."""
        definition, generation = self._definition, self._definition.metadata.generation
        if not restart:
            self._progress = self._file.load(generation)
        for _ in range(_PASSES):
            self._file.save(self._progress)
            if problem := await self._pass(definition):
                return self._result(problem)
            now = await self._look_again()
            if isinstance(now, str):
                return self._result(now)
            if now.metadata.generation == definition.metadata.generation:
                return await self._trim(now)
            # Its spec was changed meanwhile, by new certificates or a new schema, or by another
            # storage version for a moment. Nothing tells which, so all objects are written again;
            # those that are right already only cost a read.
            definition, self._progress = now, Progress(now.metadata.generation)
        return self._result("the CRD changes all the time. Run it again when it is at rest.")

    async def _pass(self, definition: Definition) -> str:
        """Write all objects once; return why not all are written, or an empty text."""
        objects = Collection(self._client, definition.mapping(), page_size=self._page_size)
        if not await self._is_heard(objects, definition.storage_version):
            return (
                f"the server does not store in {definition.storage_version} yet, although the CRD"
                " says so. Run it again in a moment."
            )
        progress = self._progress
        await self._retry_failed(objects)
        while not progress.listed and len(progress.failed) < MOST_FAILURES:
            page = await objects.page(progress.continue_)
            batch = await self._write(objects, page.keys, remaining=page.remaining)
            progress.failed |= batch.failed
            if batch.left:
                break  # the file stays as it is: the next run begins with this page
            progress.migrated += batch.migrated
            progress.continue_, progress.listed = page.continue_, not page.continue_
            self._file.save(progress)
        if not progress.failed:
            return ""
        if progress.listed:
            return "not every object could be written. Mend them, and run it again."
        return f"{len(progress.failed)} objects could not be written, and the rest was left alone."

    async def _is_heard(self, objects: Collection, version: str) -> bool:
        for _ in range(_LOOKS):
            if await objects.stores_in(version):
                return True
            await self._client.clock.sleep(_LOOK_EVERY)
        return False

    async def _retry_failed(self, objects: Collection) -> None:
        """Write again what an earlier run could not write."""
        progress = self._progress
        before, progress.failed = progress.failed, {}
        batch = await self._write(objects, [ObjectKey.parse(one) for one in before])
        progress.failed = {str(key): before[str(key)] for key in batch.left} | batch.failed
        progress.migrated += batch.migrated

    async def _write(
        self, objects: Collection, keys: Iterable[ObjectKey], *, remaining: int | None = None
    ) -> "_Batch":
        """Write the objects of a page, several at a time."""
        batch = _Batch(objects, keys, failures=MOST_FAILURES - len(self._progress.failed))
        known = self._progress.migrated + len(batch.left)
        total = None if remaining is None else known + remaining

        async def work() -> None:
            while await batch.write_next():
                self._on_progress(self._progress.migrated + batch.migrated, total)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._workers, len(batch.left))):
                group.create_task(work())
        if batch.end is not None:
            raise batch.end
        return batch

    async def _look_again(self) -> Definition | str:
        """Return the CRD as it is now, or why its objects are not migrated after all."""
        name, wanted = self._definition.name, self._definition.storage_version
        try:
            now = await get_definition(self._client, name)
        except NotFoundError:
            return "the CRD was deleted meanwhile."
        if now.metadata.uid != self._definition.metadata.uid:
            return "the CRD was deleted and made again meanwhile. Run it again."
        if now.storage_version != wanted:
            return (
                f"the storage version was changed from {wanted} to {now.storage_version} meanwhile."
                " Run it again."
            )
        return now

    async def _trim(self, now: Definition) -> StorageMigration:
        version = now.storage_version
        change = {
            "metadata": {"resourceVersion": now.metadata.resource_version},
            "status": {"storedVersions": [version]},
        }
        request = requests.patch(
            Place(CRDS, name=now.name, subresource="status"),
            _json.encode(change),
            WriteOptions(field_manager=FIELD_OWNER),
            patch_type="merge",
        )
        try:
            await self._client.rest.send(request)
        except ConflictError:
            return self._result(
                "somebody changed the CRD just then. Run it again: the objects are done, and it"
                " begins with this step."
            )
        self._file.clear()
        return self._result("", trimmed=True)

    def _result(self, problem: str, *, trimmed: bool = False) -> StorageMigration:
        definition = self._definition
        return StorageMigration(
            definition.name,
            definition.storage_version,
            definition.stored_versions,
            self._progress.migrated,
            dict(self._progress.failed),
            trimmed,
            problem,
        )


class _Batch:
    """Some objects, which several workers write; what it has counted is valid once they ended.

    Args:
        objects: Where the objects are.
        keys: Their names.
        failures: How many of them may fail before the rest is left alone.
    """

    def __init__(self, objects: Collection, keys: Iterable[ObjectKey], *, failures: int) -> None:
        self.left: list[ObjectKey] = list(keys)[::-1]
        self.failed: dict[str, str] = {}
        self.migrated: int = 0
        self.end: KubewrightError | None = None
        self._objects = objects
        self._failures = failures

    async def write_next(self) -> bool:
        """Write one object; return whether there may be more to do."""
        if not self.left or self.end or len(self.failed) >= self._failures:
            return False
        key = self.left.pop()
        try:
            await self._objects.rewrite(key)
        except (TransportError, TooManyRequestsError, UnauthorizedError) as error:
            self.end = error  # the next one would not fare better
            return False
        except APIError as error:
            self.failed[str(key)] = str(error)
        else:
            self.migrated += 1
        return True
