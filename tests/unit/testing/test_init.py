import importlib

import pytest

from kubewright import testing


@pytest.mark.parametrize("name", testing.__all__)
def test_every_name_that_is_promised_is_there(name: str) -> None:
    """It is found when it is first used, and named in ``dir``."""
    assert getattr(testing, name).__name__ == name
    assert name in dir(testing)


def test_a_misspelt_name_is_an_attribute_error() -> None:
    """As with any other module."""
    with pytest.raises(AttributeError, match="no attribute 'EmbededServer'"):
        _ = importlib.import_module("kubewright.testing").EmbededServer
