"""Builds the overlays of a project, with the image that is deployed."""

import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kubewright.api.names import check_dns_label
from kubewright.cli.deploy.image import Image
from kubewright.errors import ConfigError
from kubewright.scaffold.kustomize import build

__all__ = ["CONTROLLER", "build_overlay", "reader"]

CONTROLLER: str = "controller"
"""The name that the image of the operator has in the files of a project."""
_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_ABOVE = ".kubewright-namespace"
"""A folder that is not on the disk, with a kustomization that moves all objects."""


def build_overlay(
    root: Path, overlay: str, *, image: Image | None = None, namespace: str = ""
) -> list[dict[str, Any]]:
    """Return the objects of a folder with a kustomization; the files stay as they are.

    Args:
        root: The folder of the project.
        overlay: The folder with the kustomization, below *root*.
        image: The image of the operator, which the files call ``controller``.
        namespace: The namespace, instead of the one that the kustomization names.

    Raises:
        ConfigError: It cannot be built, or no container has the image of the operator.
    """
    folder = posixpath.normpath(overlay or ".")
    if folder.startswith(("..", "/")):
        raise ConfigError(f"--overlay: {overlay} is not in the project, which is {root}")
    if not any((root / folder / name).is_file() for name in _FILES):
        raise ConfigError(
            f"there is no kustomization in {root / folder}: none of {', '.join(_FILES)} is there"
        )
    read = reader(root)
    if namespace:
        _check_namespace(namespace)
        folder, read = _ABOVE, _moving(read, folder, namespace)
    # A tag is what people expect of an image; without one, kustomize would keep that of the file.
    said = f"{image}:latest" if image and not (image.tag or image.digest) else str(image)
    documents = build(folder, read, images={CONTROLLER: said} if image else None)
    if image is not None and said not in set(_images(documents)):
        raise ConfigError(
            f"no container of {overlay} has the image {CONTROLLER!r}, so --image changes nothing."
            f" Write `image: {CONTROLLER}:latest` where the operator's own image is meant"
        )
    return documents


def reader(root: Path) -> Callable[[str], str | None]:
    """Return what reads files below *root*, as a build needs it."""

    def read(path: str) -> str | None:
        place = root / path
        try:
            return place.read_bytes().decode("utf-8", "surrogateescape")
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as error:
            raise ConfigError(f"cannot read {place}: {error.strerror}") from error

    return read


def _check_namespace(name: str) -> None:
    try:
        check_dns_label(name)
    except ValueError as error:
        raise ConfigError(f"--namespace: {error}") from None


def _moving(
    read: Callable[[str], str | None], folder: str, namespace: str
) -> Callable[[str], str | None]:
    """Return *read* with one more kustomization, which puts all of *folder* into *namespace*."""

    def moving(path: str) -> str | None:
        if posixpath.normpath(path) == f"{_ABOVE}/kustomization.yaml":
            return f"namespace: {namespace}\nresources:\n- ../{folder}\n"
        return read(path)

    return moving


def _images(part: Any) -> Iterator[str]:
    """Yield the images of all containers in *part* of a document."""
    if isinstance(part, dict):
        if isinstance(part.get("image"), str):
            yield part["image"]
        for inner in part.values():
            yield from _images(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _images(inner)
