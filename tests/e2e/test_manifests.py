"""The manifests beside the samples are those that their classes make."""

from pathlib import Path

import pytest
import yaml

from tests.e2e.manifests import manifests
from tests.e2e.program import EXAMPLES

MANIFESTS = manifests()


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_a_manifest_is_what_its_classes_make(path: Path) -> None:
    """If a change is meant, ``python -m tests.e2e.manifests`` writes it."""
    assert path.read_text() == MANIFESTS[path]


def test_both_styles_of_at_have_the_same_definition() -> None:
    """They look after the same objects."""
    ours, by_hand = (
        yaml.safe_load((EXAMPLES / style / "crd.yaml").read_text())
        for style in ("at", "at_by_hand")
    )

    assert ours == by_hand
