"""How runs are made."""

from typing import Any

import pytest

from kubewright.ansible.settings import Settings
from kubewright.errors import ConfigError


def test_there_are_as_many_runs_as_processors_by_default() -> None:
    """Each run keeps one busy."""
    assert Settings(runs=3).most_runs == 3
    assert Settings().most_runs >= 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"verbosity": 8}, "from 0 to 7"),
        ({"arguments": "'"}, "No closing quotation"),
        ({"deadline": -1}, "deadline is -1 seconds"),
        ({"reconcile_period": -1}, "reconcile_period is -1 seconds"),
        ({"runs": 0}, "nothing would be done"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: dict[str, Any], message: str) -> None:
    """When they are given, and not at the first run."""
    with pytest.raises(ConfigError, match=message):
        Settings(**given)
