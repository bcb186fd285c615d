"""Writes the rules of roles into the file that has them, and leaves all else as it is.

The text is edited where the rules are, so comments, layout and other documents stay. Comments among
the rules themselves would be lost, and nobody can tell to which of the new rules they belong: then
nothing is written, and people are told what to write.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kubewright.cli.rbac.roles import ROLES
from kubewright.crd.manifest import from_yaml, to_yaml
from kubewright.errors import ConfigError, SchemaError

__all__ = ["with_role_rules"]

Rules = list[dict[str, Any]]


class _Edit(NamedTuple):
    """What is put in the place of a part of the text."""

    start: int
    end: int
    text: str


def with_role_rules(text: str, rules: Sequence[Rules | None], *, place: str) -> str:
    """Return *text*, a file of manifests, with other rules in its roles.

    Args:
        text: The file.
        rules: The rules of each role in it, in that order; ``None`` leaves a role as it is.
        place: What to call the file in errors.

    Raises:
        ConfigError: Comments would be lost, or the rules are written in a way that cannot be
            edited; the message has the rules.
    """
    wanted = from_yaml(text)
    roles = [one for one in wanted if one.get("kind") in ROLES]
    changed = text
    # From the end to the beginning, so that what is still to be changed stays where it is.
    for node, role, own in reversed(list(zip(_roles(text), roles, rules, strict=True))):
        if own is not None:
            role["rules"] = own
            start, end, written = _edit(text, node, own, place)
            changed = changed[:start] + written + changed[end:]
    if not _is_same(changed, wanted):
        new = [one for own in rules for one in own or ()]
        raise _refusal(place, "has rules that are written in a way that cannot be edited", new)
    return changed


def _is_same(text: str, documents: list[dict[str, Any]]) -> bool:
    try:
        return from_yaml(text) == documents
    except SchemaError:
        return False


def _refusal(where: str, why: str, rules: Rules) -> ConfigError:
    return ConfigError(f"{where} {why}: write them there yourself\n{_block(rules)}")


def _block(rules: Rules) -> str:
    return to_yaml({"rules": rules}).removeprefix("---\n").rstrip("\n")


def _roles(text: str) -> list[Any]:
    """Return the roles as PyYAML's nodes, which know where they are."""
    import yaml

    # The loader in C counts bytes.
    nodes = yaml.compose_all(text, Loader=yaml.SafeLoader)
    return [one for one in nodes if isinstance(one, yaml.MappingNode) and _kind(one) in ROLES]


def _kind(node: Any) -> object:
    return next((value.value for key, value in node.value if key.value == "kind"), None)


def _edit(text: str, role: Any, rules: Rules, place: str) -> _Edit:
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(_block(rules).splitlines())
    found = next(((key, value) for key, value in role.value if key.value == "rules"), None)
    if found is None:
        at = _end(text, role)
        written = newline + block
        return _Edit(at, at, _indented(written, role.start_mark.column, newline))
    key, value = found
    start, end = key.end_mark.index, _end(text, value)
    if _has_comment(text, value, start, end):
        where = f"{place}:{key.start_mark.line + 1}"
        raise _refusal(where, "has comments among its rules, which would be lost", rules)
    if role.flow_style:
        return _Edit(start, end, f": {json.dumps(rules)}")
    return _Edit(start, end, _indented(block[len("rules") :], key.start_mark.column, newline))


def _indented(block: str, column: int, newline: str) -> str:
    return block.replace(newline, newline + " " * column)


def _end(text: str, node: Any) -> int:
    """Return where *node* ends; PyYAML says of blocks where the next one begins."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return len(text[: node.end_mark.index].rstrip())
    return max(_end(text, one) for one in _children(node))


def _has_comment(text: str, node: Any, start: int, end: int) -> bool:
    """Return whether there is a comment between the two, or behind them on the last line."""
    at = start
    for leaf in _leaves(node):
        if "#" in text[at : leaf.start_mark.index]:
            return True
        at = max(at, leaf.end_mark.index)
    return "#" in text[min(at, end) : end] or "#" in text[end:].partition("\n")[0]


def _leaves(node: Any) -> Iterator[Any]:
    if node.id == "scalar":
        yield node
    else:
        for one in _children(node):
            yield from _leaves(one)


def _children(node: Any) -> list[Any]:
    if node.id == "mapping":
        return [part for pair in node.value for part in pair]
    return list(node.value)
