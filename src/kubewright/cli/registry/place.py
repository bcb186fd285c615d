"""Where an image is: the server, the repository in it, and which of its versions."""

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from kubewright.cli.deploy.image import Image

__all__ = ["ImagePlace", "is_local", "place_of"]

_HUB = "docker.io"
_HUB_SERVER = "registry-1.docker.io"
_HUB_FOLDER = "library"
_LATEST = "latest"


class ImagePlace(NamedTuple):
    """Where an image is.

    Attributes:
        host: The registry as the image names it, with its port.
        server: The URL of its server.
        repository: The repository in it.
        reference: The digest, or else the tag.
    """

    host: str
    server: str
    repository: str
    reference: str

    @property
    def scope(self) -> str:
        """What a token has to allow."""
        return f"repository:{self.repository}:pull"


def is_local(host: str) -> bool:
    """Tell whether *host*, which may have a port, is this machine."""
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def place_of(image: Image, *, use_http: bool = False) -> ImagePlace:
    """Return where *image* is.

    As for docker, the first part of a name is a registry if it has a dot or a port or is
    ``localhost``, and registries on this machine are asked without TLS.

    Args:
        image: The image.
        use_http: Whether to ask every registry without TLS.

    Example:
        >>> place_of(Image("nginx")).server
        'https://registry-1.docker.io'
    """
    first, slash, rest = image.name.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        first, rest = _HUB, image.name
    if first == _HUB and "/" not in rest:
        rest = f"{_HUB_FOLDER}/{rest}"
    scheme = "http" if use_http or is_local(first) else "https"
    server = _HUB_SERVER if first == _HUB else first
    return ImagePlace(first, f"{scheme}://{server}", rest, image.digest or image.tag or _LATEST)
