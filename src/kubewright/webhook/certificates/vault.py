"""The Secret with a chain: made once, written by many, and never lost while one of them lives.

Import this late: it loads the package ``cryptography``.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from kubewright._aio import Backoff
from kubewright._pki.facts import CertificateFacts
from kubewright.api.meta import ObjectMeta
from kubewright.client import Client
from kubewright.errors import AlreadyExistsError, ConfigError, ConflictError, NotFoundError
from kubewright.kinds.core.v1 import Secret
from kubewright.log import get_logger
from kubewright.webhook.certificates.chain import Chain, Renewal
from kubewright.webhook.certificates.secret import (
    ANNOTATIONS,
    KEYS,
    OURS,
    find_chain,
    mend,
    read_chain,
    written,
)

__all__ = ["Vault"]

_TRIES = 10

_log = get_logger(__name__)


class Vault:
    """Agrees with other replicas on one chain, by way of a Secret.

    Args:
        client: How to reach the API server.
        name: The name of the Secret.
        namespace: Its namespace.
        renewal: Makes chains.
        notice: How long clients may take to learn of a bundle.
        trusted: Returns the authorities that clients trust now. A first chain keeps them for a
            while: another replica, or another way to get certificates, may still use them.

    Attributes:
        chain: The last one that was read or written.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        namespace: str,
        renewal: Renewal,
        *,
        notice: timedelta,
        trusted: Callable[[], Awaitable[bytes]],
    ) -> None:
        self._client = client
        self._name, self._namespace = name, namespace
        self._renewal = renewal
        self._notice = notice.total_seconds()
        self._trusted = trusted
        self._version = ""
        self._published = b""
        self._published_at = 0.0
        self.chain: Chain | None = None

    def note_published(self, bundle: bytes) -> None:
        """Remember that clients were told to trust *bundle*; they learn of it a moment later."""
        if bundle != self._published:
            self._published, self._published_at = bundle, self._client.clock.monotonic()

    def trusts(self, chain: Chain) -> bool:
        """Tell whether clients were told before to trust what signed the leaf of *chain*."""
        return chain.authority.certificate in self._published

    def knows(self, secret: Secret) -> bool:
        """Tell whether *secret* is what was read or written last."""
        return secret.metadata.resource_version == self._version

    def is_due(self, now: datetime) -> bool:
        """Tell whether `settle` would change something, if nobody else has."""
        return self.chain is None or self._advance(self.chain, now) != self.chain

    async def is_current(self) -> bool:
        """Ask the API server whether the Secret is still what was read or written last."""
        found = await self._client.find(Secret, self._name, namespace=self._namespace)
        return found is not None and self.knows(found)

    async def settle(self, now: datetime) -> Chain:
        """Read the Secret, bring it up to date, and return its chain.

        Raises:
            ConfigError: The Secret belongs to somebody else.
            KubewrightError: It cannot be read or written now.
        """
        backoff = Backoff(base=0.01, cap=1.0, clock=self._client.clock)
        for _ in range(_TRIES - 1):
            try:
                return await self._try_to_settle(now)
            except (AlreadyExistsError, ConflictError, NotFoundError) as error:
                if isinstance(error, NotFoundError) and error.attempt.verb == "create":
                    raise  # there is no such namespace
                await backoff.wait()
        return await self._try_to_settle(now)

    async def _try_to_settle(self, now: datetime) -> Chain:
        found = await self._client.find(Secret, self._name, namespace=self._namespace)
        chain = self._advance(await self._known_chain(found, now), now)
        stored = await self._store(found, chain)
        self.chain, self._version = chain, stored.metadata.resource_version or ""
        return chain

    def _advance(self, chain: Chain, now: datetime) -> Chain:
        # By our own clock, too: "announced" is the time of another replica, which may be wrong,
        # and says nothing of when the bundles were written.
        waited = self._client.clock.monotonic() - self._published_at
        known = self._published == chain.bundle and waited >= self._notice
        return self._renewal.advance(chain, now, published=known)

    async def _known_chain(self, found: Secret | None, now: datetime) -> Chain:
        """Return the chain of the Secret, or the one in memory, or a new one with what is good."""
        data = found.data if found is not None else {}
        annotations = (found.metadata.annotations or {}) if found is not None else {}
        chain = find_chain(data, annotations, now)
        if chain is not None:
            return self._with_memory(chain, now)
        if found is not None and any(data.get(key) for key in KEYS):
            self._say_what_is_broken(found, now)
        if self.chain is not None:
            return self.chain
        return mend(data, self._renewal, now).trusting(
            await self._trusted(), now + self._renewal.grace
        )

    def _with_memory(self, chain: Chain, now: datetime) -> Chain:
        """Keep the trust in what we show, if the Secret was replaced by one that knows nothing."""
        if self.chain is None or self.chain.authority.certificate in chain.bundle:
            return chain
        leaf = CertificateFacts.of(self.chain.leaf.certificate)
        return chain.trusting(
            self.chain.authority.certificate, max(leaf.not_after, now + self._renewal.grace)
        )

    def _say_what_is_broken(self, found: Secret, now: datetime) -> None:
        try:
            read_chain(found.data, found.metadata.annotations or {}, now)
        except ValueError as error:
            problem = str(error)
        else:
            return
        label, value = OURS
        where = f"{self._namespace}/{self._name}"
        if (found.metadata.labels or {}).get(label) != value and self.chain is None:
            raise ConfigError(
                f"cannot keep certificates in Secret {where}: somebody else's are in it"
                f" ({problem}). Name another Secret, or delete this one; if it is ours, give it the"
                f" label {label}={value}, and it is mended."
            )
        _log.error("the Secret is damaged and is mended", key=where, problem=problem)

    async def _store(self, found: Secret | None, chain: Chain) -> Secret:
        data, annotations = written(chain)
        label, value = OURS
        if found is None:
            metadata = ObjectMeta(
                name=self._name,
                namespace=self._namespace,
                labels={label: value},
                annotations=annotations,
            )
            made = Secret(metadata=metadata, type="kubernetes.io/tls", data=data)
            _log.info("making a Secret for certificates", key=f"{self._namespace}/{self._name}")
            return await self._client.create(made)
        others = {key: kept for key, kept in found.data.items() if key not in KEYS}
        notes = {
            key: kept
            for key, kept in (found.metadata.annotations or {}).items()
            if key not in ANNOTATIONS
        }
        wanted = ({**others, **data}, {**notes, **annotations})
        if wanted == (found.data, found.metadata.annotations or {}):
            return found
        found.data, found.metadata.annotations = wanted
        found.metadata.labels = {**(found.metadata.labels or {}), label: value}
        return await self._client.update(found)
