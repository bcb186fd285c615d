"""The configuration of a pod: the service account that the kubelet mounts into it."""

from collections.abc import Mapping
from pathlib import Path

from kubewright.client.auth import read_token
from kubewright.client.config import Config, Overrides
from kubewright.client.tls import TLSConfig
from kubewright.errors import ConfigError
from kubewright.log import get_logger

_log = get_logger(__name__)

FOLDER = Path("/var/run/secrets/kubernetes.io/serviceaccount")
SOURCE: str = "the service account of the pod"
"""Where such a configuration says that it comes from."""

_ROOT = "KUBEWRIGHT_ROOT"  # below which a pod of the embedded cluster has its mounts: no container


def is_in_cluster(environ: Mapping[str, str]) -> bool:
    """Tell whether this process runs in a pod."""
    return bool(environ.get("KUBERNETES_SERVICE_HOST") and environ.get("KUBERNETES_SERVICE_PORT"))


def load(
    environ: Mapping[str, str], folder: Path | None = None, *, overrides: Overrides | None = None
) -> Config:
    """Return the configuration of the pod that we run in.

    Args:
        environ: The environment.
        folder: Where the service account is mounted, if not in its usual place.
        overrides: Settings that replace the pod's.

    Raises:
        ConfigError: We do not run in a pod, or its service account is not mounted.
    """
    if not is_in_cluster(environ):
        raise ConfigError(
            "cannot use the service account of the pod: KUBERNETES_SERVICE_HOST and"
            " KUBERNETES_SERVICE_PORT are not set, so this is not a pod. Use a kubeconfig."
        )
    overrides = overrides or {}
    folder = folder or folder_for(environ)
    own_token = "token" in overrides or "token_file" in overrides
    return Config(
        server=overrides.get("server") or _server(environ),
        namespace=overrides.get("namespace") or _namespace(environ, folder),
        tls=_tls(folder, overrides),
        token=overrides.get("token"),
        token_file=overrides.get("token_file") if own_token else _token_file(folder),
        impersonate=overrides.get("impersonate"),
        proxy_url=overrides.get("proxy_url"),
        source=SOURCE,
    )


def folder_for(environ: Mapping[str, str]) -> Path:
    """Return where the service account of a pod with this environment is mounted."""
    root = environ.get(_ROOT)
    return Path(root) / FOLDER.relative_to("/") if root else FOLDER


def _server(environ: Mapping[str, str]) -> str:
    host, port = environ["KUBERNETES_SERVICE_HOST"], environ["KUBERNETES_SERVICE_PORT"]
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def _token_file(folder: Path) -> str:
    path = folder / "token"
    try:
        read_token(path)
    except ConfigError as error:
        raise ConfigError(
            f"cannot use the service account of the pod: {error}"
            " Does the pod set automountServiceAccountToken: false?"
        ) from error
    return str(path)


def _tls(folder: Path, overrides: Overrides) -> TLSConfig:
    ca_file = overrides.get("ca_file")
    insecure = overrides.get("insecure", False)
    mounted = folder / "ca.crt"
    if not ca_file and not insecure:
        if _has_certificate(mounted):
            ca_file = str(mounted)
        else:
            _log.error("the pod has no certificate authority, trusting those of the system")
    return TLSConfig(ca_file=ca_file, insecure=insecure, server_name=overrides.get("server_name"))


def _has_certificate(path: Path) -> bool:
    try:
        return b"-----BEGIN CERTIFICATE-----" in path.read_bytes()
    except OSError:
        return False


def _namespace(environ: Mapping[str, str], folder: Path) -> str:
    if named := environ.get("POD_NAMESPACE"):
        return named
    try:
        return (folder / "namespace").read_text(encoding="utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"
