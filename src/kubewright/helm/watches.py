"""``watches.yaml``: which kinds there are, and which chart each object is a release of."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from kubewright.api.kind_reference import Kind
from kubewright.application.watchfile import COMMON_FIELDS, WatchEntry, find_twice, watch_entries
from kubewright.errors import ConfigError
from kubewright.helm.chart import Chart, load_chart
from kubewright.helm.values import expanded, set_text

__all__ = ["Watch", "load_watches"]

_REQUIRED = ("version", "kind", "chart")
_FIELDS: dict[str, type] = {
    **COMMON_FIELDS, "chart": str, "overrideValues": dict, "maxConcurrentReconciles": int,
    "dryRunOption": str,
}  # fmt: skip
_DRY_RUNS = ("", "none", "client", "server")
_EXAMPLE = "- group: example.com\n  version: v1alpha1\n  kind: Shop\n  chart: helm-charts/shop"


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
    found: list[Watch] = []
    for entry in watch_entries(path, example=_EXAMPLE):
        found.append(_watch(entry, environ))
        if twice := find_twice(one.kind for one in found):
            raise entry.error("", twice)
    return found


def _watch(entry: WatchEntry, environ: Mapping[str, str]) -> Watch:
    entry.check(_FIELDS, _REQUIRED)
    values = entry.values
    workers = entry.count("maxConcurrentReconciles", "nothing would be done")
    if values.get("dryRunOption", "") not in _DRY_RUNS:
        raise entry.error("dryRunOption", "dryRunOption is none, client or server")
    return Watch(
        kind=entry.kind(),
        chart=_chart(entry),
        watch_dependent_resources=values.get("watchDependentResources", True),
        override_values=dict(_overrides(entry, environ)),
        selector=entry.selector(),
        reconcile_period=entry.period(),
        max_concurrent_reconciles=workers,
        dry_run_option=values.get("dryRunOption", ""),
    )


def _chart(entry: WatchEntry) -> Chart:
    try:
        return load_chart(entry.path.parent / entry.values["chart"])
    except ConfigError as error:
        raise entry.error("chart", str(error)) from error


def _overrides(entry: WatchEntry, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in entry.values.get("overrideValues", {}).items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            set_text({}, str(name), text)  # which refuses what is no path
            yield str(name), expanded(text, environ)
        except ConfigError as error:
            raise entry.error("overrideValues", str(error)) from None
