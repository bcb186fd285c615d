"""Caches in front of discovery: one in memory, one on disk that is shared with kubectl.

They stack: a `MemoryDiscoveryCache` over a `DiskDiscoveryCache` over a `DiscoveryClient`, each a
`DiscoverySource` to the next. `cached_discovery` builds the stack.
"""

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Mapping
from copy import copy
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from kubewright._aio import Clock
from kubewright.api.kind import GroupVersion
from kubewright.client.discovery import (
    APIResource,
    Discovery,
    DiscoveryClient,
    DiscoverySource,
    Sender,
)
from kubewright.client.discovery_format import (
    checked,
    decode_groups,
    decode_resources,
    encode_groups,
    encode_resources,
)
from kubewright.errors import (
    Attempt,
    DecodeError,
    KubewrightError,
    ServerError,
    Status,
    TooManyRequestsError,
    TransportError,
    api_error,
)
from kubewright.log import get_logger

T = TypeVar("T")

_log = get_logger(__name__)

CACHE_TTL = timedelta(hours=6)
"""How long a file on disk is believed; kubectl's number."""

_TRANSIENT = (TransportError, ServerError, TooManyRequestsError)
_GROUPS_FILE = "servergroups.json"
_RESOURCES_FILE = "serverresources.json"
# Names come from the server and become parts of a path, so ".." and "/" must not be among them.
_SAFE_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*").fullmatch
# What kubectl replaces in the name of a server's folder. The parentheses are inside the brackets in
# kubectl too, so they are kept; sharing a folder means sharing its quirks.
_UNSAFE_IN_HOST = re.compile(r"[^(\w/.)]", re.ASCII)
_REQUESTS_FOR_ALL = 2


class Flight(Generic[T]):
    """One attempt shared by all callers that ask while it runs, including its failure.

    If the caller that makes the attempt is cancelled, the next one makes a new attempt; so a
    cancellation never reaches other callers, and no task is left without a parent.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._ended = 0
        self._outcome: Callable[[], T] | None = None

    async def join(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of *work*, or of an attempt that ended while we waited."""
        before = self._ended
        async with self._turn:
            if self._ended == before or self._outcome is None:
                self._outcome = await _outcome(work)
                self._ended += 1
            return self._outcome()


async def _outcome(work: Callable[[], Coroutine[Any, Any, T]]) -> Callable[[], T]:
    try:
        value = await work()
    except KubewrightError as error:
        return partial(_fail, copy(error))  # a copy, without the traceback and the frames in it
    return lambda: value


def _fail(error: Exception) -> Any:
    raise copy(error)


class MemoryDiscoveryCache:
    """Remembers everything that a server serves, from the first request until `invalidate`.

    Args:
        source: Where discovery comes from.
    """

    def __init__(self, source: DiscoverySource) -> None:
        self._source = source
        self._known: Discovery | None = None
        self._refresh = Flight[Discovery]()
        self._retries: dict[GroupVersion, Flight[tuple[APIResource, ...]]] = {}

    @property
    def fresh(self) -> bool:
        """Whether there is something in memory, and it came from the server itself."""
        return self._known is not None and self._source.fresh

    def invalidate(self) -> None:
        """Forget everything; an answer that is on its way will not be stored either."""
        self._known = None
        self._refresh = Flight()
        self._retries = {}
        self._source.invalidate()

    async def discover(self) -> Discovery:
        """Return everything that the server serves, asking it at most once."""
        if self._known is not None:
            return self._known
        refresh = self._refresh
        return await refresh.join(partial(self._fill, refresh))

    async def _fill(self, refresh: Flight[Discovery]) -> Discovery:
        found = await self._source.discover()
        if self._refresh is refresh:
            self._known = found
        return found

    async def resources(self, gv: GroupVersion) -> tuple[APIResource, ...]:
        """Return the resources of *gv*; a failure that may have passed is tried again.

        Raises:
            NotFoundError: The server does not serve it.
        """
        known = await self.discover()
        if gv in known.resources:
            return known.resources[gv]
        error = known.failures.get(gv)
        if error is None:
            raise _not_served(gv)
        if not isinstance(error, _TRANSIENT):
            raise copy(error)
        retry = self._retries.setdefault(gv, Flight())
        return await retry.join(partial(self._retry, gv, retry))

    async def _retry(
        self, gv: GroupVersion, retry: Flight[tuple[APIResource, ...]]
    ) -> tuple[APIResource, ...]:
        found = await self._source.resources(gv)
        if self._known is not None and self._retries.get(gv) is retry:
            failures = {each: why for each, why in self._known.failures.items() if each != gv}
            resources = self._known.resources | {gv: found}
            self._known = Discovery(self._known.groups, resources, failures)
        return found


