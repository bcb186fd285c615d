from datetime import UTC, datetime, timedelta

from kubewright._pki.authority import Authority
from kubewright._pki.facts import CertificateFacts
from kubewright.webhook.certificates.chain import Chain, Renewal, certificates_in
from tests.unit.webhook.certificates.villages import SHORT

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def renewal(*hosts: str) -> Renewal:
    return Renewal("shop-ca", hosts or ("shop.default.svc",), SHORT)


def announced(making: Renewal) -> tuple[Chain, datetime]:
    """Return a chain with a new authority that signs nothing yet, and when that was announced."""
    when = NOW + SHORT.authority * 2 / 3 + MINUTE
    return making.advance(making.begin(NOW), when, published=True), when


def test_nothing_changes_before_it_is_due() -> None:
    """Each change is a write, and each new certificate something that can go wrong."""
    making = renewal()
    chain = making.begin(NOW)

    assert making.advance(chain, NOW + SHORT.leaf / 2, published=True) is chain


def test_a_leaf_is_renewed_when_two_thirds_of_its_life_are_over() -> None:
    """There is time left to repair whatever prevents it."""
    making = renewal()
    chain = making.begin(NOW)

    following = making.advance(chain, NOW + SHORT.leaf * 2 / 3 + MINUTE, published=True)

    assert following.leaf != chain.leaf
    assert following.authority == chain.authority
    assert following.bundle == chain.bundle


def test_a_new_authority_does_not_sign_before_clients_know_it() -> None:
    """However long it was announced: nobody could write the bundles meanwhile."""
    making = renewal()
    chain, when = announced(making)
    assert chain.next is not None

    waited = making.advance(chain, when + 2 * SHORT.overlap, published=False)

    assert waited.authority == chain.authority
    assert making.advance(waited, when + SHORT.overlap, published=True).authority == chain.next


def test_an_old_authority_is_dropped_when_all_that_it_signed_has_expired() -> None:
    """Whoever has stolen its key could else sign for ever."""
    making = renewal()
    chain, when = announced(making)
    last = CertificateFacts.of(chain.leaf.certificate).not_after
    switched = making.advance(chain, when + SHORT.overlap, published=True)
    assert switched.until is not None
    assert switched.until >= last

    kept = making.advance(switched, switched.until, published=True)
    dropped = making.advance(switched, switched.until + timedelta(seconds=1), published=True)

    assert chain.authority.certificate in kept.bundle
    assert chain.authority.certificate not in dropped.bundle


def test_an_authority_that_was_announced_and_never_used_is_replaced_in_time() -> None:
    """An operator was off for years between the two steps."""
    making = renewal()
    chain, when = announced(making)

    late = making.advance(chain, when + SHORT.authority, published=False)

    assert late.next is not None
    assert late.next != chain.next
    assert late.announced == when + SHORT.authority


def test_hosts_of_another_version_stay_in_the_certificate() -> None:
    """That version is still called by them."""
    chain = renewal("old.default.svc").begin(NOW)

    making = renewal("new.default.svc")
    following = making.advance(chain, NOW, published=True)

    assert following.leaf != chain.leaf
    assert making.advance(following, NOW, published=True) is following
    assert renewal("old.default.svc").advance(following, NOW, published=True) is following


def test_a_bundle_names_each_authority_once() -> None:
    """It is written into every configuration, and grows with each doublet."""
    chain = renewal().begin(NOW)
    other = Authority("other").certificate

    trusting = chain.trusting(other + chain.bundle, NOW + MINUTE).trusting(other, NOW)

    assert certificates_in(trusting.bundle) == [chain.authority.certificate, other]
    assert trusting.until == NOW + MINUTE


def test_what_is_not_a_certificate_is_left_out_of_a_bundle() -> None:
    """API servers refuse a bundle in which one part is broken."""
    good = Authority("good").certificate
    broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

    assert certificates_in(b"# notes\n" + broken + good + b"tail") == [good]
