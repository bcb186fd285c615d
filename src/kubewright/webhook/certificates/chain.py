"""The authorities and the certificate of a webhook server: what there is, and what comes next.

Nothing here waits or asks anybody. An authority is replaced in three steps, so that there is no
moment at which a client trusts another authority than the one that signed what a server shows:

1. A new authority is *announced*: it is in the bundle, and signs nothing.
2. When clients have had time to learn of it, it signs a new certificate, and the old authority
   becomes a *previous* one, which stays in the bundle.
3. It is dropped when all that it has signed has expired: a replica that is cut off may show it
   until then.

Import this late: it loads the package ``cryptography``.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from kubewright._pki.authority import SKEW, Authority, Period, hosts_of
from kubewright._pki.facts import CertificateFacts
from kubewright._pki.keypair import KeyPair
from kubewright.webhook.certificates.lifetimes import Lifetimes

__all__ = ["Chain", "Renewal", "certificates_in"]

_PEM = re.compile(rb"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Chain:
    """What a Secret holds.

    Attributes:
        leaf: What servers show.
        authority: Has signed it.
        next: The authority that is announced.
        announced: Since when.
        previous: Other authorities that are trusted, in PEM.
        until: When those are dropped.
    """

    leaf: KeyPair
    authority: KeyPair
    next: KeyPair | None = None
    announced: datetime | None = None
    previous: bytes = b""
    until: datetime | None = None

    @property
    def bundle(self) -> bytes:
        """All authorities that clients must trust, the current one first."""
        coming = self.next.certificate if self.next is not None else b""
        return b"".join(certificates_in(self.authority.certificate + coming + self.previous))

    def trusting(self, others: bytes, until: datetime) -> "Chain":
        """Return the chain with more authorities in its bundle, at least until then."""
        known = certificates_in(self.bundle)
        if not (new := [one for one in certificates_in(others) if one not in known]):
            return self
        last = until if self.until is None else max(until, self.until)
        return replace(self, previous=self.previous + b"".join(new), until=last)


class Renewal:
    """Makes chains, and says what becomes of them.

    Args:
        name: What new authorities are called.
        hosts: The names and addresses that servers are called by.
        lifetimes: How long things are good for.
    """

    def __init__(self, name: str, hosts: tuple[str, ...], lifetimes: Lifetimes) -> None:
        self._name = name
        self._hosts = hosts
        self._lifetimes = lifetimes
        self.grace: timedelta = lifetimes.grace

    def begin(self, now: datetime, authority: KeyPair | None = None) -> Chain:
        """Return a new chain; with an *authority* that there is, only the leaf is new."""
        pair = authority or self._new_authority(now, None)
        return Chain(self._sign(pair, self._hosts, now, None), pair)

    def advance(self, chain: Chain, now: datetime, *, published: bool) -> Chain:
        """Return what *chain* should be at the time *now*; itself if that is right.

        Args:
            chain: What there is.
            now: The time.
            published: Whether clients have learned to trust the whole bundle of *chain*.
        """
        chain = self._drop(chain, now)
        chain = self._announce(chain, now)
        chain = self._switch(chain, now, published=published)
        return self._renew(chain, now)

    def _drop(self, chain: Chain, now: datetime) -> Chain:
        if chain.until is None or now <= chain.until:
            return chain
        return replace(chain, previous=b"", until=None)

    def _announce(self, chain: Chain, now: datetime) -> Chain:
        life = self._lifetimes.authority
        known = CertificateFacts.of((chain.next or chain.authority).certificate)
        if not _is_due(known, now, life):
            return chain
        return replace(chain, next=self._new_authority(now, known), announced=now)

    def _switch(self, chain: Chain, now: datetime, *, published: bool) -> Chain:
        if chain.next is None or chain.announced is None or not published:
            return chain
        leaf = CertificateFacts.of(chain.leaf.certificate)
        shown = leaf.problem(now) or CertificateFacts.of(chain.authority.certificate).problem(now)
        # When what is shown is not valid, every call is refused, and waiting helps nobody.
        overlap = self._lifetimes.notice if shown else self._lifetimes.overlap
        # The distance, not the difference: another replica may have announced it in our future.
        if abs(now - chain.announced) < overlap:
            return chain
        signed = self._sign(chain.next, self._all_hosts(chain), now, leaf)
        switched = Chain(signed, chain.next, previous=chain.previous, until=chain.until)
        return switched.trusting(chain.authority.certificate, max(leaf.not_after, now + self.grace))

    def _renew(self, chain: Chain, now: datetime) -> Chain:
        known = CertificateFacts.of(chain.leaf.certificate)
        hosts = self._all_hosts(chain)
        lacking = set(hosts) != set(_hosts_in(chain.leaf, chain.authority))
        if not lacking and not _is_due(known, now, self._lifetimes.leaf):
            return chain
        return replace(chain, leaf=self._sign(chain.authority, hosts, now, known))

    def _all_hosts(self, chain: Chain) -> tuple[str, ...]:
        """Return our hosts and those of the chain: another version of us may be called by them."""
        return tuple(dict.fromkeys((*self._hosts, *_hosts_in(chain.leaf, chain.authority))))

    def _new_authority(self, now: datetime, known: CertificateFacts | None) -> KeyPair:
        period = _period(now, self._lifetimes.authority, known)
        # A name of its own, since some clients look for the signer by its name only.
        return Authority(f"{self._name}-{now:%Y%m%d%H%M%S}", period=period).pair

    def _sign(
        self,
        authority: KeyPair,
        hosts: tuple[str, ...],
        now: datetime,
        known: CertificateFacts | None,
    ) -> KeyPair:
        signer = Authority(pair=authority, judge_dates=False)
        return signer.serving(*hosts, period=_period(now, self._lifetimes.leaf, known))


def certificates_in(pem: bytes) -> list[bytes]:
    """Return each certificate in *pem* that can be read, once, with a newline at its end."""
    found = dict.fromkeys(match.group() + b"\n" for match in _PEM.finditer(pem))
    return [one for one in found if _is_readable(one)]


def _is_readable(pem: bytes) -> bool:
    try:
        CertificateFacts.of(pem)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4)  # asked at each look at the clock, of the same pairs for months
def _hosts_in(leaf: KeyPair, authority: KeyPair) -> tuple[str, ...]:
    return hosts_of(leaf, Authority(pair=authority, judge_dates=False))


def _is_due(facts: CertificateFacts, now: datetime, lifetime: timedelta) -> bool:
    return not facts.not_before <= now <= facts.not_after - lifetime / 3


def _period(now: datetime, lifetime: timedelta, known: CertificateFacts | None) -> Period:
    """Return a period around *now* that contains the one of the certificate before it.

    A clock that is wrong, by years even, then makes certificates that are good for it and for all
    others; otherwise two replicas would renew what the other made, without end.
    """
    if known is None:
        return Period(now - SKEW, now + lifetime)
    return Period(min(now - SKEW, known.not_before), max(now + lifetime, known.not_after))
