import importlib
import subprocess
import sys

import pytest

from kubewright import embedded


@pytest.mark.parametrize("name", embedded.__all__)
def test_every_name_that_is_promised_is_there(name: str) -> None:
    """It is found when it is first used, and named in ``dir``."""
    assert getattr(embedded, name).__name__ == name
    assert name in dir(embedded)


def test_a_misspelt_name_is_an_attribute_error() -> None:
    """As with any other module."""
    with pytest.raises(AttributeError, match="no attribute 'LocalServe'"):
        _ = importlib.import_module("kubewright.embedded").LocalServe


def test_a_server_needs_no_client() -> None:
    """It would take longer to load than the server itself."""
    code = "import sys, kubewright.cli.apiserver; print('kubewright.client' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
