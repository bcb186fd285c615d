import pytest

from kubewright.cli.project.plugins import layout_of
from kubewright.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("", "python.kubewright.dev/v1"),
        ("helm", "helm.kubewright.dev/v1"),
        ("helm/v1", "helm.kubewright.dev/v1"),
        ("helm.kubewright.dev/v1", "helm.kubewright.dev/v1"),
        ("ansible", "ansible.sdk.operatorframework.io/v1"),
        ("ansible/v1", "ansible.sdk.operatorframework.io/v1"),
        ("ansible.sdk.operatorframework.io/v1", "ansible.sdk.operatorframework.io/v1"),
    ],
)
def test_a_plugin_has_a_short_name_and_a_long_one(name: str, layout: str) -> None:
    """PROJECT has the long one."""
    assert layout_of(name) == layout


@pytest.mark.parametrize("name", ["go/v4", "Ansible", "Helm", "helm,go"])
def test_other_plugins_are_refused(name: str) -> None:
    """With a word about what there is."""
    with pytest.raises(ConfigError, match=f"--plugins: there is no plugin '{name}', only helm"):
        layout_of(name)
