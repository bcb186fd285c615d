"""The pages of the reference say what the code says."""

import importlib
import re
import tomllib
from pathlib import Path

from kubewright import metrics
from kubewright.log import FIELDS
from tests.structure.tree import ROOT, python_files

REFERENCE = ROOT / "docs" / "reference"
ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<rest>.*) \|$", re.MULTILINE)


def rows(page: str) -> dict[str, list[str]]:
    """Return the rows of the tables of *page*: the name, and the cells after it."""
    found = ROW.findall((REFERENCE / page).read_text())
    assert len({name for name, _ in found}) == len(found), "a name stands there twice"
    return {name: rest.split(" | ") for name, rest in found}


def families() -> dict[str, metrics.Counter | metrics.Gauge | metrics.Histogram]:
    """Return every family that our sources make; other tests may have made more."""
    sources = {path: (ROOT / path).read_text() for path in python_files("src/kubewright")}
    for path, source in sources.items():
        if "from kubewright.metrics import" in source:
            importlib.import_module(_module(path))
    text = "\n".join(sources.values())
    return {one.name: one for one in metrics.REGISTRY.collect() if f'"{one.name}"' in text}


def _module(path: Path) -> str:
    return ".".join(path.relative_to("src").with_suffix("").parts)


def test_every_metric_is_on_its_page() -> None:
    """Alerts are written from the page: a name or label that is not so never fires."""
    expected = {
        name: [
            type(family).__name__.lower(),
            ", ".join(f"`{label}`" for label in family.label_names),
            family.help.rstrip("."),
        ]
        for name, family in families().items()
    }

    assert len(expected) > 20
    assert rows("metrics.md") == expected


def test_every_field_of_the_log_is_on_its_page() -> None:
    """Who searches a log looks names up here."""
    assert rows("log-fields.md") == {name: [meaning] for name, meaning in FIELDS.items()}


def test_the_picture_of_the_layers_is_what_the_linter_checks() -> None:
    """A newcomer learns the layers from the picture."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    text = (ROOT / "docs" / "architecture.md").read_text()
    picture = text.partition("```text\n")[2].partition("```")[0]

    drawn = [line for line in picture.splitlines() if not line.startswith(" ")]

    assert [re.split(r" {2,}", line)[0] for line in drawn] == [
        layer.replace("|", "│") for layer in layers if layer != "__main__"
    ]


def test_every_file_that_the_architecture_names_is_there() -> None:
    """Somebody who follows an event through the code must find each file where the page says."""
    text = (ROOT / "docs" / "architecture.md").read_text()

    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", text))

    assert len(named) > 50
    assert [
        path for path in sorted(named) if not (ROOT / "src" / "kubewright" / path).exists()
    ] == []
