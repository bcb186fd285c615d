"""`RESTMapper`: from the names that people and manifests use for a kind to its mapping."""

from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import TypeVar

import msgspec

from kubewright._aio import Clock
from kubewright.api.kind import (
    GroupKind,
    GroupVersion,
    GroupVersionKind,
    GroupVersionResource,
    RESTMapping,
)
from kubewright.client.discovery import APIResource, Discovery, DiscoverySource
from kubewright.client.discovery_cache import Flight
from kubewright.errors import NoMatchError

T = TypeVar("T")
_Table = dict[str, list[RESTMapping]]

_MOST_SUGGESTIONS = 3
_ALIKE = 0.7  # 1 is equal; difflib's default 0.6 suggests daemonsets for a mistyped deployment


class _Name(msgspec.Struct, frozen=True):
    """One way to read ``name``, ``name.group`` or ``name.version.group``; empty means any."""

    name: str
    group: str = ""
    version: str = ""

    @classmethod
    def readings(cls, text: str) -> "list[_Name]":
        """Return what *text* can mean, the likelier first.

        ``ingresses.networking.k8s.io`` could be the version "networking" of the group "k8s.io", or
        no version and the group "networking.k8s.io". Only the server knows, so both are tried.
        """
        name, _, rest = text.lower().partition(".")
        version, dot, group = rest.partition(".")
        whole = cls(name, rest)
        return [cls(name, group, version), whole] if dot else [whole]


class _Index:
    """Every name in one `Discovery`; each list of mappings has the most important first."""

    def __init__(self, discovery: Discovery) -> None:
        self.discovery = discovery
        self.names: _Table = {}
        self.short_names: _Table = {}
        self.kinds: _Table = {}
        self.categories: _Table = {}
        for gv in discovery.group_versions():
            for resource in discovery.resources[gv]:
                if resource.kind:  # without one it only has subresources
                    self._add(resource)

    def _add(self, resource: APIResource) -> None:
        mapping = resource.mapping
        # Old servers leave the singular out; it is always the kind in lower case.
        singular = resource.singular_name or resource.kind.lower()
        for name in dict.fromkeys((resource.name.lower(), singular.lower())):
            self.names.setdefault(name, []).append(mapping)
        for name in dict.fromkeys(resource.short_names):
            self.short_names.setdefault(name.lower(), []).append(mapping)
        for name in dict.fromkeys(resource.categories):
            self.categories.setdefault(name.lower(), []).append(mapping)
        self.kinds.setdefault(resource.kind.lower(), []).append(mapping)

    def resolve(self, text: str) -> RESTMapping | None:
        """Find by any name; a full name beats a short name, and both beat a kind."""
        for tables in ((self.names, self.short_names), (self.kinds,)):
            for reading in _Name.readings(text):
                for table in tables:
                    found = _matching(table.get(reading.name, ()), reading)
                    if mapping := _last_of_first_kind(found):
                        return mapping
        return None

    def mapping(self, kind: GroupKind, versions: Iterable[str]) -> RESTMapping | None:
        """Find by kind, in the first of *versions* that has it, or in the preferred one."""
        of_kind = [each for each in self.kinds.get(kind.kind.lower(), ())
                   if each.group == kind.group]  # fmt: skip
        # Kinds may differ in case only, so the exact spelling goes first.
        of_kind.sort(key=lambda each: each.kind != kind.kind)
        if not (wanted := list(versions)):
            return _last_of_first_kind(of_kind)
        per_version = (_of_version(of_kind, version) for version in wanted)
        return next((found for found in map(_last_of_first_kind, per_version) if found), None)

    def resource(self, resource: GroupVersionResource) -> RESTMapping | None:
        """Find by the exact plural; without a version, in the preferred one."""
        for each in self.names.get(resource.resource.lower(), ()):
            if (each.plural, each.group) == (resource.resource, resource.group) and (
                resource.version in {"", each.version}
            ):
                return each
        return None

    def expand(self, category: str) -> list[RESTMapping] | None:
        """Return one mapping for each resource of the category, in its preferred version."""
        found = self.categories.get(category.lower(), ())
        chosen: dict[tuple[str, str], RESTMapping] = {}
        for each in found:
            chosen.setdefault((each.group, each.plural), each)
        return list(chosen.values()) or None

    def close_to(self, text: str) -> list[str]:
        """Return the full names that look like *text*, for a message."""
        name = text.lower().partition(".")[0]
        words = [*self.names, *self.short_names, *self.kinds, *self.categories]
        # A singular and its plural are two words but one suggestion, hence more than are shown.
        from difflib import get_close_matches

        close = get_close_matches(name, words, 2 * _MOST_SUGGESTIONS, _ALIKE)
        return list(dict.fromkeys(map(self._title, close)))[:_MOST_SUGGESTIONS]

    def _title(self, word: str) -> str:
        mapping = self.resolve(word)
        if mapping is None:
            return f"the category {word}"
        return f"{mapping.plural}.{mapping.group}" if mapping.group else mapping.plural


