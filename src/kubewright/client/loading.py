"""Where a configuration is looked for, and in which order: as in controller-runtime."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from kubewright.client import incluster, kubeconfig
from kubewright.client.config import Config, Overrides
from kubewright.client.context import config_for
from kubewright.client.kubeconfig import Kubeconfig
from kubewright.errors import ConfigError


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where to look: tests have places of their own."""

    environ: Mapping[str, str]
    home: Path | None = None
    service_account: Path | None = None

    @property
    def account(self) -> Path:
        """Where a pod has its service account."""
        return self.service_account or incluster.folder_for(self.environ)

    @property
    def listed(self) -> list[Path]:
        """The files in ``$KUBECONFIG``, each once."""
        names = self.environ.get("KUBECONFIG", "").split(os.pathsep)
        return list(dict.fromkeys(Path(name) for name in names if name))

    @property
    def default(self) -> Path:
        """The kubeconfig in the home folder."""
        home = self.home or Path(self.environ.get("HOME") or _home())
        return home / ".kube" / "config"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # OpenShift runs pods as users that no file knows
        return Path()


def load(path: Path | None, context: str | None, *, where: Places, overrides: Overrides) -> Config:
    """Return the first configuration that exists; see `Config.load`."""
    if path is not None:
        return from_file(path, context, overrides=overrides)
    if where.listed:
        merged = kubeconfig.merge(_existing(where.listed))
        return _first(merged, context, where=where, overrides=overrides)
    if context is None and _is_mounted(where):
        return incluster.load(where.environ, where.account, overrides=overrides)
    merged = kubeconfig.merge(_existing([where.default]))
    return _first(merged, context, where=where, overrides=overrides)


def from_file(path: Path, context: str | None = None, *, overrides: Overrides) -> Config:
    """Return the configuration in the file *path*, which must exist."""
    try:
        found = kubeconfig.read(path)
    except FileNotFoundError as error:
        raise ConfigError(
            f"cannot read the kubeconfig {path}: there is no such file. Check the path."
        ) from error
    return config_for(found, context, overrides=overrides)


def from_document(
    document: Mapping[str, Any], context: str | None = None, *, overrides: Overrides
) -> Config:
    """Return the configuration in a kubeconfig that was read already."""
    return config_for(kubeconfig.parse(document), context, overrides=overrides)


def _first(
    found: Kubeconfig, context: str | None, *, where: Places, overrides: Overrides
) -> Config:
    """Return what *found* says; where it says nothing, the pod's own configuration."""
    if found or overrides.get("server"):
        return config_for(found, context, overrides=overrides)
    if context is None and incluster.is_in_cluster(where.environ):
        return incluster.load(where.environ, where.account, overrides=overrides)
    raise ConfigError(
        f"no cluster configured: {_looked_at(where, found)}."
        " Name a kubeconfig file in $KUBECONFIG, with --kubeconfig or in Config.load();"
        " `kubewright cluster start` makes a cluster to try things on."
    )


def _looked_at(where: Places, found: Kubeconfig) -> str:
    said = [] if where.listed else ["$KUBECONFIG is not set"]
    if not incluster.is_in_cluster(where.environ):
        said.append("this is not a pod")
    said += (
        f"{path} is empty" if path in found.files else f"there is no {path}"
        for path in where.listed or [where.default]
    )
    return ", ".join(said)


def _existing(paths: list[Path]) -> list[Kubeconfig]:
    found = []
    for path in paths:
        try:
            found.append(kubeconfig.read(path))
        except FileNotFoundError:
            continue  # $KUBECONFIG may name files that do not exist yet
    return found


def _is_mounted(where: Places) -> bool:
    return incluster.is_in_cluster(where.environ) and (where.account / "token").is_file()
