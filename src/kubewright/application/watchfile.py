"""``watches.yaml``: the file of operators without code, one entry for each kind.

What an entry says about its kind is read here. What works for the kind, such as a chart or a role,
is up to those who call: they give the fields, and read them with the methods of `WatchEntry`.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from kubewright.api.kind_reference import Kind
from kubewright.api.selectors import selector_from
from kubewright.api.times import parse_duration
from kubewright.errors import ConfigError

__all__ = ["COMMON_FIELDS", "WatchEntry", "find_twice", "name_of_folder", "watch_entries"]

COMMON_FIELDS: dict[str, type] = {
    "group": str,
    "version": str,
    "kind": str,
    "watchDependentResources": bool,
    "selector": dict,
    "reconcilePeriod": str,
}
"""The fields that every entry may have, whatever works for its kind."""

_TITLES: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    dict: "a mapping",
    int: "a number",
    list: "a list",
}


def watch_entries(
    path: Path, *, example: str, expand: Callable[[str], str] = lambda text: text
) -> "list[WatchEntry]":
    """Return the entries of the file *path*.

    Args:
        path: The file.
        example: An entry, for those who have none.
        expand: Called with the text before it is read; it must keep the lines.

    Raises:
        ConfigError: It cannot be read, or is not a list; the message says what to write.
    """
    try:
        node = yaml.compose(expand(path.read_text("utf-8")), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from (
            error
        )
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}{line}: {getattr(error, 'problem', error)}") from error
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise ConfigError(
            f"{path}:1: it is not a list of watches. Write an entry for each kind:\n{example}"
        )
    return [WatchEntry(path, one) for one in node.value]


def find_twice(kinds: Iterable[Kind]) -> str:
    """Return what is wrong if two of *kinds* are the same; empty if none are.

    The version does not matter: an object of one is an object of the other, and two that work for
    it, or one of them twice, would undo each other's work.
    """
    known: dict[tuple[str, str], Kind] = {}
    for kind in kinds:
        before = known.get((kind.group, kind.kind))
        if before is not None:
            versions = "" if before == kind else f", as {before.version} and {kind.version}"
            return f"{kind} is there twice{versions}. Leave one out."
        known[kind.group, kind.kind] = kind
    return ""


def name_of_folder(folder: Path, default: str) -> str:
    """Return a name for the operator in *folder*, as DNS allows it."""
    letters = "".join(one if one.isalnum() and one.isascii() else "-" for one in folder.name)
    return letters.lower().strip("-")[:63].rstrip("-") or default


class WatchEntry:
    """One entry of the file, which knows its lines.

    Args:
        path: The file.
        node: The entry as YAML has it.

    Raises:
        ConfigError: It is not a mapping.
    """

    def __init__(self, path: Path, node: Any) -> None:
        self.path: Path = path
        """The file."""
        self._node = node
        if not isinstance(node, yaml.MappingNode):
            raise self._error(node, "it is not a mapping with group, version and kind")
        self._lines = {key.value: key for key, _ in node.value}
        self.values: dict[str, Any] = {
            key.value: _constructed(path, value) for key, value in node.value
        }
        """What it says, by field."""

    def check(self, fields: Mapping[str, type], required: Iterable[str]) -> None:
        """Check that it has only *fields*, of their types, and that none of *required* is missing.

        Raises:
            ConfigError: It does not.
        """
        for name, value in self.values.items():
            wanted = fields.get(name)
            if wanted is None:
                raise self.error(name, f"there is no field {name!r}: {', '.join(fields)}")
            if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
                raise self.error(name, f"{name} is {value!r:.40}, and not {_TITLES[wanted]}")
        for name in required:
            if not self.values.get(name):
                raise self.error("", f"{name} is missing: write `{name}: …`")

    def kind(self) -> Kind:
        """Return the kind that it is about.

        Raises:
            ConfigError: There can be no such kind.
        """
        group, version = self.values.get("group", ""), self.values["version"]
        try:
            return Kind(f"{group}/{version}" if group else version, self.values["kind"])
        except ValueError as error:
            raise self.error("", str(error)) from None

    def count(self, name: str, consequence: str) -> int | None:
        """Return the field *name*, a number of at least 1; ``None`` if it is not there.

        Raises:
            ConfigError: It is less, which has *consequence*.
        """
        found: int | None = self.values.get(name)
        if found is not None and found < 1:
            raise self.error(name, f"{name} is {found}: {consequence}. Write 1 or more")
        return found

    def selector(self) -> str:
        """Return the label selector as text; empty for all objects.

        Raises:
            ConfigError: It is not one.
        """
        found = self.values.get("selector") or {}
        if wrong := set(found) - {"matchLabels", "matchExpressions"}:
            raise self.error(
                "selector",
                f"a selector has matchLabels and matchExpressions, and no {', '.join(wrong)}",
            )
        try:
            terms = [f"{name}={value}" for name, value in (found.get("matchLabels") or {}).items()]
            terms += [_term(one) for one in found.get("matchExpressions") or ()]
        except (KeyError, TypeError, AttributeError):
            raise self.error("selector", "the selector is not one as in a Deployment") from None
        text = ",".join(terms)
        try:
            selector_from(text)
        except ValueError as error:
            raise self.error("selector", f"the selector: {error}") from None
        return text

    def period(self) -> float | None:
        """Return ``reconcilePeriod`` in seconds; ``None`` if it is not there, or zero.

        Raises:
            ConfigError: It is not a duration, or negative.
        """
        text = self.values.get("reconcilePeriod")
        if text is None:
            return None
        try:
            seconds = parse_duration(text).total_seconds()
        except ValueError as error:
            raise self.error(
                "reconcilePeriod", f"{error}: write one such as 30s or 1h30m"
            ) from None
        if seconds < 0:
            raise self.error("reconcilePeriod", f"{text} is in the past: write one such as 30s")
        return seconds or None

    def error(self, field: str, text: str) -> ConfigError:
        """Return an error about *field*, or about the entry as a whole if it is empty."""
        return self._error(self._lines.get(field, self._node), text)

    def _error(self, node: Any, text: str) -> ConfigError:
        return ConfigError(f"{self.path}:{node.start_mark.line + 1}: {text}")


def _term(expression: dict[str, Any]) -> str:
    key, operator = expression["key"], expression["operator"]
    values = ",".join(expression.get("values") or ())
    terms = {
        "In": f"{key} in ({values})",
        "NotIn": f"{key} notin ({values})",
        "Exists": key,
        "DoesNotExist": f"!{key}",
    }
    return str(terms[operator])


def _constructed(path: Path, node: Any) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    except yaml.YAMLError as error:
        line, problem = node.start_mark.line + 1, getattr(error, "problem", error)
        raise ConfigError(f"{path}:{line}: {problem}") from error
    finally:
        loader.dispose()
