"""Random overlays: what nobody thought of is equal, too."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kubewright.errors import ConfigError
from tests.kustomize.judge import Refusal, built, judged
from tests.kustomize.strategies import Overlay, compositions, merges

# The same examples in every run.
BRIEFLY = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=list(HealthCheck),
    phases=[phase for phase in Phase if phase is not Phase.explain],
)


def compare(judge: list[str], overlay: Overlay, *, folder: str) -> None:
    """Fail unless both build the same, or both refuse to."""
    with TemporaryDirectory() as place:
        wanted = judged(judge, overlay, folder=folder, place=Path(place))
    if isinstance(wanted, Refusal):
        with pytest.raises(ConfigError):
            built(overlay, folder=folder)
    else:
        assert built(overlay, folder=folder) == wanted


@pytest.mark.timeout(300)
@BRIEFLY
@given(overlay=merges())
def test_strategic_patches_merge_as_the_real_ones(judge: list[str], overlay: Overlay) -> None:
    """A patch that merges otherwise deploys something that nobody has reviewed."""
    compare(judge, overlay, folder=".")


@pytest.mark.timeout(300)
@BRIEFLY
@given(overlay=compositions())
def test_compositions_equal_the_real_ones(judge: list[str], overlay: Overlay) -> None:
    """Names, namespaces and labels go through several folders, and references follow."""
    compare(judge, overlay, folder="overlay")
