"""Certificates that somebody mounts, such as cert-manager."""

import ssl
from pathlib import Path

from kubewright._aio import Clock
from kubewright._pki.certificate_watch import CertificateWatch
from kubewright._pki.files import PathLike, named_path
from kubewright.errors import ConfigError
from kubewright.webhook.certificates.instruments import note_expiry

__all__ = ["MountedCertificate"]


_AUTHORITY = "ca.crt"


class MountedCertificate:
    """A certificate in files, which are looked at every ten seconds; a `CertificateSource`.

    A pair that is half-written or does not fit together is logged, and the last good one is kept.

    Args:
        folder: Where the volume is mounted.
        name: The file of the certificate.
        key: The file of its key.
        clock: The source of time.

    Raises:
        ConfigError: A name is empty.
    """

    def __init__(
        self,
        folder: PathLike,
        *,
        name: str = "tls.crt",
        key: str = "tls.key",
        clock: Clock | None = None,
    ) -> None:
        where = named_path("the folder of the certificate", folder)
        if where is None or not name or not key:
            raise ConfigError("a mounted certificate needs a folder, and the names of two files")
        self._authority = Path(where, _AUTHORITY)
        self._files = CertificateWatch(
            Path(where, name), Path(where, key), clock=clock, on_loaded=note_expiry
        )

    async def load(self) -> ssl.SSLContext:
        """Return the context to listen with.

        Raises:
            ConfigError: A file is missing or unreadable, or the two do not fit together.
        """
        return self._files.load()

    async def keep(self) -> None:
        """Load what is new in the files, until cancelled."""
        await self._files.keep()

    def problem(self) -> str:
        """Return why the server is not ready to serve with it, or nothing."""
        return self._files.problem()

    @property
    def ca_bundle(self) -> bytes:
        """The authority beside the files, where cert-manager puts it; empty if there is none.

        Whoever mounts the files tells API servers whom to trust, so it is needed only where we
        register the webhooks ourselves.
        """
        try:
            return self._authority.read_bytes()
        except OSError:
            return b""
