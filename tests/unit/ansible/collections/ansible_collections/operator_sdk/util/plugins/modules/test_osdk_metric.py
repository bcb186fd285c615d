"""The module ``osdk_metric`` is one that Ansible can read."""

import sys

import yaml

from kubewright.ansible.folder import COLLECTIONS

sys.path.append(str(COLLECTIONS))
from ansible_collections.operator_sdk.util.plugins.modules import (  # type: ignore[import-not-found]
    osdk_metric,
)


def test_documentation_is_yaml() -> None:
    """``ansible-doc`` shows it."""
    found = yaml.safe_load(osdk_metric.DOCUMENTATION)

    assert found["module"] == "osdk_metric"
    assert yaml.safe_load(osdk_metric.EXAMPLES)
