"""The objects that a bundle is made from: an overlay of the project, files, or the input."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kubewright.bundle.document import read_documents
from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.cli.deploy.image import Image
from kubewright.cli.deploy.overlay import build_overlay
from kubewright.errors import ConfigError

__all__ = ["from_folders", "from_input", "from_overlay"]

Object = dict[str, Any]
_ENDS = (".yaml", ".yml", ".json")


def from_overlay(root: Path, folder: str, image: Image | None) -> list[Object]:
    """Return the objects of a folder with a kustomization, with the image of the operator.

    Raises:
        ConfigError: It cannot be built.
    """
    if not (root / folder).is_dir():
        raise ConfigError(
            f"there is no folder {root / folder}. `kubewright generate kustomize manifests` makes"
            " it, or name files with --input-dir"
        )
    return build_overlay(root, folder, image=image)


def from_folders(folders: Iterable[Path]) -> list[Object]:
    """Return the objects in all files below *folders*; kustomizations are none.

    Raises:
        ConfigError: A folder is not there, or a file is not YAML.
    """
    found: list[Object] = []
    for folder in folders:
        for path, text in read_texts(folder).items():
            if path.endswith(_ENDS) and not path.rpartition("/")[2].startswith("kustomization."):
                found += _objects(f"{place_of(folder)}/{path}", text)
    if not found:
        names = ", ".join(map(str, folders))
        raise ConfigError(f"there are no objects in {names}")
    return found


def from_input() -> list[Object]:
    """Return the objects in the standard input.

    Raises:
        ConfigError: It is not YAML, or nothing.
    """
    try:
        text = sys.stdin.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"the input is not a text in UTF-8: {error}") from None
    found = _objects("the input", text)
    if not found:
        raise ConfigError(
            "the input is empty. Write it as in: kustomize build config/manifests | kubewright"
            " generate bundle --input-dir -"
        )
    return found


def _objects(path: str, text: str) -> list[Object]:
    found: list[Object] = []
    for one in read_documents(path, text):
        if not one.kind or not one.api_version or not (one.name or one.kind.endswith("List")):
            raise ConfigError(
                f"{path}, line {one.line()}: this is not an object: it needs apiVersion, kind and"
                " metadata.name"
            )
        found += one.at("items") or [] if one.kind == "List" else [one.content]
    return found