def _not_served(gv: GroupVersion) -> Exception:
    said = f"the server does not serve {gv}; see `kubectl api-versions`"
    return api_error(Attempt("get", gv.path), Status(message=said, reason="NotFound", code=404))


class DiskDiscoveryCache:
    """Keeps discovery in files, in kubectl's places and format, so that both can share them.

    Neither failures nor empty answers are kept. A file that is unreadable, invalid or too old is
    ignored; so is a folder that cannot be written to.

    Args:
        source: Where discovery comes from if it is not in the files.
        folder: The folder of one server; see `discovery_folder`.
        ttl: How long a file is used.
        clock: Tells how old a file is.
    """

    def __init__(
        self,
        source: DiscoverySource,
        folder: Path,
        *,
        ttl: timedelta = CACHE_TTL,
        clock: Clock | None = None,
    ) -> None:
        self._source = source
        self._folder = folder
        self._ttl = ttl
        self._clock = clock or Clock()
        self._ours: set[Path] = set()  # replaced, never emptied: late writes go to the old set
        self._only_ours = False
        self._fresh = True

    @property
    def fresh(self) -> bool:
        """Whether we wrote every file that was used since `invalidate`."""
        return self._fresh and self._source.fresh

    def invalidate(self) -> None:
        """Ignore all files that were written before now."""
        self._ours = set()
        self._only_ours = True
        self._fresh = True
        self._source.invalidate()

    async def discover(self) -> Discovery:
        """Return everything that the server serves, from the files where possible."""
        stored, used = await asyncio.to_thread(self._load)
        missing = [
            gv for group in stored.groups for gv in group.group_versions
            if gv not in stored.resources
        ]  # fmt: skip
        # Two requests return everything, so single requests pay off only for a few groups.
        if not stored.groups or len(missing) > _REQUESTS_FOR_ALL:
            return await self._discover_live()
        self._note(used)
        for gv in missing:
            stored = await self._with(stored, gv)
        return stored

    async def resources(self, gv: GroupVersion) -> tuple[APIResource, ...]:
        """Return the resources of *gv*, from its file or from the server."""
        path = self._path(gv)
        found = await asyncio.to_thread(self._read, path, partial(decode_resources, gv=gv))
        if path and found:
            self._note({path})
            return found
        return await self._resources_live(gv)

    async def _discover_live(self) -> Discovery:
        ours = self._ours
        found = await self._source.discover()
        files = {self._path(gv): encode_resources(gv, each)
                 for gv, each in found.resources.items() if each}  # fmt: skip
        if found.groups:
            # Last, so that no reader finds a list of groups without their resources.
            files[self._folder / _GROUPS_FILE] = encode_groups(found.groups)
        ours.update(await asyncio.to_thread(self._write_all, files))
        return found

    async def _resources_live(self, gv: GroupVersion) -> tuple[APIResource, ...]:
        ours = self._ours
        found = await self._source.resources(gv)
        if found:
            file = {self._path(gv): encode_resources(gv, found)}
            ours.update(await asyncio.to_thread(self._write_all, file))
        return found

    async def _with(self, stored: Discovery, gv: GroupVersion) -> Discovery:
        try:
            found = await self._resources_live(gv)
        except KubewrightError as error:
            return Discovery(stored.groups, stored.resources, stored.failures | {gv: error})
        return Discovery(stored.groups, stored.resources | {gv: found}, stored.failures)

    def _note(self, used: set[Path]) -> None:
        self._fresh = self._fresh and used <= self._ours

    def _path(self, gv: GroupVersion) -> Path | None:
        segments = [gv.group, gv.version] if gv.group else [gv.version]
        if not all(map(_SAFE_SEGMENT, segments)):
            return None
        return self._folder.joinpath(*segments, _RESOURCES_FILE)

    def _load(self) -> tuple[Discovery, set[Path]]:
        """Return the content of the files, and the files that were used."""
        index = self._folder / _GROUPS_FILE
        groups = self._read(index, decode_groups) or ()
        used = {index} if groups else set()
        resources = {}
        for gv in (gv for group in groups for gv in group.group_versions):
            path = self._path(gv)
            found = self._read(path, partial(decode_resources, gv=gv))
            if path and found:
                resources[gv] = found
                used.add(path)
        return checked(Discovery(groups, resources)), used

    def _read(self, path: Path | None, decode: Callable[[bytes], T]) -> T | None:
        if path is None or (self._only_ours and path not in self._ours):
            return None
        try:
            with path.open("rb") as file:
                age = self._clock.now().timestamp() - os.fstat(file.fileno()).st_mtime
                return decode(file.read()) if age <= self._ttl.total_seconds() else None
        except (OSError, DecodeError):
            return None

    def _write_all(self, files: Mapping[Path | None, bytes]) -> set[Path]:
        now = self._clock.now().timestamp()
        return {path for path, data in files.items() if path and _write(path, data, now=now)}