def _matching(found: Iterable[RESTMapping], wanted: _Name) -> list[RESTMapping]:
    """Return the mappings of the group and version, or of groups with that prefix."""
    right = [each for each in found if wanted.version in {"", each.version}]
    exact = [each for each in right if wanted.group in {"", each.group}]
    if exact or wanted.version:
        return exact
    return [each for each in right if each.group.startswith(wanted.group)]


def _of_version(found: Iterable[RESTMapping], version: str) -> list[RESTMapping]:
    return [each for each in found if each.version == version]


def _last_of_first_kind(found: list[RESTMapping]) -> RESTMapping | None:
    # Two resources of one version can give the same kind: OpenShift's "processedtemplates" and
    # "templates" are both Templates. client-go takes the last one, which users expect by now.
    if not found:
        return None
    first = found[0]
    return [each for each in found if each.gvk == first.gvk][-1]


class _Question(msgspec.Struct, frozen=True):
    """What to look for, in words, and where: no version means any."""

    text: str
    name: str
    places: tuple[GroupVersion, ...] = ()

    def no_match(self, index: _Index) -> Exception:
        """Return why there is no answer: an unreadable group, or no such name."""
        failures = index.discovery.failures
        for gv, error in failures.items():
            if gv in self.places or GroupVersion(gv.group, "") in self.places:
                return copy(error)  # the name may well exist, so "no match" would mislead
        message = f"cannot find {self.text}: the server serves nothing of that name."
        if close := index.close_to(self.name):
            message += f" Did you mean {' or '.join(close)}?"
        message += (
            "\nIf it is a custom resource, install its CustomResourceDefinition first;"
            " `kubectl api-resources` lists what is there."
        )
        for gv, error in failures.items():
            place = str(gv) if str(gv).isprintable() else ascii(str(gv))  # it is the server's text
            message += f"\nIt may also be in {place}, which could not be read: {error}"
        return NoMatchError(message)


