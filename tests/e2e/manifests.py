"""The manifests of the samples, made from their classes: ``python -m tests.e2e.manifests``."""

from importlib import import_module
from pathlib import Path

from kubewright.cli.load import load_operator
from kubewright.crd import custom_resource_definitions, to_yaml
from kubewright.scaffold.manifests import single_manifests
from tests.e2e.program import EXAMPLES

NAMESPACE = "default"
"""Where an operator with webhooks runs: its Service and its certificate are there."""
SAMPLES = ("at", "cronjob", "helloworld", "podwatch", "traefikservice")


def manifests() -> dict[Path, str]:
    """Return what should be in each file."""
    found: dict[Path, str] = {}
    for sample in SAMPLES:
        operator = load_operator(str(EXAMPLES / sample / f"{sample}.py"))
        files = single_manifests(operator, namespace=NAMESPACE)
        found.update((EXAMPLES / sample / name, text) for name, text in files.items())
    by_hand = EXAMPLES / "at_by_hand" / "crd.yaml"
    at = import_module("examples.at_by_hand.at_by_hand").At
    found[by_hand] = "# Made from at_by_hand.py.\n" + to_yaml(*custom_resource_definitions(at))
    return found


if __name__ == "__main__":
    for path, text in manifests().items():
        path.write_text(text)
