"""The upgrades of a channel: from which version one gets to which."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubewright.bundle.document import Document, at, items, text, words
from kubewright.bundle.finding import Finding, error
from kubewright.bundle.semver import Range, Version

__all__ = ["check_graph"]


def check_graph(channel: Document, versions: Mapping[str, Version | None]) -> Iterator[Finding]:
    """Yield what is wrong with the entries of *channel*.

    Args:
        channel: The entry ``olm.channel``.
        versions: The versions of the bundles of its package, by name.
    """
    entries = {text(at(one, "name")): one for one in items(channel.at("entries"))}
    entries.pop("", None)
    if not entries:
        yield error(channel, ("entries",), f"the channel {text(channel.at('name'))} has no entries")
        return
    yield from _check_each(channel, versions)
    before = {name: text(at(one, "replaces")) for name, one in entries.items()}
    for name in _first_circle(before):
        yield error(
            channel, ("entries",), f"{name} replaces itself, by way of {_way(name, before)}"
        )
        return
    yield from _check_head(channel, entries, before)


def _check_each(channel: Document, versions: Mapping[str, Version | None]) -> Iterator[Finding]:
    seen: set[str] = set()
    for place, one in enumerate(items(channel.at("entries"))):
        where, name = ("entries", place), text(at(one, "name"))
        if name in seen:
            yield error(channel, where, f"the entry {name} is there twice")
        seen.add(name)
        said = at(one, "skipRange")
        if said is None:
            continue
        try:
            skipped = Range.parse(str(said))
        except ValueError as problem:
            yield error(channel, (*where, "skipRange"), f"skipRange: {problem}")
            continue
        own = versions.get(name)
        if own is not None and own in skipped:
            yield error(
                channel, (*where, "skipRange"), f"the skipRange of {name} contains {own}, itself"
            )


def _first_circle(before: Mapping[str, str]) -> Iterator[str]:
    """Yield a version that replaces itself in the end, if there is one."""
    for start in before:
        seen, name = {start}, before[start]
        while name in before and name not in seen:
            seen.add(name)
            name = before[name]
        if name == start:
            yield start
            return


def _way(start: str, before: Mapping[str, str]) -> str:
    found, name = [], before[start]
    while name != start:
        found.append(name)
        name = before[name]
    return ", ".join(found) or "nothing else"


def _check_head(
    channel: Document, entries: Mapping[str, Any], before: Mapping[str, str]
) -> Iterator[Finding]:
    """Check that there is one newest version, and that all others lead to it."""
    skipped = {name for one in entries.values() for name in words(at(one, "skips"))}
    passed = {*before.values(), *skipped}
    heads = [name for name in entries if name not in passed]
    where = ("entries",)
    if len(heads) != 1:
        names = ", ".join(sorted(heads)) or "none"
        yield error(
            channel,
            where,
            f"the channel {text(channel.at('name'))} needs one newest version, which no other"
            f" replaces or skips, and has {len(heads)}: {names}."
            " Say `replaces:` in the newer ones, or use --mode semver",
        )
        return
    reached, name = set[str](), heads[0]
    while name in entries:
        reached |= {name, *words(at(entries[name], "skips"))}
        name = before[name]
    if lost := sorted(set(entries) - reached):
        yield error(channel, where, f"no upgrade leads from {', '.join(lost)} to {heads[0]}")
