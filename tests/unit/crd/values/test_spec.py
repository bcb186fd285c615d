import json

import pytest

from kubewright.crd.chart import ChartMetadata, Dependency
from kubewright.crd.values.inference import OPEN
from kubewright.crd.values.spec import read_values, spec_schema
from kubewright.errors import ConfigError

CHART = ChartMetadata("shop", "1.0.0")
PARENT = ChartMetadata("shop", "1.0.0", dependencies=(Dependency("redis", alias="cache"),))
BOMB = "a0: &a0 x\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
OBJECT = {"type": "object", **OPEN}


def test_the_schema_of_the_chart_comes_first() -> None:
    """Its author knows better than a guess."""
    schema = json.dumps({"properties": {"size": {"type": "integer", "minimum": 1}}})

    found = spec_schema(CHART, "size: 3\n", schema)
    guessed = spec_schema(CHART, "size: 3\n")

    assert found.source == "values.schema.json"
    assert found.schema["properties"]["size"] == {"type": "integer", "minimum": 1}
    assert guessed.source == "values.yaml"
    assert guessed.schema["properties"]["size"] == {"type": "integer"}


def test_values_of_other_charts_are_allowed() -> None:
    """They are below the name of the chart, and those for all charts below `global`."""
    found = spec_schema(PARENT, "size: 1\ncache: {port: 1}\n").schema["properties"]

    assert found["global"] == {**OBJECT, "description": "Values for all charts."}
    assert found["cache"]["x-kubernetes-preserve-unknown-fields"] is True
    assert "tags" not in found


def test_groups_of_charts_can_be_switched() -> None:
    """By their tags, if they have some; what is there for all charts stays open."""
    parent = ChartMetadata("shop", "1", dependencies=(Dependency("redis", tags=("db",)),))

    found = spec_schema(parent, "global: {a: 1}\n").schema["properties"]

    assert found["tags"] == {**OBJECT, "description": "Which groups of charts are switched on."}
    assert found["global"] == {**OBJECT, "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ("a: [\n", r"^shop/values\.yaml:2: this is not YAML"),
        ("- a\n", r"^shop/values\.yaml:1: values are a mapping, not a list"),
        ("a: &a\n  b: *a\n", "has more than 20,000 values"),
        (BOMB, "has more than 20,000 values"),
        ("[" * 300, "nested too deeply"),
    ],
)
def test_broken_values_are_refused_with_file_and_line(values: str, fault: str) -> None:
    """Also those that would take all memory."""
    with pytest.raises(ConfigError, match=fault):
        spec_schema(CHART, values, folder="shop/")


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ("{", r"^shop/values\.schema\.json:1: this is not JSON"),
        ("{\n\n]", r"^shop/values\.schema\.json:3: this is not JSON"),
        ("[]", r"^shop/values\.schema\.json:1: a schema is an object, not a list"),
        ("[" * 100_000, "nested too deeply|this is not JSON"),
    ],
)
def test_a_broken_schema_is_refused_with_file_and_line(schema: str, fault: str) -> None:
    """A CRD that checks nothing would look like one that checks."""
    with pytest.raises(ConfigError, match=fault):
        spec_schema(CHART, "a: 1\n", schema, folder="shop/")


def test_a_file_without_values_has_none() -> None:
    """Comments are often all there is."""
    assert read_values("# none\n") == {}
