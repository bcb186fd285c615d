"""Whether the other objects of a bundle can be installed, and do no harm to a cluster."""

import gzip
from collections.abc import Iterator
from typing import Any

from kubewright.api.names import check_dns_subdomain
from kubewright.bundle.document import Document, at, items, text, words
from kubewright.bundle.finding import Finding, Level, error, warning
from kubewright.bundle.reading import CSV, Bundle

__all__ = ["check_objects"]

_LIMIT = 1 << 20
_NEAR = 0.85
_FREE_NAMES = {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}
_CONTEXTS = {
    "privileged", "restricted", "anyuid", "hostaccess", "hostmount-anyuid", "hostnetwork",
    "node-exporter", "nonroot",
}  # fmt: skip


def check_objects(bundle: Bundle) -> Iterator[Finding]:
    """Yield what is wrong with the objects of a bundle, and with its size."""
    accounts = _accounts(bundle)
    for one in bundle.manifests:
        yield from _check_name(one)
        if one.kind == "ServiceAccount" and one.name in accounts:
            yield error(
                one,
                (),
                f"OLM makes the service account {one.name} itself, since a deployment of the"
                " ClusterServiceVersion runs as it: remove this file",
            )
        yield from _check_disturbance(one)
        yield from _check_rules(one)
    yield from _check_images(bundle)
    yield from _check_size(bundle)


def _accounts(bundle: Bundle) -> set[str]:
    found = bundle.csv
    deployments = items(found.at("spec", "install", "spec", "deployments")) if found else []
    path = ("spec", "template", "spec", "serviceAccountName")
    return {text(at(one, *path)) for one in deployments} - {""}


def _check_name(one: Document) -> Iterator[Finding]:
    if one.kind == CSV or not one.kind:
        return
    if not one.name:
        yield error(one, ("metadata",), f"this {one.kind} has no name")
    elif one.kind not in _FREE_NAMES:
        try:
            check_dns_subdomain(one.name)
        except ValueError as problem:
            yield error(one, ("metadata", "name"), f"metadata.name: {problem}")


def _check_disturbance(one: Document) -> Iterator[Finding]:
    if one.kind == "PodDisruptionBudget":
        if one.at("spec", "maxUnavailable") in (0, "0", "0%"):
            yield error(
                one,
                ("spec", "maxUnavailable"),
                "maxUnavailable of 0 keeps nodes from being drained",
            )
        if one.at("spec", "minAvailable") == "100%":
            yield error(
                one, ("spec", "minAvailable"), "minAvailable of 100% keeps nodes from being drained"
            )
    if one.kind == "PriorityClass" and one.at("globalDefault") is True:
        yield error(
            one,
            ("globalDefault",),
            "globalDefault changes the priority of all other pods: leave it out",
        )


def _check_rules(one: Document) -> Iterator[Finding]:
    if one.kind not in {"Role", "ClusterRole"}:
        return
    for place, rule in enumerate(items(one.at("rules"))):
        if _allows(rule, "policy", "poddisruptionbudgets", {"*", "create", "update", "patch"}):
            yield warning(
                one, ("rules", place), "this role may keep nodes from being drained, by"
                " PodDisruptionBudgets"
            )  # fmt: skip
        named = set(words(at(rule, "resourceNames"))) & _CONTEXTS
        verbs = {"*", "delete", "update", "patch"}
        if named and _allows(rule, "security.openshift.io", "securitycontextconstraints", verbs):
            yield error(
                one,
                ("rules", place),
                f"this role may change the cluster's own security context {min(named)}",
            )


def _allows(rule: Any, group: str, resource: str, verbs: set[str]) -> bool:
    return (
        group in items(at(rule, "apiGroups"))
        and resource in items(at(rule, "resources"))
        and bool(verbs & set(words(at(rule, "verbs"))))
    )


def _check_images(bundle: Bundle) -> Iterator[Finding]:
    csv = bundle.csv
    for place, one in enumerate(items(csv.at("spec", "relatedImages")) if csv else []):
        image = text(at(one, "image"))
        if csv and (
            not image or image.split() != [image] or "://" in image or image != image.strip("/:@")
        ):
            where = ("spec", "relatedImages", place)
            yield error(csv, where, f"relatedImages: {image!r} is not the name of an image")


def _check_size(bundle: Bundle) -> Iterator[Finding]:
    texts = [text for path, text in bundle.files.items() if path.startswith("manifests/")]
    size = len(gzip.compress("---\n".join(texts).encode(), mtime=0))
    if size > _LIMIT:
        yield Finding(
            Level.ERROR,
            f"the manifests are {size:,} bytes, compressed, and OLM takes up to {_LIMIT:,}. Shorten"
            " the descriptions in CRDs",
            f"{bundle.root}/manifests",
        )
    elif size > _LIMIT * _NEAR:
        yield Finding(
            Level.WARNING,
            f"the manifests are {size:,} bytes, compressed, close to the {_LIMIT:,} that OLM takes",
            f"{bundle.root}/manifests",
        )
