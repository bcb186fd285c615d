import pytest

from kubewright.cli.project.ansible.options import RoleOptions
from kubewright.errors import ConfigError


def test_what_was_said_is_known() -> None:
    """Projects of other sorts refuse it by its name."""
    said = RoleOptions(generate_role=True, generate_playbook=True, crd_schema="none")

    said.check()

    assert said.generated == ["--generate-role", "--generate-playbook"]
    assert said.said == [*said.generated, "--crd-schema"]
    assert RoleOptions().said == []


def test_the_schema_of_charts_is_not_that_of_roles() -> None:
    """Charts have values, and roles have defaults."""
    with pytest.raises(ConfigError, match="--crd-schema: 'values' is not known"):
        RoleOptions(crd_schema="values").check()
