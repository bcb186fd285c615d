"""The rights that an operator needs for what a chart installs."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from kubewright.crd.manifest import from_yaml
from kubewright.crd.rbac import READ, PolicyRule
from kubewright.errors import SchemaError
from kubewright.scaffold.codeless.rights import (
    ALL,
    RBAC,
    NamedKind,
    Rights,
    named_kind,
    rights_of,
)
from kubewright.scaffold.helm.chart import Chart
from kubewright.scaffold.project import ProjectResource

__all__ = ["kind_rules", "manifest_rights", "template_rights"]

_ROLES = {"Role": "roles", "ClusterRole": "clusterroles"}
_CRD = NamedKind("apiextensions.k8s.io", "customresourcedefinitions", namespaced=False, known=True)
_LITERAL = re.compile(r"""^(apiVersion|kind):\s*["']?([\w./-]+)["']?\s*(?:#.*)?$""", re.MULTILINE)
_TEST = re.compile(r"""helm\.sh/hook["']?:\s*["']?test""")
_KIND = re.compile(r"^kind:\s*(\S.*)$", re.MULTILINE)


def kind_rules(resource: ProjectResource) -> list[PolicyRule]:
    """Return the rules for the custom objects themselves."""
    group, plural = (resource.api_group,), resource.plural_name
    return [
        PolicyRule(group, (plural,), ("get", "list", "patch", "watch")),
        PolicyRule(group, (f"{plural}/finalizers",), ("update",)),
        PolicyRule(group, (f"{plural}/status",), ("patch",)),
    ]


def manifest_rights(manifest: str, chart: Chart, *, namespaced: bool) -> Rights:
    """Return what it takes to install *manifest*.

    Args:
        manifest: What the chart renders to, with its default values.
        chart: The chart.
        namespaced: Whether the operator has rights in its own namespace only.

    Raises:
        SchemaError: It is not YAML.
    """
    documents = [one for found in from_yaml(manifest) for one in _listed(found)]
    named = [
        named_kind(str(one.get("apiVersion", "")), str(one.get("kind", ""))) for one in documents
    ]
    return _rights([*named], [*_granted(documents)], chart, namespaced=namespaced)


def template_rights(chart: Chart, *, namespaced: bool) -> Rights:
    """Return what it takes to install all that the templates of *chart* name, rendered or not."""
    named: list[NamedKind] = []
    notes: list[str] = []
    for path, text in sorted(chart.files.items()):
        if "/templates/" in f"/{path}" and path.endswith((".yaml", ".yml")):
            for part in re.split(r"^---", text, flags=re.MULTILINE):
                found = dict(_LITERAL.findall(part))
                if _TEST.search(part):
                    continue  # which is for people who run `helm test`
                if "kind" in found:
                    named.append(named_kind(found.get("apiVersion", ""), found["kind"]))
                elif _KIND.search(part):
                    notes.append(f"{chart.folder}/{path} has a kind that values decide about")
    if any(one.group == RBAC for one in named):
        notes.append(
            "the chart has roles or bindings: add the rules of these, too, since nobody may give"
            " away rights that they do not have"
        )
    rights = _rights(named, [], chart, namespaced=namespaced)
    return Rights(rights.rules, (*notes, *rights.notes))


def _rights(
    named: Iterable[NamedKind], granted: Iterable[PolicyRule], chart: Chart, *, namespaced: bool
) -> Rights:
    verbs = dict.fromkeys(named, ALL)
    if any(path.startswith("crds/") for path in chart.files):
        verbs[_CRD] = ("create", *READ)
    return rights_of(verbs, granted, what="chart", namespaced=namespaced)


def _listed(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a document, which may be a list of them."""
    items = document.get("items")
    if str(document.get("kind", "")).endswith("List") and isinstance(items, list):
        yield from (one for one in items if isinstance(one, dict))
    else:
        yield document


# --- Roles that a chart has: nobody may give away rights that they do not have ---


def _granted(documents: Iterable[Mapping[str, Any]]) -> Iterator[PolicyRule]:
    roles = {}
    bound = []
    for one in documents:
        if str(one.get("apiVersion", "")).startswith(f"{RBAC}/"):
            if one.get("kind") in _ROLES:
                roles[one["kind"], (one.get("metadata") or {}).get("name")] = one
            else:
                bound.append(one.get("roleRef") or {})
    for role in roles.values():
        yield from _rules_in(role)
    for reference in bound:
        kind, name = reference.get("kind"), reference.get("name")
        if kind in _ROLES and name and (kind, name) not in roles:
            yield PolicyRule((RBAC,), (_ROLES[kind],), ("bind",), resource_names=(str(name),))


def _rules_in(role: Mapping[str, Any]) -> Iterator[PolicyRule]:
    for rule in role.get("rules") or ():
        try:
            made = PolicyRule(
                groups=_words(rule, "apiGroups"),
                resources=_words(rule, "resources"),
                verbs=_words(rule, "verbs"),
                resource_names=_words(rule, "resourceNames"),
                urls=_words(rule, "nonResourceURLs"),
            )
        except (AttributeError, TypeError, ValueError) as error:
            raise SchemaError(f"a rule of {role['kind']} in the chart is broken: {error}") from None
        yield replace(made, groups=made.groups or (() if made.urls else ("",)))


def _words(rule: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(map(str, rule.get(key) or ()))
