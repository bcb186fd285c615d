"""Certificates that we make ourselves, and share with all replicas through a Secret."""

import asyncio
import ssl
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kubewright._aio import Backoff, Clock, TaskSet
from kubewright._pki.server_context import Serving
from kubewright.client import Client
from kubewright.errors import (
    BadRequestError,
    ConfigError,
    ForbiddenError,
    InvalidError,
    KubewrightError,
    NotFoundError,
    UnauthorizedError,
)
from kubewright.log import get_logger
from kubewright.webhook.certificates.bundles import CABundles
from kubewright.webhook.certificates.following import follow
from kubewright.webhook.certificates.instruments import note_expiry
from kubewright.webhook.certificates.lifetimes import Lifetimes
from kubewright.webhook.certificates.targets import Targets, normal_hosts

if TYPE_CHECKING:
    from kubewright.kinds.core.v1 import Secret
    from kubewright.webhook.certificates.chain import Chain
    from kubewright.webhook.certificates.vault import Vault

__all__ = ["ManagedCertificate"]

PAUSE: float = 0.2
"""Between two passes. It grows while they follow one another, up to `LONGEST`: a quarrel over a
bundle must not keep the API server busy."""
LONGEST: float = 5.0

_STAYS = (BadRequestError, ForbiddenError, InvalidError, NotFoundError, UnauthorizedError)

_log = get_logger(__name__)


