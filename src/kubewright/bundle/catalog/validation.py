"""Whether a catalog can be served: names that fit, and channels that lead to the newest version."""

from collections.abc import Iterator
from typing import Any

from kubewright.bundle.catalog.graph import check_graph
from kubewright.bundle.catalog.reading import BUNDLE, CHANNEL, PACKAGE, Catalog, schema_of
from kubewright.bundle.document import Document, at, items, text
from kubewright.bundle.finding import Finding, error
from kubewright.bundle.semver import Version

__all__ = ["check_catalog"]

_DEPRECATIONS = "olm.deprecations"


def check_catalog(catalog: Catalog) -> Iterator[Finding]:
    """Yield what is wrong with a catalog."""
    packages = {text(one.at("name")) for one in catalog.of(PACKAGE)}
    for one in catalog.entries:
        yield from _check_entry(one, packages)
    yield from _check_unique(catalog)
    for package in catalog.of(PACKAGE):
        yield from _check_package(package, catalog)
    for channel in catalog.of(CHANNEL):
        yield from _check_channel(channel, catalog)
    for bundle in catalog.of(BUNDLE):
        yield from _check_bundle(bundle, catalog)


def _check_entry(one: Document, packages: set[str]) -> Iterator[Finding]:
    schema = schema_of(one)
    if not schema:
        yield error(one, (), "an entry of a catalog needs `schema:`, such as olm.bundle")
        return
    if schema in {PACKAGE, CHANNEL, BUNDLE} and not text(one.at("name")):
        yield error(one, (), f"an entry {schema} needs a name")
    if schema in {CHANNEL, BUNDLE, _DEPRECATIONS}:
        package = text(one.at("package"))
        if not package:
            yield error(one, (), f"an entry {schema} needs `package:`")
        elif package not in packages:
            known = ", ".join(sorted(packages)) or "none"
            yield error(
                one, ("package",), f"there is no olm.package {package!r}. There are: {known}"
            )


def _check_unique(catalog: Catalog) -> Iterator[Finding]:
    seen: dict[tuple[Any, ...], Document] = {}
    for one in catalog.entries:
        schema = schema_of(one)
        name = text(one.at("name"))
        package = "" if schema == PACKAGE else text(one.at("package"))
        if schema not in {PACKAGE, CHANNEL, BUNDLE} or not name:
            continue
        key = (schema, package, name)
        if key in seen:
            there = seen[key]
            yield error(one, (), f"{schema} {name} is in {there.path}, line {there.line()}, too")
        seen[key] = one


def _check_package(package: Document, catalog: Catalog) -> Iterator[Finding]:
    name, default = text(package.at("name")), text(package.at("defaultChannel"))
    channels = [text(one.at("name")) for one in catalog.of(CHANNEL, name)]
    if not channels:
        yield error(package, (), f"the package {name} has no channels")
    elif not default:
        yield error(
            package, (), f"the package {name} needs a defaultChannel: {', '.join(channels)}"
        )
    elif default not in channels:
        yield error(
            package,
            ("defaultChannel",),
            f"there is no channel {default!r} of {name}. There are {', '.join(channels)}",
        )
    icon = package.at("icon")
    if icon is not None and not (text(at(icon, "base64data")) and text(at(icon, "mediatype"))):
        yield error(package, ("icon",), "an icon needs both base64data and mediatype")
    versions: dict[Version, Document] = {}
    for bundle in catalog.of(BUNDLE, name):
        for version in _versions(bundle):
            if version in versions:
                yield error(
                    bundle,
                    ("properties",),
                    f"{text(versions[version].at('name'))} has the version {version}, too",
                )
            versions[version] = bundle


def _versions(bundle: Document) -> list[Version]:
    values = [
        at(one, "value", "version")
        for one in items(bundle.at("properties"))
        if at(one, "type") == PACKAGE
    ]
    return [found for one in values if (found := Version.find(one)) is not None]


def _check_channel(channel: Document, catalog: Catalog) -> Iterator[Finding]:
    package = text(channel.at("package"))
    bundles = {text(one.at("name")): one for one in catalog.of(BUNDLE, package)}
    for place, one in enumerate(items(channel.at("entries"))):
        name = text(at(one, "name"))
        if not name:
            yield error(channel, ("entries", place), "an entry of a channel needs a name")
        elif name not in bundles:
            yield error(channel, ("entries", place), f"there is no olm.bundle {name} of {package}")
    versions = {name: next(iter(_versions(one)), None) for name, one in bundles.items()}
    yield from check_graph(channel, versions)


def _check_bundle(bundle: Document, catalog: Catalog) -> Iterator[Finding]:
    name, package = text(bundle.at("name")), text(bundle.at("package"))
    if not text(bundle.at("image")):
        yield error(bundle, (), f"the bundle {name} has no image")
    listed = [
        at(one, "name")
        for channel in catalog.of(CHANNEL, package)
        for one in items(channel.at("entries"))
    ]
    if name and name not in listed:
        yield error(bundle, (), f"the bundle {name} is in no channel of {package}")
    found = 0
    for place, one in enumerate(items(bundle.at("properties"))):
        where = ("properties", place)
        kind, value = text(at(one, "type")), at(one, "value")
        if not kind or value is None:
            yield error(bundle, where, "a property needs both `type:` and `value:`")
        elif kind == PACKAGE:
            found += 1
            yield from _check_identity(bundle, where, value)
        elif kind in {"olm.gvk", "olm.gvk.required"}:
            yield from _check_kind(bundle, where, value)
    if found != 1:
        yield error(
            bundle,
            ("properties",),
            f"the bundle {name} needs exactly one property {PACKAGE}, and has {found}",
        )


def _check_kind(bundle: Document, where: tuple[str | int, ...], value: Any) -> Iterator[Finding]:
    if missing := [key for key in ("group", "version", "kind") if not text(at(value, key))]:
        yield error(bundle, where, f"this property needs {', '.join(missing)} in its value")


def _check_identity(
    bundle: Document, where: tuple[str | int, ...], value: Any
) -> Iterator[Finding]:
    package, version = at(value, "packageName"), at(value, "version")
    if package != bundle.at("package"):
        yield error(bundle, where, f"the property says package {package!r}, and the bundle another")
    if Version.find(version) is None:
        yield error(bundle, where, f"{version!r} is not a version like 1.2.3")
