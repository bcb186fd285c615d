"""Where the programs of a real cluster are, by the rules of Go's envtest."""

import os
from collections.abc import Mapping
from pathlib import Path

from kubewright.errors import ConfigError

__all__ = ["DEFAULT_FOLDER", "find_folder", "get_program"]

DEFAULT_FOLDER: Path = Path("/usr/local/kubebuilder/bin")
"""Where kubebuilder's own packages put them."""


def find_folder(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the folder of the programs, or None: ``$KUBEBUILDER_ASSETS``, then the default."""
    environ = os.environ if environ is None else environ
    if folder := environ.get("KUBEBUILDER_ASSETS"):
        return Path(folder)
    return DEFAULT_FOLDER if DEFAULT_FOLDER.is_dir() else None


def get_program(
    name: str, folder: Path | None = None, *, environ: Mapping[str, str] | None = None
) -> Path:
    """Return the path of the program *name*, such as ``kube-apiserver``.

    ``$TEST_ASSET_KUBE_APISERVER`` names a single program; else it is in *folder*, in
    ``$KUBEBUILDER_ASSETS``, or in the default folder.

    Raises:
        ConfigError: It is not there, or cannot be executed.
    """
    environ = os.environ if environ is None else environ
    variable = "TEST_ASSET_" + name.upper().replace("-", "_")
    path, looked = _candidate(name, variable, folder=folder, environ=environ)
    if path and path.is_file() and os.access(path, os.X_OK):
        return path
    wrong = "it cannot be executed" if path and path.exists() else "it is not there"
    raise ConfigError(
        f"cannot start a real API server: looked for {name} in {looked}, and {wrong}."
        " Run `make real-apiserver` in a checkout of Kubewright, or `setup-envtest use -p path`,"
        " and set KUBEBUILDER_ASSETS to the folder that it prints."
    )


def _candidate(
    name: str, variable: str, *, folder: Path | None, environ: Mapping[str, str]
) -> tuple[Path | None, str]:
    """Return the path to use, and where it comes from."""
    if folder is None and (single := environ.get(variable)):
        return Path(single), f"{single} (from ${variable})"
    if folder is not None:
        return folder / name, str(folder)
    if (found := find_folder(environ)) is not None:
        origin = "$KUBEBUILDER_ASSETS" if environ.get("KUBEBUILDER_ASSETS") else "the default"
        return found / name, f"{found} (from {origin})"
    return None, f"$KUBEBUILDER_ASSETS, which is not set, and {DEFAULT_FOLDER}"
