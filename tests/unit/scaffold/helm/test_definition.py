import pytest
import yaml

from kubewright.scaffold.codeless.definition import crd_path
from kubewright.scaffold.helm.chart import Chart, chart_of
from kubewright.scaffold.helm.definition import crd_text, notes_of, sample_text
from kubewright.scaffold.manifests import is_ours
from kubewright.scaffold.project import API, ProjectResource

SHOP = ProjectResource(
    kind="Shop",
    version="v1alpha1",
    group="town",
    domain="example.com",
    api=API(crd_version="v1", namespaced=True),
)


def chart(values: str, schema: str | None = None) -> Chart:
    """Return a chart with these values."""
    files = {
        "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
        "templates/a.yaml": "kind: Pod\n",
        "values.yaml": values,
    }
    more = {} if schema is None else {"values.schema.json": schema}
    return chart_of({**files, **more}, place="shop")


def spec_of(text: str) -> object:
    """Return the schema of the spec in a CRD."""
    [version] = yaml.safe_load(text)["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]["properties"]["spec"]


def test_without_a_schema_the_spec_may_be_anything() -> None:
    """As operator-sdk makes it; the file is the user's, who may write a schema."""
    made = crd_text(SHOP)

    assert not is_ours(made)
    assert crd_path(SHOP) == "config/crd/bases/town.example.com_shops.yaml"
    assert spec_of(made) == {
        "description": "The values of the chart.",
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }


def test_with_a_schema_the_file_is_made_anew_of_the_chart() -> None:
    """It is what the chart says, and nobody writes it by hand."""
    made = crd_text(SHOP, chart("size: 1\n"))

    assert is_ours(made)
    assert spec_of(made) == {
        "description": "The values of the chart; what is not there is as in helm-charts/shop.",
        "type": "object",
        "properties": {"size": {"type": "integer"}},
    }


def test_what_the_schema_does_not_say_is_told() -> None:
    """People believe that a schema checks what it says."""
    schema = '{"required": ["a"], "properties": {"size": {"type": "string", "pattern": "(?!x)"}}}'

    [pattern, sample] = notes_of(chart("", schema))

    assert pattern.startswith("not in the schema of the CRD: size: its pattern is left out")
    assert sample.startswith("the sample lacks a: the schema requires that")


@pytest.mark.parametrize(
    "values",
    [
        "# All.\nsize: 1  # how many\n\nimage:\n  tag: ''\n",
        "---\nsize: 1\n",
        "{size: 1, image: {tag: x}}\n",
        "text: |\n  one\n\n    two\n",
        "text: |2\n    one\n",
        "a: &a {b: 1}\nc: *a\n",
    ],
)
def test_a_sample_has_the_values_with_their_comments(values: str) -> None:
    """It shows what there is to set."""
    made = sample_text(SHOP, chart(values), "    a: b")

    assert yaml.safe_load(made)["spec"] == yaml.safe_load(values)
    assert "# how many" in made or "# how many" not in values
    assert not [line for line in made.splitlines() if line.endswith(" ")]


def test_values_that_cannot_be_indented_are_written_anew() -> None:
    """Comments are lost then, and the values are right."""
    values = "text: 'one\n\n  two'\nmore: \"a\\\n  b\"\n%x: 1\n".replace("%x", "x")

    made = sample_text(SHOP, chart(values), "    a: b")

    assert yaml.safe_load(made)["spec"] == yaml.safe_load(values)


def test_a_chart_without_values_has_an_empty_sample() -> None:
    """A spec is an object."""
    assert sample_text(SHOP, chart("# none\n"), "    a: b").endswith("spec: {}\n")
