"""Where a bundle comes from: a folder, or an image on a registry."""

from pathlib import Path
from typing import NamedTuple

from kubewright.bundle.reading import Bundle, read_bundle
from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.errors import ConfigError

__all__ = ["Source", "read_source"]


class Source(NamedTuple):
    """A bundle, and what it comes from.

    Attributes:
        bundle: The bundle.
        texts: Its files.
        image: The image that it is in, with its digest; empty if it is a folder.
    """

    bundle: Bundle
    texts: dict[str, str]
    image: str = ""


def read_source(name: str, *, use_http: bool = False) -> Source:
    """Return the bundle that *name* names: a folder that is there, or else an image.

    Raises:
        ConfigError: There is no such folder, and it is no image; or it cannot be read.
    """
    if not name:
        raise ConfigError("which bundle? Its name is empty. Name a folder or an image")
    folder = Path(name)
    # A path that is not there gets the message for folders, unless it can only be an image.
    if folder.exists() or not (":" in folder.name or "@" in folder.name):
        texts = read_texts(folder, what="bundle")
        return Source(read_bundle(place_of(folder), texts), texts)
    from kubewright.cli.registry.reading import pull_bundle

    texts, image = pull_bundle(name, use_http=use_http)
    return Source(read_bundle(name, texts), texts, image)
