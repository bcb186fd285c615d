"""Whether a ClusterServiceVersion is whole, and what it says holds together."""

import json
from collections.abc import Iterator
from typing import Any

from kubewright.api.names import check_dns_subdomain, check_label_value
from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.finding import Finding, error, warning
from kubewright.bundle.reading import Bundle
from kubewright.bundle.semver import Range, Version

__all__ = ["check_service_version"]

_API_VERSION = "operators.coreos.com/v1alpha1"
_SPELLED = (
    "olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces", "olm.providedAPIs",
    "olm.skipRange",
)  # fmt: skip
_MODES = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
_ALL = "AllNamespaces"
_WEBHOOKS = ("ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook")
Kind = tuple[str, str, str]


def check_service_version(bundle: Bundle) -> Iterator[Finding]:
    """Yield what is wrong with the ClusterServiceVersion of a bundle."""
    for csv in bundle.csvs:
        if csv.api_version != _API_VERSION:
            yield error(
                csv,
                ("apiVersion",),
                f"the apiVersion is {csv.api_version!r}, and should be {_API_VERSION}",
            )
        yield from _check_names(csv)
        yield from _check_fields(csv)
        yield from _check_modes(csv)
        yield from _check_versions(csv)
        yield from _check_examples(csv)
        yield from _check_annotations(csv)
        yield from _check_webhooks(csv)


def _check_names(csv: Document) -> Iterator[Finding]:
    places: list[tuple[str, str]] = [("metadata", "name")]
    if csv.at("spec", "replaces"):
        places.append(("spec", "replaces"))
    for path in places:
        name = csv.at(*path)
        try:
            check_dns_subdomain(text(name))
            check_label_value(text(name))
        except ValueError as problem:
            yield error(csv, path, f"{'.'.join(path)}: {problem}")
    if csv.at("spec", "replaces") and csv.at("spec", "replaces") == csv.name:
        yield error(csv, ("spec", "replaces"), f"{csv.name} replaces itself")


def _check_fields(csv: Document) -> Iterator[Finding]:
    if not mapping(csv.content.get("spec")):
        yield error(csv, (), "it has no spec")
        return
    if not text(csv.at("spec", "displayName")):
        yield error(csv, ("spec",), "spec.displayName is missing: what should a catalog call it?")
    if not text(csv.at("spec", "install", "strategy")):
        yield error(
            csv,
            ("spec", "install"),
            "spec.install.strategy is missing: `deployment` is the only one",
        )
    place = ("spec", "install", "spec", "deployments")
    deployments = items(csv.at(*place))
    if not deployments:
        yield error(csv, place, "spec.install.spec has no deployments, so there is nothing to run")
    for at_, one in enumerate(deployments):
        if not text(at(one, "name")) or not mapping(at(one, "spec", "template", "spec")):
            yield error(csv, (*place, at_), "a deployment needs a name, and a spec with a template")
        if any(at(one, "name") == at(other, "name") for other in deployments[:at_]):
            yield error(csv, (*place, at_), f"there are two deployments {text(at(one, 'name'))!r}")
    yield from _check_rights(csv)
    yield from _check_kinds(csv)


def _check_rights(csv: Document) -> Iterator[Finding]:
    for kind in ("permissions", "clusterPermissions"):
        for at_, one in enumerate(items(csv.at("spec", "install", "spec", kind))):
            if not text(at(one, "serviceAccountName")):
                yield error(
                    csv,
                    ("spec", "install", "spec", kind, at_),
                    f"an entry of {kind} needs serviceAccountName",
                )


def _check_kinds(csv: Document) -> Iterator[Finding]:
    for at_, one in enumerate(items(csv.at("spec", "customresourcedefinitions", "owned"))):
        where = ("spec", "customresourcedefinitions", "owned", at_)
        if missing := [key for key in ("name", "version", "kind") if not text(at(one, key))]:
            yield error(csv, where, f"an owned kind needs {', '.join(missing)}")
        elif "." not in one["name"]:
            yield error(
                csv,
                (*where, "name"),
                f"{one['name']!r} is not the name of a CRD, such as shops.example.com",
            )


def _check_modes(csv: Document) -> Iterator[Finding]:
    place = ("spec", "installModes")
    modes = [mapping(one) for one in items(csv.at(*place))]
    if not modes:
        yield error(
            csv, place, f"spec.installModes is missing: say which of {', '.join(_MODES)} work"
        )
        return
    seen: set[str] = set()
    for at_, one in enumerate(modes):
        name = text(one.get("type"))
        if name not in _MODES:
            yield error(
                csv,
                (*place, at_),
                f"{name!r} is not an install mode. There are {', '.join(_MODES)}",
            )
        if name in seen:
            yield error(csv, (*place, at_), f"the install mode {name} is there twice")
        seen.add(name)
    supported = {text(one.get("type")) for one in modes if one.get("supported") is True}
    if not supported:
        yield error(csv, place, "no install mode is supported, so it can be installed nowhere")
    converts = any(at(one, "conversionCRDs") for one in items(csv.at("spec", "webhookdefinitions")))
    if converts and supported and supported != {_ALL}:
        yield error(
            csv,
            place,
            f"an operator that converts between versions can be installed for {_ALL} only:"
            " support that mode alone, and watch all namespaces",
        )


