import pytest

from kubewright.cli.project.helm.options import PLUGINS, ChartOptions, is_plugin
from kubewright.errors import ConfigError


@pytest.mark.parametrize("name", PLUGINS)
def test_the_plugin_has_a_short_name_and_a_long_one(name: str) -> None:
    """PROJECT has the long one."""
    assert is_plugin(name)
    assert not is_plugin("")


@pytest.mark.parametrize("name", ["go/v4", "ansible", "Helm", "helm,go"])
def test_other_plugins_are_refused(name: str) -> None:
    """With a word about what there is."""
    with pytest.raises(ConfigError, match=f"--plugins: there is no plugin '{name}', only helm"):
        is_plugin(name)


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
    assert ChartOptions().said == []
