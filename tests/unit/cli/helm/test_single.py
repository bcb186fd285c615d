"""One chart as an operator."""

from pathlib import Path

import pytest

from kubewright.cli.helm.single import single_chart
from kubewright.errors import ConfigError
from tests.unit.helm.charts import chart


def test_chart_and_kind_make_an_operator(tmp_path: Path) -> None:
    """With the name of the chart, and a CRD for any values."""
    place = chart().write_to(tmp_path)

    found = single_chart(place, group="example.com", version="v1", kind="Till")

    assert found.name == "shop-operator"
    assert [one["metadata"]["name"] for one in found.crds()] == ["tills.example.com"]


@pytest.mark.parametrize(
    ("group", "kind", "message"), [("", "Till", "--group is empty"), ("a_b", "T", "no such kind")]
)
def test_kind_that_cannot_be_is_refused(
    tmp_path: Path, group: str, kind: str, message: str
) -> None:
    """Before anything runs."""
    with pytest.raises(ConfigError, match=message):
        single_chart(tmp_path, group=group, version="v1", kind=kind)
