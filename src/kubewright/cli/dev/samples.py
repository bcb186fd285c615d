"""The samples of a project: objects to try an operator with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubewright.api.unstructured import Unstructured
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["apply_samples", "find_samples"]

FOLDERS: tuple[str, ...] = ("samples", "config/samples")
OWNER: str = "kubewright-dev"


def find_samples(folder: Path) -> list[Path]:
    """Return the sample files of the project in *folder*: ``samples/*.yaml`` and the like."""
    inside = [path for name in FOLDERS for path in _yaml(folder / name)]
    beside = [path for path in _yaml(folder) if "sample" in path.stem.lower()]
    return [path for path in (*inside, *beside) if path.stem != "kustomization"]


async def apply_samples(client: Client, paths: list[Path]) -> list[str]:
    """Apply all objects in *paths*; return their names, such as ``at/example``.

    Raises:
        ConfigError: A file cannot be read.
        APIError: The server refuses one.
    """
    documents = [document for path in paths for document in _documents(path)]
    applied = [await client.apply(one, field_owner=OWNER, force=True) for one in documents]
    return [f"{one.gvk.kind.lower()}/{one.name}" for one in applied]


def _yaml(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")])


def _documents(path: Path) -> Iterator[Unstructured]:
    import yaml

    try:
        found: list[Any] = list(yaml.safe_load_all(path.read_bytes()))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the sample {path}: {error}") from error
    for document in found:
        if document is None:
            continue
        if not isinstance(document, dict) or not document.get("kind"):
            raise ConfigError(f"cannot apply the sample {path}: it is not a Kubernetes object")
        yield Unstructured(document)
