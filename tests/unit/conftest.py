"""Tests leave the process as it was."""

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _root_as_before() -> Iterator[None]:
    """Take away what a test, or a command that it ran, did to the logging of the whole process."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
