"""What ``docker login`` has written down, for registries that want a password."""

import os
from pathlib import Path

from kubewright import _json
from kubewright.bundle.document import at, text
from kubewright.errors import DecodeError

__all__ = ["find_login"]

_HUB = "https://index.docker.io/v1/"


def find_login(host: str) -> str:
    """Return user and password for a registry as docker has kept them; empty for none.

    Only what is in the file itself is used; programs that keep passwords are not asked.
    """
    folder = os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker"
    try:
        found = _json.loads((Path(folder) / "config.json").read_bytes())
    except (OSError, DecodeError):
        return ""
    names = [_HUB] if host == "docker.io" else [host, f"https://{host}"]
    return next((one for name in names if (one := text(at(found, "auths", name, "auth")))), "")
