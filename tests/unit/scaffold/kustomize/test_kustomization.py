"""The file kustomization.yaml, as a value."""

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize.kustomization import Kustomization
from kubewright.scaffold.kustomize.problem import ProblemError

PLACE = "config/kustomization.yaml"


def test_the_file_is_read_with_the_lines_of_its_fields() -> None:
    """A problem with a field is told with its line."""
    said = Kustomization.read("resources:\n- a\nbases:\n- b\n", place=PLACE)

    assert said.all_resources == [(("resources", 0), "a"), (("bases", 0), "b")]
    with pytest.raises(ConfigError) as caught, said.telling("bases", 0):
        raise ProblemError("it is wrong")
    assert str(caught.value) == f"{PLACE}, line 4: bases[0]: it is wrong"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", f"{PLACE} is empty: it should name at least one file under `resources:`"),
        (
            "kind: Kustomization\n",
            f"{PLACE} is empty: it should name at least one file under `resources:`",
        ),
        (
            "kind: Pod\nresources: []\n",
            f"{PLACE}, line 1: kind: 'Pod' should be Kustomization or Component",
        ),
        (
            "resources: []\napiVersion: v1\n",
            f"{PLACE}, line 2: apiVersion: 'v1' should be kustomize.config.k8s.io/v1beta1",
        ),
        (
            "kind: Component\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: []\n",
            (
                f"{PLACE}, line 2: apiVersion: 'kustomize.config.k8s.io/v1beta1' should be"
                " kustomize.config.k8s.io/v1alpha1"
            ),
        ),
        (
            "helmCharts: [{name: a}]\n",
            (
                f"{PLACE}, line 1: helmCharts: Helm charts need the program kustomize: run"
                " `kustomize build`, and put its output where this file is"
            ),
        ),
        (
            "buildMetadata: [origin]\n",
            (
                f"{PLACE}, line 1: buildMetadata[0]: 'origin' is none of managedByLabel,"
                " originAnnotations, transformerAnnotations"
            ),
        ),
        (
            "resource: []\n",
            f"{PLACE}, line 1: resource: there is no such field; did you mean resources?",
        ),
    ],
)
def test_what_is_wrong_is_said_with_what_would_be_right(text: str, why: str) -> None:
    """Nobody knows all of the format by heart."""
    with pytest.raises(ConfigError) as caught:
        Kustomization.read(text, place=PLACE)

    assert str(caught.value) == why
