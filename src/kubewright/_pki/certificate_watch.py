"""A certificate in files that somebody else replaces, such as cert-manager through a volume."""

import ssl
from collections.abc import Callable
from pathlib import Path

from kubewright._aio import Clock
from kubewright._pki.facts import CertificateFacts
from kubewright._pki.keypair import KeyPair
from kubewright._pki.server_context import Serving
from kubewright.errors import ConfigError
from kubewright.log import get_logger
from kubewright.metrics import Counter

__all__ = ["INTERVAL", "CertificateWatch"]

INTERVAL: float = 10.0
"""How often the files are looked at, in seconds; as controller-runtime does."""

_READS = Counter(
    "certwatcher_read_certificate_total", "Total number of certificate reads."
).labels()
_ERRORS = Counter(
    "certwatcher_read_certificate_errors_total", "Total number of certificate read errors."
).labels()

_log = get_logger(__name__)


class CertificateWatch:
    """Keeps the pair of two files in one `ssl` context; the last good pair stays.

    The files are read at each look: a volume replaces them through a link, and not every file
    system tells of that.

    Args:
        certificate: The certificate, with those between it and its authority, in PEM.
        key: Its private key, in PEM, without a password.
        clock: The source of time.
        on_loaded: Called with the facts of each certificate that is loaded.
    """

    def __init__(
        self,
        certificate: Path,
        key: Path,
        *,
        clock: Clock | None = None,
        on_loaded: Callable[[CertificateFacts], object] | None = None,
    ) -> None:
        self._paths = (certificate, key)
        self._clock = clock or Clock()
        self._on_loaded = on_loaded
        self._serving: Serving | None = None
        self._refused: str = ""

    def load(self) -> ssl.SSLContext:
        """Return the context to listen with; the same one at each call.

        Raises:
            ConfigError: A file is missing or unreadable, or the two do not fit together.
        """
        if self._serving is None:
            try:
                self._look()
            except ValueError:
                self._try_to_look()  # the files may have been replaced between the two reads
            except OSError as error:
                raise ConfigError(_missing(error, self._paths)) from error
        assert self._serving is not None
        return self._serving.context

    async def keep(self) -> None:
        """Load what is new in the files, until cancelled."""
        while True:
            await self._clock.sleep(INTERVAL)
            self.look()

    def look(self) -> None:
        """Load what is new in the files; a pair that is not good is logged once."""
        try:
            self._look()
        except (OSError, ValueError) as error:
            _ERRORS.inc()
            if str(error) != self._refused:
                self._refused = str(error)
                _log.error(
                    "cannot load the certificate, the last good one is kept",
                    path=str(self._paths[0]),
                    error=str(error),
                )
        else:
            self._refused = ""

    def problem(self) -> str:
        """Return why a server cannot serve with it now, or nothing."""
        if self._serving is None:
            return "no certificate is loaded yet"
        problem = self._serving.facts.problem(self._clock.now())
        return f"{problem}: renew {self._paths[0]}" if problem else ""

    def _try_to_look(self) -> None:
        try:
            self._look()
        except (OSError, ValueError) as error:
            _ERRORS.inc()
            certificate, key = self._paths
            raise ConfigError(
                f"cannot serve with {certificate} and {key}: {error}. Both must be PEM without a"
                " password, and the key must be that of the first certificate."
            ) from error

    def _look(self) -> None:
        _READS.inc()
        certificate, key = self._paths
        pair = KeyPair(certificate.read_bytes(), key.read_bytes())
        if self._serving is None:
            self._serving = Serving(pair)
        elif pair != self._serving.pair:
            self._serving.replace(pair)
        else:
            return
        facts = self._serving.facts
        _log.info("loaded the certificate", path=str(certificate), expires=str(facts.not_after))
        if self._on_loaded is not None:
            self._on_loaded(facts)


def _missing(error: OSError, paths: tuple[Path, Path]) -> str:
    _ERRORS.inc()
    certificate, key = paths
    return (
        f"cannot read {error.filename or certificate}: {error.strerror or error}. Mount a volume"
        f" with {certificate.name} and {key.name} at {certificate.parent}, such as the Secret of a"
        " cert-manager Certificate, or name another folder."
    )
