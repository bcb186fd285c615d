"""``watches.yaml``: which kinds there are, and which chart each object is a release of."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from kubewright.api.kind_reference import Kind
from kubewright.api.times import parse_duration
from kubewright.errors import ConfigError
from kubewright.helm.chart import Chart, load_chart
from kubewright.helm.values import expanded, set_text

__all__ = ["Watch", "find_twice", "load_watches"]

_REQUIRED = ("version", "kind", "chart")
_FIELDS = {
    "group": str, "version": str, "kind": str, "chart": str, "watchDependentResources": bool,
    "overrideValues": dict, "selector": dict, "reconcilePeriod": str,
    "maxConcurrentReconciles": int, "dryRunOption": str,
}  # fmt: skip
_TITLES: dict[type, str] = {
    str: "a text",
    bool: "true or false",
    dict: "a mapping",
    int: "a number",
}
_DRY_RUNS = ("", "none", "client", "server")


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: objects of *kind* are releases of *chart*.

    Attributes:
        kind: The kind.
        chart: The chart.
        watch_dependent_resources: Whether what the releases consist of is watched and mended.
        override_values: Values that nobody can set in an object, by path; with the variables of the
            environment filled in.
        selector: Which objects count, as a label selector in text; empty for all.
        reconcile_period: Seconds after which a release is looked at without a reason.
        max_concurrent_reconciles: How many releases are worked on at a time.
        dry_run_option: ``server`` lets ``lookup`` reach the cluster even if no template is seen to
            use it.
    """

    kind: Kind
    chart: Chart
    watch_dependent_resources: bool = True
    override_values: dict[str, str] = {}
    selector: str = ""
    reconcile_period: float | None = None
    max_concurrent_reconciles: int | None = None
    dry_run_option: str = ""


def load_watches(path: Path, environ: Mapping[str, str] = os.environ) -> list[Watch]:
    """Read ``watches.yaml``; charts are found from its folder on.

    Raises:
        ConfigError: It is malformed; the message names the line and says what to write.
    """
    try:
        node = yaml.compose(path.read_text(), Loader=yaml.SafeLoader)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}{line}: {getattr(error, 'problem', error)}") from error
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise ConfigError(
            f"{path}:1: it is not a list of watches. Write an entry for each kind:\n"
            "- group: example.com\n  version: v1alpha1\n  kind: Shop\n  chart: helm-charts/shop"
        )
    found: list[Watch] = []
    for one in node.value:
        found.append(_Entry(path, one).watch(environ))
        if twice := find_twice(found):
            raise ConfigError(f"{path}:{_line(one)}: {twice}")
    return found


def find_twice(watches: Iterable[Watch]) -> str:
    """Return what is wrong if two of *watches* are of one kind; empty if none are.

    The version does not matter: an object of one is an object of the other, and two charts, or
    one of them twice, would undo each other's work.
    """
    kinds: dict[tuple[str, str], Kind] = {}
    for watch in watches:
        kind = watch.kind
        before = kinds.get((kind.group, kind.kind))
        if before is not None:
            versions = "" if before == kind else f", as {before.version} and {kind.version}"
            return f"{kind} is there twice{versions}. Leave one out."
        kinds[kind.group, kind.kind] = kind
    return ""


class _Entry:
    """One entry of the file, which knows its lines."""

    def __init__(self, path: Path, node: Any) -> None:
        self._path = path
        self._node = node
        if not isinstance(node, yaml.MappingNode):
            raise self._error(node, "it is not a mapping with group, version, kind and chart")
        self._lines = {key.value: key for key, _ in node.value}
        self._values: dict[str, Any] = {key.value: _constructed(value) for key, value in node.value}

    def watch(self, environ: Mapping[str, str]) -> Watch:
        self._check()
        values = self._values
        group, version = values.get("group", ""), values["version"]
        try:
            kind = Kind(f"{group}/{version}" if group else version, values["kind"])
        except ValueError as error:
            raise self._error(self._node, str(error)) from None
        return Watch(
            kind=kind,
            chart=self._chart(),
            watch_dependent_resources=values.get("watchDependentResources", True),
            override_values=dict(self._overrides(environ)),
            selector=self._selector(),
            reconcile_period=self._period(),
            max_concurrent_reconciles=values.get("maxConcurrentReconciles"),
            dry_run_option=values.get("dryRunOption", ""),
        )

    def _check(self) -> None:
        for name, value in self._values.items():
            wanted = _FIELDS.get(name)
            if wanted is None:
                known = ", ".join(_FIELDS)
                raise self._error(self._lines[name], f"there is no field {name!r}: {known}")
            if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
                raise self._error(
                    self._lines[name], f"{name} is {value!r:.40}, and not {_TITLES[wanted]}"
                )
        for name in _REQUIRED:
            if not self._values.get(name):
                raise self._error(self._node, f"{name} is missing: write `{name}: …`")
        if (workers := self._values.get("maxConcurrentReconciles")) is not None and workers < 1:
            raise self._error(
                self._lines["maxConcurrentReconciles"],
                f"maxConcurrentReconciles is {workers}: nothing would be done. Write 1 or more",
            )
        if self._values.get("dryRunOption", "") not in _DRY_RUNS:
            raise self._error(self._lines["dryRunOption"], "dryRunOption is none, client or server")

    def _chart(self) -> Chart:
        try:
            return load_chart(self._path.parent / self._values["chart"])
        except ConfigError as error:
            raise self._error(self._lines["chart"], str(error)) from error

    def _overrides(self, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        for name, value in self._values.get("overrideValues", {}).items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            try:
                set_text({}, str(name), text)  # which refuses what is no path
                yield str(name), expanded(text, environ)
            except ConfigError as error:
                raise self._error(self._lines["overrideValues"], str(error)) from None

    def _selector(self) -> str:
        found = self._values.get("selector") or {}
        if wrong := set(found) - {"matchLabels", "matchExpressions"}:
            raise self._error(
                self._lines["selector"],
                f"a selector has matchLabels and matchExpressions, and no {', '.join(wrong)}",
            )
        try:
            terms = [f"{name}={value}" for name, value in (found.get("matchLabels") or {}).items()]
            terms += [_term(one) for one in found.get("matchExpressions") or ()]
        except (KeyError, TypeError, AttributeError):
            raise self._error(
                self._lines["selector"], "the selector is not one as in a Deployment"
            ) from None
        return ",".join(terms)

    def _period(self) -> float | None:
        text = self._values.get("reconcilePeriod")
        if text is None:
            return None
        try:
            return parse_duration(text).total_seconds() or None
        except ValueError as error:
            raise self._error(
                self._lines["reconcilePeriod"], f"{error}: write one such as 30s or 1h30m"
            ) from None

    def _error(self, node: Any, text: str) -> ConfigError:
        return ConfigError(f"{self._path}:{_line(node)}: {text}")


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


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _constructed(node: Any) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    finally:
        loader.dispose()