class ManagedCertificate:
    """An authority and a certificate of our own, in a Secret; a `CertificateSource`.

    However many replicas start at once, one makes them, and all show the same. They are renewed
    long before they expire, and what a server shows is always signed by an authority that API
    servers were told to trust before. A Secret that is deleted or damaged is written again as it
    was.

    Args:
        client: How to reach the API server.
        secret: The name of the Secret; it may exist already, if it is empty.
        namespace: Its namespace.
        hosts: The names and addresses that API servers call; see `service_hosts`.
        targets: The objects whose ``caBundle`` is kept right.
        lifetimes: How long things are good for; ten years and one year by default.
        clock: The source of time; the client's by default.

    Raises:
        ConfigError: There are no hosts.
    """

    def __init__(  # noqa: PLR0913  # each is needed, and by keyword
        self,
        client: Client,
        *,
        secret: str,
        namespace: str,
        hosts: Iterable[str],
        targets: Targets | None = None,
        lifetimes: Lifetimes | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._client = client
        self._place = (secret, namespace)
        self._hosts = normal_hosts(tuple(hosts))
        self._lifetimes = lifetimes or Lifetimes()
        self._clock = clock or client.clock
        self._bundles = CABundles(client, targets or Targets(), self._hosts)
        self._vault: Vault | None = None
        self._serving: Serving | None = None
        self._signer = b""  # the authority of what is shown
        self._changed = asyncio.Event()
        self._failure = ""
        self._unpublished = "the caBundle of the webhooks was not written yet"

    async def load(self) -> ssl.SSLContext:
        """Return the context to listen with; waits while the API server cannot be reached.

        Raises:
            ConfigError: We may not use the Secret, or it belongs to somebody else.
        """
        backoff = Backoff(clock=self._clock)
        while self._serving is None:
            try:
                await self._pass()
            except KubewrightError as error:
                self._report(error)
                if self._serving is None:
                    _refuse_what_stays(error)
                    await backoff.wait()
        return self._serving.context

    async def keep(self) -> None:
        """Renew the certificate, and put right what others do to it, until cancelled."""
        from kubewright.kinds.core.v1 import Secret

        name, namespace = self._place
        pause = self._pause()
        async with TaskSet() as tasks:
            tasks.start(
                follow(self._client, Secret, name, namespace=namespace, see=self._see),
                name=f"watch of secret {namespace}/{name}",
            )
            tasks.start(self._bundles.follow(self._changed.set), name="watches of caBundles")
            tasks.start(self._look_at_the_clock(), name="renewal of the certificate")
            while True:
                await self._changed.wait()
                self._changed.clear()
                try:
                    await self._pass()
                except KubewrightError as error:
                    self._report(error)
                await pause.wait()

    def _pause(self) -> Backoff:
        # Never so long that a step of a renewal would come late.
        cap = min(LONGEST, self._lifetimes.overlap.total_seconds() / 10)
        return Backoff(
            base=PAUSE, cap=max(PAUSE, cap), jitter=0.0, reset_after=60.0, clock=self._clock
        )

    def problem(self) -> str:
        """Return why the server is not ready to serve with it, or nothing."""
        if self._serving is None:
            return self._failure or "no certificate is loaded yet"
        return self._serving.facts.problem(self._clock.now()) or self._unpublished

    @property
    def ca_bundle(self) -> bytes:
        """The authorities that clients must trust, in PEM; empty before `load`."""
        chain = self._vault.chain if self._vault is not None else None
        return chain.bundle if chain is not None else b""

    async def _pass(self) -> None:
        """Do whatever there is to do now: in the Secret, then in the bundles, then in the server.

        The Secret is read first each time: bundles are written from it only, so that two replicas
        of which one knows more do not undo what the other wrote.
        """
        vault = self._opened_vault()
        chain = await vault.settle(self._clock.now())
        known = (
            self._serving is None
            or chain.authority.certificate == self._signer  # whom we show now is no less trusted
            or vault.trusts(chain)
        )
        try:
            if not await self._bundles.publish(chain.bundle, still_right=vault.is_current):
                self._changed.set()  # somebody else has written the Secret meanwhile
                return
        except KubewrightError as error:
            if self._serving is None:
                self._unpublished = f"the caBundle of the webhooks could not be written: {error}"
            # Shown all the same, if clients know its authority already, or nobody was served yet.
            if known:
                self._show(chain)
            raise
        vault.note_published(chain.bundle)
        if not known:
            # The Secret was replaced by one with another authority. What we show is in the bundle,
            # too, so there is time until API servers have learned of the new one.
            await self._clock.sleep(self._lifetimes.notice.total_seconds())
        self._show(chain)
        self._failure = self._unpublished = ""

    def _opened_vault(self) -> "Vault":
        if self._vault is None:
            from kubewright.webhook.certificates.chain import Renewal
            from kubewright.webhook.certificates.vault import Vault

            renewal = Renewal(f"{self._place[0]}-ca", self._hosts, self._lifetimes)
            self._vault = Vault(
                self._client,
                *self._place,
                renewal,
                notice=self._lifetimes.notice,
                trusted=self._bundles.read,
            )
        return self._vault

    def _show(self, chain: "Chain") -> None:
        self._signer = chain.authority.certificate
        if self._serving is None:
            self._serving = Serving(chain.leaf)
        elif self._serving.pair != chain.leaf:
            self._serving.replace(chain.leaf)
        else:
            return
        facts = self._serving.facts
        note_expiry(facts)
        _log.info("serving with a new certificate", expires=str(facts.not_after))

    def _see(self, secret: "Secret | None") -> None:
        if self._vault is None or secret is None or not self._vault.knows(secret):
            self._changed.set()

    async def _look_at_the_clock(self) -> None:
        """Notice what is due. Often, since the time of day may jump, and asleep nobody sees it.

        That asks nobody.
        """
        while True:
            await self._clock.sleep(self._lifetimes.interval.total_seconds())
            unfinished = self._failure or self._unpublished
            if unfinished or self._vault is None or self._vault.is_due(self._clock.now()):
                self._changed.set()

    def _report(self, error: KubewrightError) -> None:
        if (text := str(error)) != self._failure:
            self._failure = text
            _log.warning("cannot keep the certificate up to date, will retry", error=text)


def _refuse_what_stays(error: KubewrightError) -> None:
    """Raise a `ConfigError` for what does not pass by waiting."""
    if isinstance(error, ConfigError):
        raise error
    if isinstance(error, _STAYS):
        raise ConfigError(f"cannot keep a certificate in a Secret: {error}") from error
