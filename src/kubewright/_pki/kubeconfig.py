"""Kubeconfig files for a server of ours."""

import base64
from pathlib import Path
from typing import Any

from kubewright._pki.files import check_writable, write_private
from kubewright.errors import ConfigError

__all__ = ["check_target", "credentials", "document", "write"]

NAME: str = "kubewright"
"""The name of the context, and of the cluster, in a file of ours; ``kubewright-…`` for others."""

MARK: dict[str, Any] = {"name": "cluster_info", "extension": {"provider": "kubewright"}}
"""Marks every cluster entry of ours, since anybody may use the name. kubectl keeps it."""


def credentials(
    *, token: str | None = None, certificate: bytes | None = None, key: bytes | None = None
) -> dict[str, str]:
    """Return the entry of a user who logs in by a token, or by a certificate (PEM), or both."""
    found: dict[str, str] = {}
    if token:
        found["token"] = token
    if certificate and key:
        found["client-certificate-data"] = base64.b64encode(certificate).decode()
        found["client-key-data"] = base64.b64encode(key).decode()
    return found


def document(
    url: str, user: tuple[str, dict[str, str]], *, ca_data: bytes | None, name: str = NAME
) -> dict[str, Any]:
    """Return a kubeconfig with one context *name*: *user*, a name and an entry, at *url*."""
    cluster: dict[str, Any] = {"server": url, "extensions": [MARK]}
    if ca_data:
        cluster["certificate-authority-data"] = base64.b64encode(ca_data).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": user[0], "user": user[1]}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": user[0]}}],
        "current-context": name,
    }


def check_target(path: Path) -> None:
    """Check that a kubeconfig can be written to *path* without losing entries of others.

    Raises:
        ConfigError: The folder does not exist, or the file is not one of ours.
    """
    check_writable(path)
    if path.exists() and (lost := _lost(path)):
        raise ConfigError(
            f"cannot write {path}: it holds {lost}, which would be lost. Name another file;"
            " KUBECONFIG may list several."
        )


def write(path: Path, content: dict[str, Any]) -> None:
    """Write *content* to *path*, whole or not at all, readable by us only.

    Raises:
        ConfigError: The folder cannot be written to.
    """
    import yaml

    try:
        write_private(path, yaml.safe_dump(content, sort_keys=False).encode())
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}.") from error


def _lost(path: Path) -> str:
    """Return the names of entries that are not ours; empty if all are."""
    import yaml

    try:
        found = yaml.safe_load(path.read_bytes())
        if found is None or _is_ours(found):
            return ""
        listed = [_listed(found, kind) for kind in ("context", "cluster", "user")]
    except (OSError, ValueError, yaml.YAMLError, AttributeError, KeyError, TypeError):
        return "something else than a kubeconfig"
    if not any(listed):
        return "" if found.get("kind") == "Config" else "something else than a kubeconfig"
    return " and ".join(filter(None, listed))


def _is_ours(found: dict[str, Any]) -> bool:
    clusters = [entry["cluster"] for entry in found.get("clusters") or ()]
    names = [str(entry["name"]) for entry in found.get("contexts") or ()]
    marked = [MARK in (cluster.get("extensions") or ()) for cluster in clusters]
    own = [name == NAME or name.startswith(f"{NAME}-") for name in names]
    return bool(marked) and all(marked) and all(own)


def _listed(found: dict[str, Any], kind: str) -> str:
    names = [entry["name"] for entry in found.get(f"{kind}s") or ()]
    return f"the {kind}{'s' if len(names) > 1 else ''} {', '.join(names)}" if names else ""
