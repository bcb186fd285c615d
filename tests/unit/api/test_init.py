"""The names that `kubewright.api` offers."""

import subprocess
import sys

import pytest

from kubewright import api


@pytest.mark.parametrize("name", api.__all__)
def test_every_name_can_be_loaded(name: str) -> None:
    """A name in the list that its module does not have would fail at first use, far away."""
    assert getattr(api, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="no attribute 'Pod'"):
        _ = api.Pod  # type: ignore[attr-defined]  # as it should be


def test_dir_shows_what_is_not_loaded_yet() -> None:
    """Completion in an editor or a shell must offer all names."""
    assert set(api.__all__) <= set(dir(api))


def test_a_module_loads_alone() -> None:
    """A server formats times, and should not pay for typed objects."""
    code = "import kubewright.api.times, sys; print('kubewright.api.resource' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"