def _write(path: Path, data: bytes, *, now: float) -> bool:
    """Put *data* at *path* in one step; return whether that worked."""
    try:
        _make_folder(path.parent)
        _replace(path, data, now=now)
    except OSError as error:
        _log.debug("cannot write to the discovery cache", name=str(path), error=str(error))
        return False
    return True


def _replace(path: Path, data: bytes, *, now: float) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o660)
        os.utime(name, (now, now))  # so that one clock both dates the file and tells its age
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _make_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(0o750, exist_ok=True)


def kubectl_cache_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """Return kubectl's cache: ``$KUBECACHEDIR``, or ``~/.kube/cache``."""
    if chosen := environ.get("KUBECACHEDIR"):
        return Path(chosen)
    return Path("~/.kube/cache").expanduser()


def discovery_folder(cache_dir: Path, host: str) -> Path:
    """Return the folder within *cache_dir* where kubectl keeps the discovery of *host*.

    Example:
        >>> str(discovery_folder(Path("cache"), "https://10.0.0.1:6443"))
        'cache/discovery/10.0.0.1_6443'
    """
    bare = host.replace("https://", "", 1).replace("http://", "", 1)
    safe = _UNSAFE_IN_HOST.sub("_", bare)
    # kubectl keeps ".." in the path of a server, and then writes outside its cache.
    inside = ("_" * len(part) if part in {".", ".."} else part for part in safe.split("/") if part)
    return (cache_dir / "discovery").joinpath(*inside)


def cached_discovery(
    sender: Sender, *, host: str = "", cache_dir: Path | None = None, clock: Clock | None = None
) -> MemoryDiscoveryCache:
    """Return discovery with a cache in memory and, given a *cache_dir*, on disk behind it.

    Args:
        sender: Where requests go.
        host: The server's address as the kubeconfig has it; it names the folder.
        cache_dir: For example `kubectl_cache_dir`; ``None`` keeps everything in memory.
        clock: The source of time.

    Raises:
        ValueError: There is a folder but no host, so two servers would mix in it.
    """
    client = DiscoveryClient(sender)
    if cache_dir is None:
        return MemoryDiscoveryCache(client)
    if not host:
        raise ValueError(f"whose discovery is kept in {cache_dir}? Give the server's host, too")
    folder = discovery_folder(cache_dir, host)
    return MemoryDiscoveryCache(DiskDiscoveryCache(client, folder, clock=clock))
