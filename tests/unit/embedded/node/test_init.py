import importlib

import pytest

from kubewright.embedded import node


@pytest.mark.parametrize("name", node.__all__)
def test_every_name_that_is_promised_is_there(name: str) -> None:
    """It is found when it is first used."""
    assert getattr(node, name).__name__ == name


def test_a_misspelt_name_is_an_attribute_error() -> None:
    """As with any other module."""
    with pytest.raises(AttributeError, match="no attribute 'Nod'"):
        _ = importlib.import_module("kubewright.embedded.node").Nod
