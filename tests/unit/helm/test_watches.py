"""``watches.yaml``: all its fields, and what is said about those that are wrong."""

from pathlib import Path

import pytest

import kubewright as kw
from kubewright.errors import ConfigError
from kubewright.helm import load_watches
from tests.unit.helm.charts import chart

WHOLE = """\
- group: example.com
  version: v1alpha1
  kind: Shop
  chart: charts/shop
  watchDependentResources: false
  overrideValues:
    image.tag: $TAG
    debug: true
  selector:
    matchLabels: {tier: front}
    matchExpressions:
    - {key: size, operator: In, values: [small, large]}
    - {key: old, operator: DoesNotExist}
  reconcilePeriod: 1m30s
  maxConcurrentReconciles: 4
  dryRunOption: server
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a chart."""
    chart().write_to(tmp_path / "charts")
    return tmp_path


def write(folder: Path, text: str) -> Path:
    """Write a ``watches.yaml``."""
    path = folder / "watches.yaml"
    path.write_text(text)
    return path


def test_every_field_of_operator_sdk_is_read(folder: Path) -> None:
    """Users bring the files that they have."""
    (watch,) = load_watches(write(folder, WHOLE), {"TAG": "1.2"})

    assert watch.kind == kw.Kind("example.com/v1alpha1", "Shop")
    assert watch.chart.name == "shop"
    assert watch.override_values == {"image.tag": "1.2", "debug": "true"}
    assert watch.selector == "tier=front,size in (small,large),!old"
    assert watch.reconcile_period == 90
    assert watch.max_concurrent_reconciles == 4
    assert (watch.watch_dependent_resources, watch.dry_run_option) == (False, "server")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "not a list of watches"),
        ("group: example.com", 1, "not a list of watches"),
        ("- a: [", 1, "expected"),
        ("- group: a.b\n  version: v1\n  kind: A", 1, "chart is missing"),
        ("- version: v1\n  kind: A\n  chart: none", 3, "there is no chart"),
        ("- version: v1\n  chrat: a", 2, "there is no field 'chrat'"),
        ("- version: v1\n  kind: A\n  chart: charts/shop\n  reconcilePeriod: soon", 4, "1h30m"),
        ("- version: v1\n  kind: A\n  chart: charts/shop\n  maxConcurrentReconciles: 0", 4, "1 or"),
        ("- version: v1\n  kind: [A]\n  chart: charts/shop", 2, "not a text"),
        ("- version: v1\n  kind: A\n  chart: charts/shop\n  selector: {x: 1}", 4, "matchLabels"),
        (
            "- version: v1\n  kind: A\n  chart: charts/shop\n  dryRunOption: x",
            4,
            "client or server",
        ),
        (
            "- version: v1\n  kind: A\n  chart: charts/shop\n  overrideValues: {a: '{{ x }}'}",
            4,
            "cannot be expanded",
        ),
        (
            "- version: v1\n  kind: A\n  chart: charts/shop\n  overrideValues: {'a[99999]': b}",
            4,
            "beyond the place 65536",
        ),
        ("- text", 1, "not a mapping"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    folder: Path, text: str, line: int, message: str
) -> None:
    """Whoever wrote the file sees where to look and what to write."""
    with pytest.raises(ConfigError, match=message) as caught:
        load_watches(write(folder, text))

    assert f"watches.yaml:{line}" in str(caught.value)


def test_kind_stands_there_once(folder: Path) -> None:
    """Two charts for one object would undo each other's work."""
    entry = "- group: example.com\n  version: v1\n  kind: Shop\n  chart: charts/shop\n"

    with pytest.raises(ConfigError, match=r"yaml:5: Shop\.example\.com is there twice"):
        load_watches(write(folder, entry * 2))
    with pytest.raises(ConfigError, match=r"yaml:5: .* as v1 and v2\."):
        load_watches(write(folder, entry + entry.replace("v1", "v2")))


def test_missing_file_is_named(tmp_path: Path) -> None:
    """With the reason."""
    with pytest.raises(ConfigError, match="No such file"):
        load_watches(tmp_path / "watches.yaml")
