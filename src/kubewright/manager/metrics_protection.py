"""What ``metrics_secure`` puts before the metrics page: TLS, and a check of each caller."""

from functools import partial
from typing import TYPE_CHECKING

from kubewright._aio import Clock
from kubewright._pki.files import PathLike
from kubewright.errors import ConfigError
from kubewright.manager.metrics_access import MetricsAccess
from kubewright.manager.metrics_certificate import (
    CertificateFiles,
    load_certificate,
    make_certificate,
)
from kubewright.manager.metrics_server import Protection

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["protect_metrics"]


def protect_metrics(
    client: "Client | None", folder: PathLike | None, name: str, key: str, *, clock: Clock
) -> Protection:
    """Return the protection of a page whose callers *client* asks about.

    Args:
        client: Creates the reviews.
        folder: Where the certificate is; without, one is made. It is read when the port is opened.
        name: The file of the certificate in *folder*.
        key: The file of its key.
        clock: Measures how long answers are good for.

    Raises:
        ConfigError: There is nobody to ask, or a name is empty.
    """
    if client is None:
        raise ConfigError(
            "metrics_secure: there is no cluster that could say who may read the metrics. Give the"
            " manager one, or serve them to everybody."
        )
    files = CertificateFiles.find(folder, name, key)
    certificate = make_certificate if files is None else partial(load_certificate, files)
    return Protection(certificate, partial(MetricsAccess, client=client, clock=clock))
