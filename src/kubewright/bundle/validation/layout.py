"""Whether a bundle has the folders, annotations and dependencies that OLM reads."""

from collections.abc import Iterator
from typing import Any

from kubewright.bundle.annotations import (
    CHANNELS,
    DEFAULT_CHANNEL,
    MANIFESTS,
    MEDIA_TYPE,
    METADATA,
    PACKAGE,
    REQUIRED,
)
from kubewright.bundle.collection import KEPT
from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.finding import Finding, Level, error, warning
from kubewright.bundle.reading import Bundle
from kubewright.bundle.semver import Range

__all__ = ["check_layout"]

_DEPENDENCIES = ("olm.package", "olm.gvk", "olm.label", "olm.constraint")
_CONSTRAINTS = ("all", "any", "none", "not", "cel", "gvk", "package")


def check_layout(bundle: Bundle) -> Iterator[Finding]:
    """Yield what is wrong with the files of a bundle."""
    for folder in ("manifests", "metadata"):
        if not any(path.startswith(f"{folder}/") for path in bundle.files):
            yield Finding(
                Level.ERROR,
                f"there is no folder {folder}/ with files in it. Is this the folder of a bundle?",
                bundle.root,
            )
    yield from bundle.findings
    yield from _check_objects(bundle)
    if (found := bundle.annotations) is not None:
        yield from _check_annotations(found)
    elif any(path.startswith("metadata/") for path in bundle.files):
        yield Finding(
            Level.ERROR,
            "no file in it has `annotations:`. `kubewright generate bundle` writes"
            " metadata/annotations.yaml",
            f"{bundle.root}/metadata",
        )
    if (found := bundle.dependencies) is not None:
        for place, one in enumerate(items(found.at("dependencies"))):
            yield from _check_dependency(found, place, mapping(one))
    if (found := bundle.properties) is not None:
        for place, one in enumerate(items(found.at("properties"))):
            if not text(at(one, "type")) or at(one, "value") is None:
                yield error(
                    found, ("properties", place), "a property needs both `type:` and `value:`"
                )


def _check_objects(bundle: Bundle) -> Iterator[Finding]:
    for one in bundle.manifests:
        if not one.kind or not one.api_version:
            yield error(one, (), "this is not an object: it has no apiVersion and kind")
        elif one.kind not in KEPT:
            yield error(
                one,
                ("kind",),
                f"OLM does not install objects of the kind {one.kind} from a bundle. Take it out,"
                " or let the operator make it",
            )
    if any(path.startswith("manifests/") for path in bundle.files) and len(bundle.csvs) != 1:
        there = ", ".join(one.path for one in bundle.csvs) or "none is there"
        yield Finding(
            Level.ERROR,
            f"it should have exactly one ClusterServiceVersion: {there}",
            f"{bundle.root}/manifests",
        )


def _check_annotations(found: Document) -> Iterator[Finding]:
    said = mapping(found.at("annotations"))
    for key, meaning in REQUIRED.items():
        value = text(said.get(key)).strip()
        if not value:
            yield error(
                found, ("annotations", key), f"the annotation {key} is missing: it says {meaning}"
            )
        elif key in {MEDIA_TYPE, MANIFESTS, METADATA} and value.rstrip("/") != meaning.rstrip("/"):
            yield error(
                found,
                ("annotations", key),
                f"the annotation {key} is {value!r}, and should be {meaning!r}",
            )
    channels = [one.strip() for one in text(said.get(CHANNELS)).split(",")]
    if CHANNELS in said and text(said[CHANNELS]).strip() and not all(channels):
        yield error(
            found, ("annotations", CHANNELS), "a channel has no name: is there a comma too many?"
        )
    default = said.get(DEFAULT_CHANNEL)
    if default is not None and not text(default).strip():
        yield error(
            found,
            ("annotations", DEFAULT_CHANNEL),
            "the default channel has no name. Name one, or leave the annotation out",
        )
    elif default and default not in channels:
        yield warning(
            found,
            ("annotations", DEFAULT_CHANNEL),
            f"the bundle is not in its default channel, {default}: another version has to be",
        )
    package = text(said.get(PACKAGE))
    if package.strip() != package:
        yield error(
            found, ("annotations", PACKAGE), f"the package {package!r} has blanks around it"
        )


def _check_dependency(found: Document, place: int, one: dict[str, Any]) -> Iterator[Finding]:
    where, kind = ("dependencies", place), text(one.get("type"))
    value = mapping(one.get("value"))
    if kind not in _DEPENDENCIES:
        known = ", ".join(_DEPENDENCIES)
        yield error(
            found, where, f"a dependency of the type {kind!r} is not known. There are {known}"
        )
        return
    wanted = {
        "olm.package": ("packageName", "version"),
        "olm.gvk": ("group", "version", "kind"),
        "olm.label": ("label",),
        "olm.constraint": ("failureMessage",),
    }[kind]
    if missing := [key for key in wanted if not text(value.get(key))]:
        yield error(
            found, where, f"a dependency of the type {kind} needs {', '.join(missing)} in its value"
        )
    elif kind == "olm.package":
        try:
            Range.parse(value["version"])
        except ValueError as problem:
            yield error(found, (*where, "value", "version"), str(problem))
    elif kind == "olm.constraint" and len([key for key in _CONSTRAINTS if key in value]) != 1:
        yield error(
            found, (*where, "value"), f"a constraint has exactly one of {', '.join(_CONSTRAINTS)}"
        )
