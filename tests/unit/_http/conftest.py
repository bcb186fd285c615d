from pathlib import Path

import pytest

from tests.unit._http.certificates import Authority


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Return a certificate authority that nobody else trusts."""
    folder: Path = tmp_path_factory.mktemp("certificates")
    return Authority(folder)