class RESTMapper:
    """Knows where each kind lives; it asks discovery when it is first needed.

    For an unknown name it asks once more, since the CustomResourceDefinition may have been
    installed meanwhile; concurrent callers share that request. If it fails, everything known
    so far stays.

    Args:
        source: Where discovery comes from, most often a `MemoryDiscoveryCache`.
        retry_after: Seconds during which a name that was not found is not looked for again.
        clock: Tells how long ago that was.
    """

    def __init__(
        self, source: DiscoverySource, *, retry_after: float = 1.0, clock: Clock | None = None
    ) -> None:
        self._source = source
        self._retry_after = retry_after
        self._clock = clock or Clock()
        self._index: _Index | None = None
        self._loading = Flight[_Index]()
        self._refreshing = Flight[_Index]()
        self._missed: dict[str, float] = {}  # names that were not found, and when

    async def mapping(self, kind: GroupVersionKind | GroupKind, *versions: str) -> RESTMapping:
        """Return where *kind* lives.

        Args:
            kind: A kind; with a version, in that version.
            versions: More versions to accept, the best first. Without any here or in *kind*, it is
                the one that the server prefers.

        Raises:
            NoMatchError: The server has no such kind.
        """
        if isinstance(kind, GroupVersionKind):
            versions = (kind.version, *versions)
        asked = GroupKind(kind.group, kind.kind)
        text = f"kind {asked}" + (f" in version {' or '.join(versions)}" if versions else "")
        places = tuple(GroupVersion(kind.group, version) for version in versions or ("",))
        find = partial(_Index.mapping, kind=asked, versions=versions)
        return await self._ask(_Question(text, kind.kind, places), find)

    async def resource(self, resource: GroupVersionResource) -> RESTMapping:
        """Return where *resource* lives; an empty version means the one that the server prefers.

        Raises:
            NoMatchError: The server has no such resource.
        """
        text = str(resource) if resource.version else f"{resource.resource} of {resource.group!r}"
        question = _Question(f"resource {text}", resource.resource, (resource.group_version,))
        return await self._ask(question, partial(_Index.resource, resource=resource))

    async def resolve(self, name: str) -> RESTMapping:
        """Return what *name* means to kubectl, in upper or lower case.

        That is a plural, a singular, a short name or a kind, alone or with a group or a version and
        a group: ``deploy``, ``deployments.apps``, ``deployments.v1.apps``, ``Deployment``. Where
        several fit, the core group wins, then the order of the server's groups decides.

        Raises:
            NoMatchError: The server does not know the name.
            ValueError: The name is empty.
        """
        readings = _Name.readings(name)
        if not readings[0].name:
            raise ValueError(f"not the name of a resource: {name!r}; write 'pods' or 'deploy.apps'")
        places = tuple(GroupVersion(each.group, each.version) for each in readings if each.group)
        question = _Question(f"resource or kind {name!r}", readings[0].name, places)
        return await self._ask(question, partial(_Index.resolve, text=name))

    async def expand(self, category: str) -> list[RESTMapping]:
        """Return the resources of a category, such as ``all``.

        Raises:
            NoMatchError: No resource is in that category.
        """
        question = _Question(f"category {category!r}", category)
        return await self._ask(question, partial(_Index.expand, category=category))

    def reset(self) -> None:
        """Forget everything, for example after a 404 for a kind that existed before."""
        self._index = None
        self._loading = Flight()
        self._refreshing = Flight()
        self._missed = {}
        self._source.invalidate()

    async def _ask(self, question: _Question, find: Callable[[_Index], T | None]) -> T:
        if (index := self._index) is None:
            was_fresh = self._source.fresh  # it has an answer already, of any age
            index = await self._load()
            settled = self._source.fresh and not was_fresh
        else:
            settled = self._missed_lately(question)
        found = find(index)
        if found is None and not settled:
            index = await self._refresh()
            found = find(index)
        if found is None:
            self._note_miss(question)
            raise question.no_match(index)
        return found

    async def _load(self) -> _Index:
        loading = self._loading
        return await loading.join(partial(self._read, lambda: self._loading is loading))

    async def _refresh(self) -> _Index:
        refreshing = self._refreshing
        return await refreshing.join(partial(self._reread, lambda: self._refreshing is refreshing))

    async def _reread(self, wanted: Callable[[], bool]) -> _Index:
        self._source.invalidate()
        return await self._read(wanted)

    async def _read(self, wanted: Callable[[], bool]) -> _Index:
        index = _Index(await self._source.discover())
        if wanted():  # not if a reset happened while the answer was on its way
            self._index = index
        return index

    def _missed_lately(self, question: _Question) -> bool:
        at = self._missed.get(question.text)
        return at is not None and self._clock.monotonic() - at < self._retry_after

    def _note_miss(self, question: _Question) -> None:
        now = self._clock.monotonic()
        self._missed = {
            text: at for text, at in self._missed.items() if now - at < self._retry_after
        }
        # Keep an older note: a caller that asks ten times a second gets a new answer each second.
        self._missed.setdefault(question.text, now)
