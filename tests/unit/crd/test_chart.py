import pytest

from kubewright.crd.chart import Dependency, check_chart_name, read_chart
from kubewright.errors import ConfigError

WHOLE = """\
apiVersion: v2
name: shop
version: 1.2.3
appVersion: "4"
description: Sells things.
dependencies:
- name: redis
  version: 1.x
  repository: https://charts.example.com
  alias: cache
- name: mail
"""


def test_a_chart_says_what_it_is_and_needs() -> None:
    """Schema and scaffold are made of this, without the program helm."""
    found = read_chart(WHOLE)

    assert (found.name, found.version, found.app_version) == ("shop", "1.2.3", "4")
    assert found.description == "Sells things."
    assert found.dependencies[0] == Dependency("redis", "cache", "https://charts.example.com")
    assert [one.key for one in found.dependencies] == ["cache", "mail"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name: [\n", r"^shop/Chart\.yaml:2: this is not YAML"),
        ("- a\n", r"^shop/Chart\.yaml:1: a chart says its name and version here"),
        ("", r"^shop/Chart\.yaml:1: a chart says"),
        ("name: a\nversion: 1.0.0\n", r"its apiVersion is not given; charts have v1 or v2"),
        ("apiVersion: v3\nname: a\nversion: 1.0.0\n", r"its apiVersion is 'v3'"),
        ("apiVersion: v2\nversion: 1.0.0\n", r"there is no 'name', which every chart has"),
        ("apiVersion: v2\nname: a\n", r"there is no 'version'"),
        (
            "apiVersion: v2\nname: My_Chart\nversion: 1.0.0\n",
            r"^shop/Chart\.yaml:2: a chart cannot be called 'My_Chart'",
        ),
        (
            "apiVersion: v2\nname: a\nversion: 1.0.0\ntype: library\n",
            r"^shop/Chart\.yaml:4: a is a library, .* Name a chart of the type application",
        ),
        (
            "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [1]\n",
            r"^shop/Chart\.yaml:4: dependencies: Expected `object`, got `int`",
        ),
    ],
)
def test_a_broken_chart_is_refused_with_file_and_line(text: str, fault: str) -> None:
    """Charts come from others, and so do their mistakes."""
    with pytest.raises(ConfigError, match=fault):
        read_chart(text, place="shop/Chart.yaml")


@pytest.mark.parametrize("name", ["../up", "a/b", "A", "", "-a", "a." + "b", "a" * 54])
def test_a_chart_is_called_like_a_folder_and_a_label(name: str) -> None:
    """Its name becomes a path in the project, and part of names in the cluster."""
    with pytest.raises(ConfigError, match="--kind: a chart cannot be called"):
        check_chart_name(name, place="--kind")
