"""The options for roles."""

import pytest

from kubewright.ansible import Settings
from kubewright.cli.ansible.options import settings_for
from kubewright.errors import ConfigError


def test_options_are_settings() -> None:
    """Those that were not given keep their defaults."""
    found = settings_for(reconcile_period="30m", verbosity=None, runs=3)

    assert found == Settings(reconcile_period=1800.0, runs=3)
    assert settings_for(reconcile_period=None, verbosity=None) is None


def test_period_that_is_none_is_refused() -> None:
    """With the name of the option."""
    with pytest.raises(ConfigError, match=r"--reconcile-period: .*write one such as 30s or 10h"):
        settings_for(reconcile_period="soon")
