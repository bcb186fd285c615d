"""Adds versions of operators to a catalog, and links them in the channels that they are in."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from kubewright.bundle.catalog.entry import bundle_entry, edge_of
from kubewright.bundle.catalog.reading import BUNDLE, CHANNEL, PACKAGE
from kubewright.bundle.collection import Object
from kubewright.bundle.document import at, items, mapping, text
from kubewright.bundle.reading import Bundle
from kubewright.bundle.semver import Version
from kubewright.errors import ConfigError

__all__ = ["Addition", "add_bundles"]


class Addition(NamedTuple):
    """A bundle to add.

    Attributes:
        bundle: The bundle.
        image: The image that it is in.
    """

    bundle: Bundle
    image: str


def add_bundles(
    entries: Iterable[Mapping[str, Any]], additions: Iterable[Addition], *, by_version: bool = False
) -> list[Object]:
    """Return the entries of a catalog with some bundles more, package by package.

    A bundle that is in the catalog already takes the place of itself. Entries that are not about
    packages, channels and bundles stay as they are.

    Args:
        entries: The catalog as it is; nothing for a new one.
        additions: What to add.
        by_version: Whether each version of a channel replaces the next lower one, whatever the
            ClusterServiceVersions say.

    Raises:
        ConfigError: A bundle has no ClusterServiceVersion, package or channel.
    """
    found = [dict(one) for one in entries]
    for addition in sorted(additions, key=_order):
        _add(found, addition)
    if by_version:
        versions = {
            text(one.get("name")): _version(one) for one in found if one.get("schema") == BUNDLE
        }
        for one in found:
            if one.get("schema") == CHANNEL:
                one["entries"] = _chained(items(one.get("entries")), versions)
    return sorted(found, key=_place)


def _add(found: list[Object], addition: Addition) -> None:
    bundle, csv = addition.bundle, addition.bundle.csv
    if csv is None or not bundle.package or not bundle.channels:
        raise ConfigError(
            f"{bundle.root} is not a whole bundle: run `kubewright bundle validate {bundle.root}`"
        )
    package = next((one for one in found if _is(one, PACKAGE, bundle.package)), None)
    if package is None:
        package = {"schema": PACKAGE, "name": bundle.package}
        found.append(package)
    package.setdefault("defaultChannel", bundle.default_channel or bundle.channels[0])
    if bundle.default_channel:
        package["defaultChannel"] = bundle.default_channel
    _describe(package, addition)
    entry = bundle_entry(bundle, csv, addition.image)
    found[:] = [one for one in found if not _is(one, BUNDLE, csv.name, bundle.package)]
    found.append(entry)
    for name in bundle.channels:
        channel = next((one for one in found if _is(one, CHANNEL, name, bundle.package)), None)
        if channel is None:
            channel = {"schema": CHANNEL, "name": name, "package": bundle.package, "entries": []}
            found.append(channel)
        others = [one for one in items(channel.get("entries")) if at(one, "name") != csv.name]
        channel["entries"] = [*others, edge_of(csv)]


def _describe(package: Object, addition: Addition) -> None:
    """Let the package say what its newest version says of itself."""
    csv = addition.bundle.csv
    if csv is None:
        return
    if said := text(csv.at("spec", "description")):
        package["description"] = said
    icon = mapping(at(csv.content, "spec", "icon", 0))
    if text(icon.get("base64data")):
        package["icon"] = {"base64data": icon["base64data"], "mediatype": icon.get("mediatype")}


def _chained(entries: list[Any], versions: Mapping[str, Version]) -> list[Object]:
    lowest = Version((0, 0, 0), ("0",))
    ordered = sorted(
        entries, key=lambda one: versions.get(text(at(one, "name")), lowest).precedence
    )
    chained = [{**mapping(one)} for one in ordered]
    for before, after in pairwise(chained):
        after["replaces"] = text(before.get("name"))
    if chained:
        chained[0].pop("replaces", None)
    return chained


def _version(bundle: Object) -> Version:
    values = [
        at(one, "value", "version")
        for one in items(bundle.get("properties"))
        if at(one, "type") == PACKAGE
    ]
    return next((found for one in values if (found := Version.find(one))), Version((0, 0, 0)))


def _order(addition: Addition) -> tuple[Any, ...]:
    csv = addition.bundle.csv
    found = Version.find(csv.at("spec", "version")) if csv else None
    return (addition.bundle.package, (found or Version((0, 0, 0))).precedence)


def _is(entry: Object, schema: str, name: str, package: str | None = None) -> bool:
    return (
        entry.get("schema") == schema
        and entry.get("name") == name
        and (package is None or entry.get("package") == package)
    )


def _place(entry: Object) -> tuple[Any, ...]:
    """Return the key by which a catalog is read best: a package, its channels, its versions."""
    order = [PACKAGE, CHANNEL, BUNDLE]
    schema = text(entry.get("schema"))
    package = text(entry.get("package")) or text(entry.get("name"))
    rank = order.index(schema) if schema in order else len(order)
    if schema == BUNDLE:
        return (package, rank, _version(entry).precedence)
    return (package, rank, text(entry.get("name")))
