import pytest
import yaml

from kubewright.errors import ConfigError
from kubewright.scaffold.helm.chart import chart_of, default_chart
from kubewright.scaffold.templates import Templates

CHART = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
FILES = {"Chart.yaml": CHART, "templates/a.yaml": "kind: Pod\n", "values.yaml": "size: 1\n"}


def test_a_chart_is_its_files() -> None:
    """What version control keeps beside them is not."""
    found = chart_of({**FILES, ".git/config": "x", "a/.DS_Store": "x"}, place="shop")

    assert found.folder == "helm-charts/shop"
    assert set(found.files) == set(FILES)
    assert (found.values, found.schema, found.missing) == ("size: 1\n", None, [])


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"Chart.yaml": None}, "shop has no file Chart.yaml, so it is not a helm chart"),
        ({"Chart.yaml": "name: [\n"}, r"^shop/Chart\.yaml:2: this is not YAML"),
        (
            {"templates/a.yaml": None},
            "shop has no folder templates, so there is nothing to install",
        ),
        ({"values.yaml": "- a\n"}, r"^shop/values\.yaml:1: values are a mapping"),
        ({"values.yaml": "a:\n  b\n c: [\n"}, r"^shop/values\.yaml:\d: this is not YAML"),
    ],
)
def test_what_is_not_a_chart_is_refused(changed: dict[str, str | None], fault: str) -> None:
    """The message says what is missing, and where."""
    files = {path: text for path, text in {**FILES, **changed}.items() if text is not None}

    with pytest.raises(ConfigError, match=fault):
        chart_of(files, place="shop")


def test_charts_that_are_needed_and_not_there_are_named() -> None:
    """Helm refuses to render such a chart, which would be found out on the cluster only."""
    text = f"{CHART}dependencies:\n- name: redis\n- name: mail\n- name: sql\n"
    there = {"charts/redis-1.2.3.tgz": "x", "charts/mail/Chart.yaml": "x"}

    found = chart_of({**FILES, "Chart.yaml": text, **there}, place="shop")

    assert found.missing == ["sql"]


def test_a_new_chart_is_called_after_its_kind() -> None:
    """And all its own templates are filled in; those of helm stay."""
    found = default_chart("Shop", Templates())

    assert found.metadata.name == "shop"
    assert yaml.safe_load(found.values)["ingress"]["hosts"][0]["host"] == "shop.example.com"
    assert 'include "shop.fullname"' in found.files["templates/deployment.yaml"]
    assert not [path for path, text in found.files.items() if "<<" in text or ">>" in text]
    assert not [path for path, text in found.files.items() if not text.endswith("\n")]


def test_a_kind_with_a_long_name_has_no_chart() -> None:
    """Releases and labels are called after it."""
    with pytest.raises(ConfigError, match="--kind: a chart cannot be called"):
        default_chart("S" * 60, Templates())
