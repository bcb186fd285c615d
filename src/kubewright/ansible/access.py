"""The RBAC rules that roles need, as far as their tasks tell."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from msgspec.structs import replace

from kubewright.ansible.playbook import Playbook
from kubewright.ansible.watches import Watch
from kubewright.api.definition import plural_of
from kubewright.api.resource import mapping_of
from kubewright.cache.selection import namespace_set
from kubewright.crd.rbac import PolicyRule
from kubewright.kinds import find, gvks

__all__ = ["rules_for_kind", "rules_for_playbook"]

_WRITE = ("create", "delete", "get", "list", "patch", "update", "watch")
_READ = ("get", "list", "watch")
_MODULES = {
    "k8s": _WRITE, "k8s_scale": ("get", "list", "patch", "update"), "k8s_info": _READ,
    "k8s_json_patch": ("get", "list", "patch"), "k8s_rollback": ("get", "list", "patch", "update"),
}  # fmt: skip
_LITERAL = re.compile(r"[A-Za-z][\w./-]*").fullmatch
_DOCUMENT = re.compile(r"^(apiVersion|kind):\s*[\"']?([A-Za-z][\w./-]*)[\"']?\s*$", re.MULTILINE)
_EVENTS = PolicyRule(("", "events.k8s.io"), ("events",), ("create", "get", "patch", "update"))

Wish = tuple[str, str, tuple[str, ...]]


def rules_for_kind(watch: Watch, *, namespaces: Iterable[str] | None = None) -> list[PolicyRule]:
    """Return rules for the finalizers and the status of the objects of *watch*, and for events."""
    kind = watch.kind
    plural = plural_of(kind.kind)
    rules = [
        PolicyRule((kind.group,), (f"{plural}/finalizers",), ("update",)),
        _EVENTS,
    ]
    if watch.manage_status:
        rules.append(PolicyRule((kind.group,), (f"{plural}/status",), ("get", "patch", "update")))
    if watch.finalizer is not None:
        rules.append(PolicyRule((kind.group,), (plural,), ("patch",)))
    return _placed(rules, namespaces)


def rules_for_playbook(
    playbook: Playbook, *, namespaces: Iterable[str] | None = None
) -> list[PolicyRule]:
    """Return rules for what the tasks of *playbook* do with ``kubernetes.core``.

    Only kinds that are written out are seen: in a task, in its definition, or in a template.
    """
    found: list[PolicyRule] = []
    for group, kind, verbs in sorted(set(_wishes(playbook))):
        rule = PolicyRule((group,), (plural_of(kind),), verbs)
        found += _placed([rule], namespaces) if _is_namespaced(group, kind) else [rule]
    return found


def _wishes(playbook: Playbook) -> Iterator[Wish]:
    for path in playbook.files():
        if path.suffix not in {".yml", ".yaml", ".j2"}:
            continue
        text = path.read_text("utf-8", "replace")
        if "templates" in path.parts or "files" in path.parts or path.suffix == ".j2":
            yield from _wishes_of_template(text)
            continue
        try:
            documents = list(yaml.load_all(text, _Loader))
        except yaml.YAMLError:
            continue  # Ansible says what is wrong with it
        for document in documents:
            yield from _wishes_of_tasks(document)


def _wishes_of_template(text: str) -> Iterator[Wish]:
    version = ""
    for field, value in _DOCUMENT.findall(text):
        if field == "apiVersion":
            version = value
        elif version:
            yield _group_of(version), value, _WRITE


def _wishes_of_tasks(found: Any) -> Iterator[Wish]:
    """Yield what the tasks in *found*, at any depth, do."""
    if isinstance(found, list):
        for one in found:
            yield from _wishes_of_tasks(one)
    elif isinstance(found, dict):
        for name, value in found.items():
            verbs = _MODULES.get(str(name).rpartition(".")[2])
            if verbs is not None and isinstance(value, dict):
                yield from _wishes_of_task(value, verbs)
            else:
                yield from _wishes_of_tasks(value)


def _wishes_of_task(arguments: dict[Any, Any], verbs: tuple[str, ...]) -> Iterator[Wish]:
    definition = arguments.get("definition") or arguments.get("resource_definition")
    several = definition if isinstance(definition, list) else [definition]
    for one in [arguments, *several]:
        if isinstance(one, str):
            yield from _wishes_of_template(one)
            continue
        if not isinstance(one, dict):
            continue
        version = one.get("apiVersion") or one.get("api_version") or "v1"
        kind = one.get("kind")
        if (
            isinstance(kind, str)
            and isinstance(version, str)
            and _LITERAL(kind)
            and _LITERAL(version)
        ):
            yield _group_of(version), kind, verbs


def _group_of(version: str) -> str:
    return version.rpartition("/")[0]


def _is_namespaced(group: str, kind: str) -> bool:
    """Tell whether objects of a kind are in namespaces; those of unknown kinds mostly are."""
    found = next((find(one) for one in gvks() if (one.group, one.kind) == (group, kind)), None)
    return found is None or mapping_of(found).namespaced


def _placed(rules: list[PolicyRule], namespaces: Iterable[str] | None) -> list[PolicyRule]:
    named = sorted(namespace_set(namespaces))
    if not named:
        return rules
    return [replace(rule, namespace=one) for one in named for rule in rules]


class _Loader(yaml.SafeLoader):
    """A safe loader that takes the tags of Ansible, such as ``!vault``, for nothing."""


_Loader.add_multi_constructor("!", lambda *_: None)
