"""Repairs what an audit has found: role files that people write, or the code of an operator."""

import io
import sys
import tokenize
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from kubewright.application import Application
from kubewright.application.coverage import Comparison
from kubewright.application.rights import Right, merged_rights, rights_in
from kubewright.cli.files import FileChange
from kubewright.cli.rbac.declaration import listed_rules, with_rules
from kubewright.cli.rbac.report import rules_missing
from kubewright.cli.rbac.rolefile import with_role_rules
from kubewright.cli.rbac.roles import Role
from kubewright.crd.manifest import to_yaml
from kubewright.crd.rbac import roles
from kubewright.errors import ConfigError

__all__ = ["repaired_operator", "repaired_roles"]


# --- Files of roles ---


def repaired_roles(
    granted: Sequence[Role], found: Comparison, unused: set[Right]
) -> list[FileChange]:
    """Return the changes that add what is missing to the files of *granted*.

    What is missing goes into the first role that holds where it was needed.

    Args:
        granted: The roles, all those of each file.
        found: What is missing.
        unused: The rights to take away.

    Raises:
        ConfigError: No role holds where something is missing, or comments would be lost.
    """
    allowed = [{right for rule in role.rules for right in rights_in(rule)} for role in granted]
    rights = [own - unused for own in allowed]
    for one in found.missing:
        index = _home(granted, one.right)
        rights[index].add(one.right._replace(namespace=granted[index].namespace))
    wanted: dict[str, list[list[dict[str, Any]] | None]] = {}
    for role, before, after in zip(granted, allowed, rights, strict=True):
        rules = [rule.document() for rule in merged_rights(after)] if after != before else None
        wanted.setdefault(role.place, []).append(rules)
    return [_changed(place, rules) for place, rules in wanted.items()]


def _changed(place: str, rules: list[list[dict[str, Any]] | None]) -> FileChange:
    text = Path(place).read_bytes().decode("utf-8")
    return FileChange(place, text, with_role_rules(text, rules, place=place))


def _home(granted: Sequence[Role], right: Right) -> int:
    for index, role in enumerate(granted):
        if role.namespace in {"", right.namespace} and (
            role.kind == "ClusterRole" or not right.url
        ):
            return index
    [rule] = merged_rights([right])
    example = to_yaml(*roles("NAME", [rule]))
    raise ConfigError(
        f"no role in {granted[0].place} holds where {right.verb} {right.resource} was needed: write"
        f" one, and bind it\n{example}"
    )


# --- The code of an operator ---


def repaired_operator(
    operator: Application | None, root: Path, found: Comparison
) -> list[FileChange]:
    """Return the change that adds what is missing to ``rules=`` of *operator*, if there is any.

    Raises:
        ConfigError: The place where it is made is not found, or has a comment that would be lost.
    """
    if operator is None or not found.missing:
        return []
    rules = rules_missing(found)
    for path in _sources(operator):
        source = _find_source(path)
        if source is None:
            continue
        text, encoding = source
        changed = with_rules(text, operator.name, rules, place=str(path))
        if changed is not None:
            return [FileChange(_below(root, path), text, changed, encoding)]
    raise ConfigError(
        f"cannot find where the operator {operator.name!r} is made: add these rules to"
        f" its rules=\n{listed_rules(rules)}"
    )


def _find_source(path: Path) -> tuple[str, str] | None:
    """Return the text of a module with its line ends, and its encoding; ``None`` if it has none."""
    try:
        content = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding), encoding
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
        return None  # compiled, or in an archive


def _below(root: Path, path: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _sources(operator: Application) -> list[Path]:
    """Return the files of the modules that know *operator*; it is made in one of them."""
    found = [
        Path(file).absolute()
        for module in list(sys.modules.values())
        if (file := getattr(module, "__file__", None)) and operator in _values(module)
    ]
    return sorted(set(found))


def _values(module: ModuleType) -> list[Application]:
    return [one for one in list(vars(module).values()) if isinstance(one, Application)]
