"""The judge: ``kubectl kustomize``, or ``kustomize build``."""

import pytest

from tests.kustomize.judge import find_judge


@pytest.fixture(scope="session")
def judge() -> list[str]:
    """The command of the real kustomize."""
    found = find_judge()
    if found is None:
        pytest.skip("no kubectl and no kustomize on PATH to compare with")
    return found
