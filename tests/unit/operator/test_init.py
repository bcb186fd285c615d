"""The names that `kubewright.operator` offers."""

import pytest

from kubewright import operator


@pytest.mark.parametrize("name", operator.__all__)
def test_every_name_can_be_loaded(name: str) -> None:
    """A name in the list that its module does not have would fail at first use, far away."""
    assert getattr(operator, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="no attribute 'Pod'"):
        _ = operator.Pod  # type: ignore[attr-defined]  # as it should be


def test_dir_shows_what_is_not_loaded_yet() -> None:
    """Completion in an editor or a shell must offer all names."""
    assert set(operator.__all__) <= set(dir(operator))
