"""The manifests beside the samples are those that their classes make."""

from pathlib import Path

import pytest
import yaml

from tests.e2e.kubectl import Kubectl
from tests.e2e.manifests import manifests
from tests.e2e.program import EXAMPLES, crds_of

MANIFESTS = manifests()


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_a_manifest_is_what_its_classes_make(path: Path) -> None:
    """If a change is meant, ``python -m tests.e2e.manifests`` writes it."""
    assert path.read_text() == MANIFESTS[path]


@pytest.mark.parametrize(
    "path",
    [path for path in MANIFESTS if path.name == "crd.yaml"],
    ids=lambda path: str(path.relative_to(EXAMPLES)),
)
async def test_a_definition_is_accepted_from_kubectl(kubectl: Kubectl, path: Path) -> None:
    """Whoever installs a sample with kubectl does not use the code that writes it otherwise."""
    said = kubectl("apply", "--dry-run=server", "--filename", str(path))

    assert "(server dry run)" in said


def test_all_styles_of_at_have_the_same_definition() -> None:
    """They look after the same objects."""
    (project,) = crds_of("at_project").glob("*.yaml")
    ours, by_hand, made = (
        yaml.safe_load(path.read_text()) for path in (crds_of("at"), crds_of("at_by_hand"), project)
    )

    assert ours == by_hand == made
