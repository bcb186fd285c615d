"""Keeps what is only random in a manifest: a new password for each render would be no password."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
import yaml

from kubewright.application.documents import document, text_of
from kubewright.helm.manifest import Rendering, objects_in, sources_in
from kubewright.helm.pieces import CHANCE, from_base64, kept_text, pairs, to_base64

__all__ = ["keep_random"]

_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_WORD = re.compile(r"[^-.]*[-.]")
_CONFIGURATION = frozenset({"ConfigMap", "Secret"})
_NOTHING: Any = object()
_Name: TypeAlias = tuple[str, str, str, str]


class _Document(msgspec.Struct, frozen=True):
    source: str
    text: str
    body: Any

    @property
    def name(self) -> _Name:
        """What is the same object under: its group, kind, namespace and name."""
        body = self.body if isinstance(self.body, dict) else {}
        metadata = body.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        group = str(body.get("apiVersion") or "").rpartition("/")[0]
        parts = (body.get("kind"), metadata.get("namespace"), metadata.get("name"))
        kind, namespace, name = (str(one or "") for one in parts)
        return group, kind, namespace, name

    @property
    def short_name(self) -> tuple[str, str]:
        """Its kind and its name."""
        return self.name[1], self.name[3]


class _Trio(msgspec.Struct, frozen=True):
    """What was rendered, the same rendered again, and the body before, if there was one."""

    new: _Document
    other: Any
    old: Any

    def merged(self, *, checksums: bool) -> Any:
        is_secret = self.new.name[1] == "Secret"
        return _Merge(checksums, is_secret).of(self.new.body, self.other, self.old)


def keep_random(before: str, first: Rendering, second: Rendering) -> Rendering:
    """Return *first* with the random values of the release *before*.

    What differs between two renders of the same is random. A checksum of a configuration is kept
    only if nothing else changes in any configuration, since it tells pods to start anew.

    Args:
        before: The manifest of the release that is there.
        first: What was rendered.
        second: The same, rendered again.

    Raises:
        RenderError: The second is no manifest: what is random in it needs quotes.
    """
    if first.manifest == second.manifest:
        return first
    objects_in(second.manifest)
    try:
        old = list(_documents(before))
    except yaml.YAMLError:
        return first  # nobody has installed that
    new, others = list(_documents(first.manifest)), list(_documents(second.manifest))
    if len(others) != len(new):
        return first  # even the objects are random, and nothing can be compared
    trios = list(_trios(new, others, old))
    kept = [one.merged(checksums=False) for one in trios]
    if not _configuration_changed(old, kept):
        kept = [one.merged(checksums=True) for one in trios]
    parts = [
        f"---\n# Source: {one.source}\n{_text(one, body).rstrip()}\n"
        for one, body in zip(new, kept, strict=True)
    ]
    return Rendering("".join(parts), first.hooks, first.notes, first.definitions)


def _documents(manifest: str) -> Iterator[_Document]:
    return (_Document(source, text, document(text)) for source, text in sources_in(manifest))


def _text(of: _Document, body: Any) -> str:
    return of.text if body == of.body else text_of(body)


def _trios(new: list[_Document], others: list[_Document], old: list[_Document]) -> Iterator[_Trio]:
    """Find each document in the other render, and in what was before: by its name.

    Only those whose names are random, too, are matched by their number among such, of the same
    template and kind, whose names begin in the same way.
    """
    again = {one.name: one.body for one in others}
    before = {one.name: one.body for one in old}
    stable = {one.name for one in new} & set(again)
    renamed = iter([one for one in others if one.name not in stable])
    unclaimed = [one for one in old if one.name not in stable]
    moved = _only_ones(unclaimed, [one for one in new if one.name not in before])
    counts: Counter[tuple[str, _Name]] = Counter()
    for one in new:
        if one.name in stable:
            moved_from = moved.get(one.short_name, _NOTHING)
            yield _Trio(one, again[one.name], before.get(one.name, moved_from))
            continue
        other = next(renamed, one)
        prefix = _common_beginning(one.name[3], other.name[3])
        kind = (one.source, (*one.name[:3], prefix))
        found = [
            it.body
            for it in unclaimed
            if it.source == one.source
            and it.name[:3] == one.name[:3]
            and it.name[3].startswith(prefix)
        ]
        number = counts[kind]
        counts[kind] += 1
        yield _Trio(one, other.body, found[number] if number < len(found) else _NOTHING)


def _only_ones(old: list[_Document], new: list[_Document]) -> dict[tuple[str, str], Any]:
    """Return the bodies of *old* that can only be those of *new* in another group or namespace.

    Charts move an Ingress to another group, or begin to name the namespace of the release.
    """
    theirs, ours = ([one.short_name for one in some] for some in (old, new))
    return {
        one.short_name: one.body
        for one in old
        if theirs.count(one.short_name) == ours.count(one.short_name) == 1
    }


def _common_beginning(name: str, other: str) -> str:
    """Return the words that both begin with; letters may be the same by chance."""
    words = zip(_WORD.findall(name), _WORD.findall(other), strict=False)
    return "".join(one for one, _ in itertools.takewhile(lambda two: two[0] == two[1], words))


class _Merge:
    """Puts the values before in the place of random ones.

    Args:
        checksums: Whether checksums are kept, too.
        is_secret: Whether it is a Secret, whose data is in base64.
    """

    def __init__(self, checksums: bool, is_secret: bool) -> None:
        self._checksums = checksums
        self._is_secret = is_secret

    def of(self, new: Any, other: Any, old: Any, path: tuple[str, ...] = ()) -> Any:
        """Return *new* with what is random in it from *old*."""
        if new == other or old is _NOTHING:
            return new
        if isinstance(new, dict) and isinstance(other, dict) and isinstance(old, dict):
            return {
                name: self.of(value, other.get(name), old.get(name, _NOTHING), (*path, name))
                for name, value in new.items()
            }
        if isinstance(new, list) and isinstance(other, list) and isinstance(old, list):
            return self._of_lists(new, other, old, path)
        if isinstance(new, str) and isinstance(other, str) and isinstance(old, str):
            return self._of_texts(new, other, old, path)
        # A password without quotes may be a number in one render, and a text in another.
        return old if _is_scalar(new) and _is_scalar(old) else new

    def _of_texts(self, new: str, other: str, old: str, path: tuple[str, ...]) -> str:
        if _CHECKSUM.fullmatch(new) is not None:
            return old if self._checksums else new
        if self._is_secret and path[:1] == ("data",):
            decoded = from_base64(new, other, old)
            return old if decoded is None else to_base64(kept_text(*decoded))
        return kept_text(new, other, old)

    def _of_lists(
        self, new: list[Any], other: list[Any], old: list[Any], path: tuple[str, ...]
    ) -> list[Any]:
        if len(new) != len(other):
            return old
        if (names := _names(new)) and names == _names(other) and (known := _names(old)):
            places = dict(zip(known, old, strict=True))
            found = [places.get(name, _NOTHING) for name in names]
        elif len(new) == len(old):
            found = old
        else:
            found = _aligned(new, other, old)
        return [self.of(*three, (*path, "[]")) for three in zip(new, other, found, strict=True)]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _names(items: list[Any]) -> list[str]:
    """Return the names of *items*, by which they are told apart; none if they have none."""
    found = [_name_of(one) for one in items]
    return found if all(found) and len(set(found)) == len(found) else []


def _name_of(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    if isinstance(item.get("metadata"), dict):  # the objects of a List
        return " ".join(_Document("", "", item).name).strip()
    return str(item.get("name") or "")


def _aligned(new: list[Any], other: list[Any], old: list[Any]) -> list[Any]:
    """Return for each item of *new* the one of *old* in its place, as far as there is one."""
    ours = [
        _canonical(one) if one == again else CHANCE for one, again in zip(new, other, strict=True)
    ]
    left = iter(old)
    found: list[Any] = []
    for part, theirs, _ in pairs(ours, [_canonical(one) for one in old]):
        there = [next(left) for _ in theirs]
        if len(part) == len(there):
            found += there
            continue
        drawn = iter(there if part.count(CHANCE) == len(there) else ())
        found += [next(drawn, _NOTHING) if one is CHANCE else _NOTHING for one in part]
    return found


def _canonical(item: Any) -> str:
    return json.dumps(item, sort_keys=True, default=str)


def _configuration_changed(old: list[_Document], kept: list[Any]) -> bool:
    def settings(bodies: list[Any]) -> dict[_Name, Any]:
        found = [_Document("", "", body) for body in bodies]
        return {one.name: one.body for one in found if one.name[1] in _CONFIGURATION}

    return settings([one.body for one in old]) != settings(kept)