def _check_versions(csv: Document) -> Iterator[Finding]:
    place = ("spec", "minKubeVersion")
    least = csv.at(*place)
    if not text(least).strip():
        yield warning(
            csv,
            ("spec",),
            "spec.minKubeVersion is missing: which Kubernetes does the operator need?",
        )
    elif Version.find(least) is None:
        yield error(csv, place, f"spec.minKubeVersion: {_problem(Version, least)}")
    version = csv.at("spec", "version")
    if version is not None and Version.find(version) is None:
        yield error(csv, ("spec", "version"), f"spec.version: {_problem(Version, version)}")
    skip = csv.at("metadata", "annotations", "olm.skipRange")
    if skip is not None and (said := _problem(Range, skip)):
        yield error(csv, ("metadata", "annotations", "olm.skipRange"), f"olm.skipRange: {said}")


def _problem(reader: type[Version] | type[Range], found: Any) -> str:
    try:
        reader.parse(found if isinstance(found, str) else str(found))
    except ValueError as problem:
        return str(problem)
    return "" if isinstance(found, str) else f"{found!r} should be in quotes"


def _check_examples(csv: Document) -> Iterator[Finding]:
    said = mapping(csv.at("metadata", "annotations"))
    key = "alm-examples" if "alm-examples" in said else "olm.examples"
    where = ("metadata", "annotations", key)
    if key not in said:
        yield warning(
            csv,
            ("metadata",),
            "the annotation alm-examples is missing: a catalog has nothing to show",
        )
        return
    if "olm.examples" in said and key != "olm.examples":
        yield warning(
            csv,
            where,
            "both alm-examples and olm.examples are there; only alm-examples is looked at",
        )
    try:
        examples = json.loads(text(said[key]) or "[]")
    except ValueError as problem:
        yield error(csv, where, f"{key} is not JSON: {problem}")
        return
    if not isinstance(examples, list) or not all(isinstance(one, dict) for one in examples):
        yield error(csv, where, f"{key} should be a list of objects")
        return
    provided = dict.fromkeys(_provided(csv))
    shown = dict.fromkeys(_kind(one) for one in examples)
    for one in shown:
        if one not in provided:
            yield error(csv, where, f"{key} has a {_said(one)}, which the operator does not own")
    for one in provided:
        if one not in shown:
            yield warning(csv, where, f"{key} has no {_said(one)}, which the operator owns")


def _provided(csv: Document) -> Iterator[Kind]:
    for one in items(csv.at("spec", "customresourcedefinitions", "owned")):
        group = text(at(one, "name")).partition(".")[2]
        yield group, text(at(one, "version")), text(at(one, "kind"))
    for one in items(csv.at("spec", "apiservicedefinitions", "owned")):
        yield text(at(one, "group")), text(at(one, "version")), text(at(one, "kind"))


def _kind(example: dict[str, Any]) -> Kind:
    group, _, version = text(example.get("apiVersion")).rpartition("/")
    return group, version, text(example.get("kind"))


def _said(kind: Kind) -> str:
    group, version, name = kind
    return f"{name or '?'} of {group}/{version}"


def _check_annotations(csv: Document) -> Iterator[Finding]:
    right = {one.lower(): one for one in _SPELLED}
    for key in mapping(csv.at("metadata", "annotations")):
        wanted = right.get(key.lower(), key)
        where = ("metadata", "annotations", key)
        if key != wanted:
            yield error(csv, where, f"OLM does not read the annotation {key}: write {wanted}")
        if key == "olm.properties":
            yield warning(csv, where, "write properties to metadata/properties.yaml instead")


def _check_webhooks(csv: Document) -> Iterator[Finding]:
    names = {
        text(at(one, "name")) for one in items(csv.at("spec", "install", "spec", "deployments"))
    }
    for at_, one in enumerate(items(csv.at("spec", "webhookdefinitions"))):
        where = ("spec", "webhookdefinitions", at_)
        if at(one, "type") not in _WEBHOOKS:
            yield error(csv, where, f"the type of a webhook is one of {', '.join(_WEBHOOKS)}")
        for key in ("generateName", "sideEffects", "admissionReviewVersions"):
            if not at(one, key):
                yield error(csv, where, f"a webhook needs {key}")
        name = text(at(one, "deploymentName"))
        if name and name not in names:
            yield error(
                csv, where, f"the webhook is served by the deployment {name}, which is not there"
            )
