"""Every simulation is quiet: faults are no errors, so no line may say that somebody must act."""

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Keep no warnings, of which there are thousands; and let no error pass unnoticed."""
    with caplog.at_level(logging.ERROR, logger="kubewright"):
        yield
    assert [one.getMessage() for one in caplog.get_records("call")] == []
