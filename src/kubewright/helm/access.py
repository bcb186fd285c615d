"""The RBAC rules that charts need, as far as their templates tell."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from kubewright.api.definition import plural_of
from kubewright.api.kind_reference import Kind
from kubewright.api.resource import mapping_of
from kubewright.cache.selection import namespace_set
from kubewright.crd.rbac import PolicyRule
from kubewright.helm.chart import Chart
from kubewright.helm.manifest import Rendering, hook_objects_in, objects_in
from kubewright.kinds import find, gvks

__all__ = ["kinds_in", "kinds_of", "rules_for_charts", "rules_for_kind", "rules_for_objects"]

_VERBS = ("create", "delete", "get", "list", "patch", "update", "watch")
_DEFINITIONS = PolicyRule(
    ("apiextensions.k8s.io",), ("customresourcedefinitions",), ("create", "get", "list", "watch")
)
_RELEASES = PolicyRule(
    ("",), ("secrets",), ("create", "delete", "get", "list", "patch", "update", "watch")
)
_EVENTS = PolicyRule(("", "events.k8s.io"), ("events",), ("create", "patch"))
_LINE = re.compile(rb"^(apiVersion|kind):\s*(.+?)\s*(?:#.*)?$", re.MULTILINE)
_LITERAL = re.compile(rb"[A-Za-z][\w./-]*")
_IN_QUOTES = re.compile(rb"[\"'`]([\w.-]+(?:/[\w.-]+)?)[\"'`]")
_VERSION = re.compile(r"^(?:([a-z0-9.-]+)/)?(v\d+(?:(?:alpha|beta)\d+)?)$")
_DOCUMENT = re.compile(rb"^---", re.MULTILINE)
_HOOK = re.compile(rb"helm\.sh/hook[\"']?:\s*[\"']?([\w, -]+)")
_TEST = "test"
_OLD = frozenset({"extensions"})
_GRANTING = frozenset({"Role", "ClusterRole"})
_BINDING = frozenset({"RoleBinding", "ClusterRoleBinding"})


def rules_for_charts(
    charts: Iterable[Chart], *, namespaces: Iterable[str] | None = None
) -> list[PolicyRule]:
    """Return rules to make, change and delete all that the templates of *charts* name.

    It is the text of the templates that is read, and not one rendering of them: what a condition
    leaves out with the default values is there with others.

    Args:
        charts: The charts.
        namespaces: Where releases are; by default everywhere.
    """
    found: list[PolicyRule] = []
    for chart in charts:
        found += rules_for_objects(chart, kinds_in(chart), namespaces=namespaces)
        for kind in sorted(kinds_in(chart)):
            found += _placed(_giving(*kind), kind, namespaces)
    return found


def rules_for_objects(
    chart: Chart, kinds: Iterable[tuple[str, str]], *, namespaces: Iterable[str] | None = None
) -> list[PolicyRule]:
    """Return rules for releases of *chart* with objects of *kinds*, as `kinds_in` returns them.

    To give away rights by roles among these takes more: the same rights, or those to give any away.
    """
    found = _placed([_RELEASES, _EVENTS], ("", "Secret"), namespaces)
    if chart.definitions:
        found.append(_DEFINITIONS)
    for group, kind in sorted(kinds):
        rule = PolicyRule((group,), (plural_of(kind),), _VERBS)
        found += _placed([rule], (group, kind), namespaces)
    return found


def rules_for_kind(kind: Kind, *, namespaces: Iterable[str] | None = None) -> list[PolicyRule]:
    """Return rules for the finalizers and the status of objects of *kind*."""
    plural = plural_of(kind.kind)
    rules = [
        PolicyRule((kind.group,), (plural,), ("patch",)),
        PolicyRule((kind.group,), (f"{plural}/status",), ("patch",)),
        PolicyRule((kind.group,), (f"{plural}/finalizers",), ("update",)),
    ]
    return _placed(rules, (kind.group, kind.kind), namespaces)


def _giving(group: str, kind: str) -> list[PolicyRule]:
    """Return the rules to give away rights by objects of a kind."""
    if kind in _GRANTING:
        return [PolicyRule((group,), (plural_of(kind),), ("escalate",))]
    if kind in _BINDING:
        roles = ("roles", "clusterroles", plural_of(kind))
        return [PolicyRule((group,), roles, ("bind",))]
    return []


def _placed(
    rules: Sequence[PolicyRule], kind: tuple[str, str], namespaces: Iterable[str] | None
) -> list[PolicyRule]:
    """Return *rules*, which are about *kind*, for each of *namespaces* if it is in one."""
    named = sorted(namespace_set(namespaces))
    if not named or not _is_namespaced(*kind):
        return list(rules)
    return [replace(rule, namespace=one) for one in named for rule in rules]


def _is_namespaced(group: str, kind: str) -> bool:
    """Tell whether objects of *kind* are in namespaces; those of unknown kinds mostly are."""
    found = next((find(one) for one in gvks() if (one.group, one.kind) == (group, kind)), None)
    return found is None or mapping_of(found).namespaced


def kinds_in(chart: Chart) -> set[tuple[str, str]]:
    """Return the group and the kind of each object that the templates of *chart* name.

    Those for ``helm test`` are left out: helm makes them, with the rights of who runs it.
    """
    found: set[tuple[str, str]] = set()
    for path, text in chart.templates(everywhere=True):
        if not path.endswith((".yaml", ".yml", ".tpl")):
            continue
        for part in _DOCUMENT.split(text):
            if not _is_test(part):
                found |= set(_pairs(part))
    return found


def kinds_of(rendering: Rendering) -> set[tuple[str, str]]:
    """Return the group and the kind of each object of a release, as `kinds_in` does."""
    objects = objects_in(rendering.manifest)
    for hook in rendering.hooks:
        objects += [] if hook.is_test else hook_objects_in(hook.manifest)
    return {(str(one["apiVersion"]).rpartition("/")[0], str(one["kind"])) for one in objects}


def _is_test(text: bytes) -> bool:
    found = _HOOK.search(text)
    return found is not None and all(
        one.strip().startswith(_TEST) for one in found[1].decode().split(",")
    )


def _pairs(text: bytes) -> Iterator[tuple[str, str]]:
    """Yield what is declared: each ``kind`` with the versions in the lines before it."""
    groups: list[str] = []
    kinds: list[str] = []
    for field, value in _LINE.findall(text):
        if field == b"apiVersion":
            if kinds:
                groups, kinds = [], []
            groups += _groups(value)
        else:
            kinds = [one.decode() for one in _words(value)]
            for kind in kinds:
                yield from ((group, kind) for group in groups or _known_groups(kind))


def _known_groups(kind: str) -> list[str]:
    """Return the groups that have *kind* in Kubernetes, where a template computes the version."""
    return sorted({one.group for one in gvks() if one.kind == kind} - _OLD)


def _groups(value: bytes) -> list[str]:
    found = [_VERSION.match(one.decode()) for one in _words(value)]
    return [match[1] or "" for match in found if match]


def _words(value: bytes) -> list[bytes]:
    """Return the texts that *value* may be: itself, or those that a template has in quotes."""
    plain = value.strip(b"\"'")
    if _LITERAL.fullmatch(plain):
        return [plain]
    return _IN_QUOTES.findall(value)
