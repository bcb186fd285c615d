import pytest

from kubewright.cli.project.helm.options import ChartOptions
from kubewright.errors import ConfigError


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (ChartOptions(crd_schema="value"), "--crd-schema: 'value' is not known. Say values"),
        (ChartOptions(repo="https://a.b"), "--helm-chart-repo goes with --helm-chart"),
        (ChartOptions(version="1"), "--helm-chart-version goes with --helm-chart"),
        (
            ChartOptions(chart="nginx", repo="stable"),
            "--helm-chart-repo: 'stable' is not the address .*: --helm-chart stable/nginx",
        ),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options: ChartOptions, fault: str) -> None:
    """Before anything is read or pulled."""
    with pytest.raises(ConfigError, match=fault):
        options.check()


def test_what_was_said_is_known() -> None:
    """Projects in Python refuse it by its name."""
    said = ChartOptions(chart="a", crd_schema="none")

    said.check()

    assert said.said == ["--helm-chart", "--crd-schema"]
    assert said.about_chart == ["--helm-chart"]
    assert ChartOptions().said == []
