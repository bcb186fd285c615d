"""Rewrite the golden CRDs: ``python -m tests.golden.crd.rewrite``; review reads the diff."""

from pathlib import Path

from kubewright.crd import classes_from, custom_resource_definition, to_yaml
from tests.golden.crd.at import At
from tests.golden.crd.every import every_crd

FOLDER = Path(__file__).parent


def golden_files() -> dict[str, str]:
    """Return what each golden file should contain."""
    return {
        "at.yaml": to_yaml(custom_resource_definition(At)),
        "every.yaml": to_yaml(every_crd()),
        "every_classes.txt": classes_from(every_crd()),
    }


if __name__ == "__main__":
    for name, text in golden_files().items():
        (FOLDER / name).write_text(text)
