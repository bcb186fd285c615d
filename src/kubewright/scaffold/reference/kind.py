"""Kinds as a reader sees them: names, versions, columns, and an example."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from kubewright.crd.identifiers import Names
from kubewright.crd.reading import schema_in, versions_of
from kubewright.scaffold.reference.field import Field, anchor_of, fields_of
from kubewright.scaffold.reference.words import rules_of

Document = dict[str, Any]
Samples = Mapping[tuple[str, str], list[str]]


class Column(msgspec.Struct, frozen=True):
    """A column of ``kubectl get``."""

    name: str
    path: str
    type: str
    wide: bool
    description: str


class Version(msgspec.Struct, frozen=True):
    """One version of a kind.

    Attributes:
        name: Such as ``v1``.
        api_version: With the group: ``example.com/v1``.
        anchor: What a link says after the sign ``#``.
        flags: Whether it is stored, not served, or deprecated, in words.
        description: What the CRD says about the kind: foreign text.
        fields: Its fields.
        rules: What CEL rules say about the object as a whole.
        columns: What ``kubectl get`` prints.
        subresources: Such as ``status``.
        selectable: The fields that objects can be selected by.
        samples: Examples in YAML.
    """

    name: str
    api_version: str
    anchor: str
    flags: tuple[str, ...] = ()
    description: str = ""
    fields: tuple[Field, ...] = ()
    rules: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    subresources: tuple[str, ...] = ()
    selectable: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()


class Kind(msgspec.Struct, frozen=True):
    """A kind with its versions, the stored one first."""

    name: str
    group: str
    crd: str
    anchor: str
    scope: str
    plural: str
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    conversion: bool
    versions: tuple[Version, ...]


def kinds_of(crds: Iterable[Document], samples: Samples) -> list[Kind]:
    """Return the kinds of *crds*, sorted by group and name.

    Args:
        crds: CRDs that were checked.
        samples: Examples in YAML by apiVersion and kind.
    """
    ordered = sorted(crds, key=lambda crd: (crd["spec"]["group"], crd["spec"]["names"]["kind"]))
    names = [crd["spec"]["names"]["kind"] for crd in ordered]
    anchors = Names()
    return [_kind(crd, samples, anchors, several=names.count(name) > 1)
            for crd, name in zip(ordered, names, strict=True)]  # fmt: skip


def _kind(crd: Document, samples: Samples, anchors: Names, *, several: bool) -> Kind:
    spec, names = crd["spec"], crd["spec"]["names"]
    # The group only where the kind alone would not do: links should be short.
    prefix = anchor_of(names["kind"], *[spec["group"]] * several)
    conversion = spec.get("conversion")
    versions = sorted(versions_of(crd), key=lambda one: not one.get("storage"))
    return Kind(
        names["kind"],
        spec["group"],
        f"{names['plural']}.{spec['group']}",
        anchors.take(prefix),
        spec["scope"],
        names["plural"],
        tuple(names.get("shortNames") or ()),
        tuple(names.get("categories") or ()),
        isinstance(conversion, dict) and conversion.get("strategy") == "Webhook",
        tuple(_version(one, crd, samples, anchors, prefix) for one in versions),
    )


def _version(
    version: Document, crd: Document, samples: Samples, anchors: Names, prefix: str
) -> Version:
    schema, spec = schema_in(version), crd["spec"]
    api_version = f"{spec['group']}/{version['name']}"
    anchor = anchors.take(anchor_of(prefix, version["name"]))
    return Version(
        version["name"],
        api_version,
        anchor,
        tuple(_flags(version)),
        str(schema.get("description") or "").strip(),
        fields_of(schema, anchor, anchors),
        tuple(rules_of(schema)),
        tuple(_column(one) for one in version.get("additionalPrinterColumns") or ()),
        tuple(_subresources(version.get("subresources") or {})),
        tuple(str(one.get("jsonPath")) for one in version.get("selectableFields") or ()),
        tuple(samples.get((api_version, spec["names"]["kind"]), ())),
    )


def _flags(version: Document) -> list[str]:
    flags = ["stored"] * bool(version.get("storage"))
    flags += ["not served"] * (not version.get("served"))
    if version.get("deprecated"):
        flags.append("deprecated")
    return flags


def _column(column: Document) -> Column:
    return Column(
        str(column.get("name", "")),
        str(column.get("jsonPath", "")),
        str(column.get("type", "")),
        bool(column.get("priority")),
        str(column.get("description", "")),
    )


def _subresources(subresources: Document) -> list[str]:
    found = ["status"] * ("status" in subresources)
    if isinstance(scale := subresources.get("scale"), dict):
        found.append(f"scale ({scale.get('specReplicasPath')})")
    return found
