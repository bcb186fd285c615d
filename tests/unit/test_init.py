"""The names that `kubewright` itself offers."""

import subprocess
import sys

import pytest

import kubewright


@pytest.mark.parametrize("name", kubewright.__all__)
def test_every_name_can_be_loaded(name: str) -> None:
    """A name in the list that its package does not have would fail at first use, far away."""
    assert getattr(kubewright, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="no attribute 'Operators'"):
        _ = kubewright.Operators  # type: ignore[attr-defined]  # as it should be


def test_dir_shows_what_is_not_loaded_yet() -> None:
    """Completion in an editor or a shell must offer all names."""
    assert set(kubewright.__all__) <= set(dir(kubewright))


def test_a_name_loads_its_own_package_only() -> None:
    """Who declares a class should not pay for the client."""
    code = "import kubewright, sys; kubewright.Model; print('kubewright.client' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"
