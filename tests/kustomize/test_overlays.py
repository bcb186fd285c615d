"""Our own build beside the real one: equal object by object, in the same order."""

from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from tests.kustomize.judge import Refusal, built, judged
from tests.kustomize.overlays import OVERLAYS, REFUSED, Overlay


def folder_of(overlay: Overlay) -> str:
    """Return the folder that is built."""
    return "overlay" if any(path.startswith("overlay/") for path in overlay) else "."


@pytest.mark.parametrize("name", OVERLAYS)
def test_our_build_equals_the_real_one(judge: list[str], tmp_path: Path, name: str) -> None:
    """Whoever has kustomize deploys exactly what we deploy without it."""
    overlay = OVERLAYS[name]
    folder = folder_of(overlay)

    wanted = judged(judge, overlay, folder=folder, place=tmp_path)

    assert not isinstance(wanted, Refusal), wanted
    assert built(overlay, folder=folder) == wanted


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_real_one_refuses_we_refuse(judge: list[str], tmp_path: Path, name: str) -> None:
    """A mistake that we let pass would break for the colleague who has kustomize."""
    overlay = REFUSED[name]
    folder = folder_of(overlay)

    assert isinstance(judged(judge, overlay, folder=folder, place=tmp_path), Refusal)

    with pytest.raises(ConfigError):
        built(overlay, folder=folder)
