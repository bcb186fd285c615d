"""The rights that an operator needs for what a role makes, as far as its files name it."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubewright.crd.rbac import READ, PolicyRule
from kubewright.scaffold.ansible.lines import Block, blocks_of
from kubewright.scaffold.codeless.rights import (
    ALL,
    RBAC,
    NamedKind,
    Rights,
    named_kind,
    rights_of,
)
from kubewright.scaffold.project import ProjectResource

__all__ = ["kind_rules", "role_rights"]

_LOOKED_AT = re.compile(
    r"(.*/)?(tasks|handlers|templates|playbooks|vars|defaults|files)/.*\.ya?ml(\.j2)?"
)
_KIND = re.compile(r"[A-Z]\w*")
_MODULES = {"k8s", "k8s_info", "k8s_json_patch", "k8s_scale", "k8s_rollback", "k8s_service"}
"""Modules whose arguments name a kind, of the core group if they do not say which."""
_OWN = {"k8s_status", "k8s_event"}
"""Modules about the custom object itself."""
_INSIDE = {
    "k8s_cp": PolicyRule(("",), ("pods/exec",), ("create", "get")),
    "k8s_exec": PolicyRule(("",), ("pods/exec",), ("create", "get")),
    "k8s_log": PolicyRule(("",), ("pods/log",), ("get",)),
}


class _Use(NamedTuple):
    """A kind, and what is done with it."""

    kind: NamedKind
    reads: bool


def kind_rules(resource: ProjectResource) -> list[PolicyRule]:
    """Return the rules for the custom objects themselves, which roles may change, too."""
    group, plural = (resource.api_group,), resource.plural_name
    return [
        PolicyRule(group, (plural,), ("get", "list", "patch", "update", "watch")),
        PolicyRule(group, (f"{plural}/finalizers",), ("update",)),
        PolicyRule(group, (f"{plural}/status",), ("get", "patch", "update")),
    ]


def role_rights(files: Mapping[str, str], *, namespaced: bool) -> Rights:
    """Return what it takes to make all that *files* name, whether a run comes to it or not.

    Args:
        files: The texts of a role and of its playbook, by path in the project.
        namespaced: Whether the operator has rights in its own namespace only.
    """
    verbs: dict[NamedKind, tuple[str, ...]] = {}
    more: list[PolicyRule] = []
    notes: list[str] = []
    for path, text in sorted(files.items()):
        if not _LOOKED_AT.fullmatch(path):
            continue
        for block in blocks_of(text):
            more += [_INSIDE[module] for module in _modules_in(block) if module in _INSIDE]
            if _is_computed(block):
                notes.append(f"{path}:{block.line} has a kind that variables decide about")
            elif (use := _use_of(block)) is not None:
                verbs[use.kind] = READ if use.reads and verbs.get(use.kind) != ALL else ALL
    if any(one.group == RBAC for one in verbs):
        notes.append(
            "the role makes roles or bindings: add the rules of these, too, since nobody may give"
            " away rights that they do not have"
        )
    rights = rights_of(verbs, more, what="role", namespaced=namespaced)
    return Rights(rights.rules, (*notes, *rights.notes))


def _modules_in(block: Block) -> Iterator[str]:
    yield from (key.rpartition(".")[2] for key in block.said)


def _use_of(block: Block) -> _Use | None:
    """Return the kind that *block* names, if it does."""
    kind = block.said.get("kind", "")
    modules = [one.rpartition(".")[2] for one in block.above]
    api_version = block.said.get("apiVersion") or block.said.get("api_version")
    if not _KIND.fullmatch(kind) or _OWN.intersection(modules[-1:]):
        return None
    if api_version is None and not _MODULES.intersection(modules[-1:]):
        return None  # such as a subject of a binding
    if api_version is None or "{{" in api_version:
        api_version = "" if api_version else "v1"
    return _Use(named_kind(api_version, kind), reads="k8s_info" in modules)


def _is_computed(block: Block) -> bool:
    return "{{" in block.said.get("kind", "")
