"""The module ``requeue_after`` is one that Ansible can read."""

import sys

import yaml

from kubewright.ansible.folder import COLLECTIONS

sys.path.append(str(COLLECTIONS))
from ansible_collections.operator_sdk.util.plugins.modules import (  # type: ignore[import-not-found]
    requeue_after,
)


def test_documentation_is_yaml() -> None:
    """``ansible-doc`` shows it."""
    found = yaml.safe_load(requeue_after.DOCUMENTATION)

    assert found["module"] == "requeue_after"
    assert yaml.safe_load(requeue_after.EXAMPLES)


def test_times_are_hours_minutes_and_seconds() -> None:
    """What is none is refused by the task, before the operator hears of it."""
    for text in ("1h30m", "10s", "5m"):
        assert requeue_after._is_time(text)
    for text in ("", "10", "s", "1d"):
        assert not requeue_after._is_time(text)
